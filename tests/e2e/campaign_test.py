#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A campaign at a real server: paused, resumed, its server killed in the middle, extended.

Usage: campaign_test.py BIN_DIR. Prints one line per fact; exits 1 when one fails.
"""
import hashlib
import json
import pathlib
import sys
import time
import uuid

from service_harness import SKIP, Facts, running_service, wait_until

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "chaos"))
from faults import sql  # noqa: E402

VISCOSITIES = ("1e18", "3e18", "1e19", "3e19", "1e20", "3e20")


def stubs(bin_dir):
    package = pathlib.Path(bin_dir).resolve().parent / "python"
    if not (package / "kaname/_proto/kaname/v1/campaigns_service_pb2_grpc.py").exists():
        print(f"the Python package is not built in {package}")
        sys.exit(SKIP)
    sys.path.insert(0, str(package))
    try:
        import grpc
        from google.protobuf import json_format
        from kaname._proto.kaname.v1 import (campaign_pb2, campaigns_service_pb2,
                                             campaigns_service_pb2_grpc, greens_pb2)
    except ImportError as missing:
        print(f"skipped: {missing}")
        sys.exit(SKIP)
    return (grpc, json_format, campaigns_service_pb2, campaigns_service_pb2_grpc, greens_pb2,
            campaign_pb2.Campaign)


class Campaigns:
    """The calls of one user."""

    def __init__(self, service, libraries):
        self.service, self.libraries = service, libraries
        self.grpc, self.json_format, self.pb, pb_grpc, self.greens, self.states = libraries
        told = json.loads((service.state / "client.json").read_text())
        self.metadata = (("authorization", f"Bearer {told['token']}"),)
        self.stub = pb_grpc.CampaignsStub(self.grpc.insecure_channel(told["listen"]))

    def batch(self, viscosity):
        text = (pathlib.Path(__file__).resolve().parent / "data/tiny.yaml").read_text()
        file = self.service.work / f"member-{viscosity}.yaml"
        file.write_text(text.replace("viscosity_pa_s: 1e19", f"viscosity_pa_s: {viscosity}"))
        told = self.service.json("validate", file, "--schema-only", "--canonical")
        batch = self.greens.GreensBatch()
        del told["specification"]["@type"]
        self.json_format.ParseDict(told["specification"], batch)
        return batch

    def parts(self, members, campaign="", request=None):
        header = self.pb.CreateCampaignRequest.Header(
            request_id=request or str(uuid.uuid4()), campaign=campaign, title="viscosities")
        header.axes.add(name="viscosity", values=[label for label, _ in members])
        yield self.pb.CreateCampaignRequest(header=header)
        for label, batch in members:
            part = self.pb.CreateCampaignRequest()
            member = part.members.members.add(label=label, values=[label])
            member.specification.Pack(batch)
            yield part
        labels = "".join(f"{label}\n" for label, _ in members)
        yield self.pb.CreateCampaignRequest(commit=self.pb.CreateCampaignRequest.Commit(
            members=len(members), sha256=hashlib.sha256(labels.encode()).hexdigest()))

    def call(self, method, request, timeout=120):
        return getattr(self.stub, method)(request, metadata=self.metadata, timeout=timeout)

    def change(self, method, name):
        return self.call(method, self.pb.ChangeCampaignRequest(name=name))

    def get(self, name):
        return self.call("GetCampaign", self.pb.GetCampaignRequest(name=name))

    def members(self, name):
        return self.call("ListMembers", self.pb.ListMembersRequest(campaign=name)).members


def attempts(service):
    """That were begun: an attempt is a row once it has ended."""
    return int(sql(service, "select (select count(*) from attempt) + "
                   "(select count(*) from task where state = 'running')")[0][0])


def named_among_many(facts, service, campaign):
    """Of a campaign and a job that are older than a thousand others."""
    job = service.json("list", "--limit", "1")["jobs"][0]["id"]
    sql(service, "insert into job (job_id, owner, name, spec, priority, state, n_total, n_live, "
        "n_sources, ended_at) select gen_random_uuid(), 'ann', 'newer', '{}', 0, 'failed', 0, 0, "
        "0, now() from generate_series(1, 1001)")
    sql(service, "insert into campaign (campaign_id, owner, title, axes, cost, priority, state, "
        "tasks_at_once, hours, bytes, ended_at) select gen_random_uuid(), 'ann', 'newer', '[]', "
        "'{}', 0, 'failed', 0, 0, 0, now() from generate_series(1, 1001)")
    facts.check("the first characters of an id name a job and a campaign older than 1,000 others",
                job == service.json("status", job[:8])["id"]
                and campaign == service.json("campaign", "status", campaign[:8])["id"])
    sql(service, "delete from job where name = 'newer'")
    sql(service, "delete from campaign where title = 'newer'")


def dataset_facts(facts, service, campaign, n_members):
    """What the campaign made is found, tagged, kept and deleted."""
    def found(*filters):
        return [one["id"] for one in service.json("dataset", "list", "--all", *filters)["datasets"]]

    def refusal(*arguments):
        done = service.call(*arguments)
        return done.stdout + done.stderr if done.returncode else "it was taken"

    facts.check("latest names it", campaign.split("/")[1]
                == service.json("campaign", "status", "latest")["id"])
    named_among_many(facts, service, campaign.split("/")[1])
    everything = found("--campaign", campaign.split("/")[1])
    facts.check("its datasets are found by campaign, place, station, fault, physics and name",
                len(everything) == n_members and everything == found() == found(
                    "--box", "134,33,135,34", "--near", "135.3,34.1", "--within", "50",
                    "--station", "W10", "--station", "E20", "--fault", "plane",
                    "--physics", "viscoelastic", "--name", "ti*", "--complete"), everything)
    facts.check("and not by another place or station", found("--box", "136,33,137,34") == []
                and found("--station", "W10", "--station", "W11") == [])
    shown = service.json("dataset", "show", everything[0])
    facts.check("those of one Earth model are found together",
                found("--structure", shown["structure_sha256"]) == [everything[0]], shown)
    service.json("dataset", "tag", everything[0], "+paper", "--add", "v2", "--pin")
    facts.check("tags find it", found("--tag", "paper", "--tag", "v2", "--pinned")
                == [everything[0]])
    facts.check("a member of a campaign is not deleted, which is named", campaign.split("/")[1]
                in refusal("dataset", "delete", everything[1]))
    facts.check("no campaign, no retention", service.json(
        "dataset", "prune", "--keep", "0B", "--dry-run")["datasets"] == [])
    facts.check("with its jobs it is not deleted while one is pinned", "pinned" in refusal(
        "campaign", "delete", campaign.split("/")[1], "--jobs"))
    service.json("campaign", "delete", campaign.split("/")[1])
    files = service.json("dataset", "download", *everything[:2], "--output",
                         service.work / "got")["files"]
    facts.check("several are downloaded at once", len(files) == 2 and all(
        pathlib.Path(one["file"]).stat().st_size == one["bytes"] for one in files), files)
    service.json("dataset", "export", everything[0], "--to", "csv", "--output",
                 service.work / "csv")
    facts.check("one is exported", any((service.work / "csv").iterdir()))
    would = service.json("dataset", "prune", "--keep", "0B", "--dry-run")
    made = [one["made_s"] for one in would["datasets"]]
    facts.check("the oldest would go first", made == sorted(made) and everything[1:] == sorted(
        (one["id"] for one in would["datasets"]), key=everything.index), would)
    gone = service.json("dataset", "prune", "--keep", "0B")
    facts.check("just these go", gone["datasets"] == would["datasets"]
                and found() == [everything[0]], gone)
    facts.check("a pinned one stays", "pinned" in refusal("dataset", "delete", everything[0]))
    service.json("dataset", "tag", everything[0], "--unpin")
    service.json("dataset", "delete", everything[0])
    facts.check("until it is unpinned", found() == [])


def run(bin_dir):
    facts, libraries = Facts(), stubs(bin_dir)
    with running_service(bin_dir, ["--workers", "1", "--listen", "127.0.0.1:0", "--lease-s", "5"]) as service:
        campaigns = Campaigns(service, libraries)
        states = campaigns.states
        is_in = lambda which: lambda: campaigns.get(made.name).state == which  # noqa: E731
        members = [(value, campaigns.batch(value)) for value in VISCOSITIES]

        wrong = campaigns.batch("1e21")
        wrong.region.depth_m = -1
        try:
            campaigns.call("CreateCampaign", campaigns.parts([*members, ("wrong", wrong)]))
            told = "it was taken"
        except campaigns.grpc.RpcError as error:
            told = f"{error.code()} {error.details()}"
        facts.check("a wrong member refuses the campaign, named with its values",
                    "INVALID_ARGUMENT" in told and 'member "wrong" (wrong)' in told, told)

        request = str(uuid.uuid4())
        made = campaigns.call("CreateCampaign", campaigns.parts(members, request=request))
        again = campaigns.call("CreateCampaign", campaigns.parts(members, request=request))
        facts.check("the same request is the same campaign", made.name == again.name)
        wait_until("a source is done", 90, lambda: campaigns.get(made.name).sources.done > 0)
        paused = campaigns.change("PauseCampaign", made.name)
        begun = attempts(service)
        facts.check("it is paused", paused.state == states.PAUSED)
        wait_until("what ran has ended", 60, lambda: sql(
            service, "select count(*) from task where state = 'running'")[0][0] == "0")
        time.sleep(1.5)
        facts.check("nothing began after the answer", attempts(service) == begun,
                    (begun, attempts(service)))
        facts.check("what waits is held", int(sql(
            service, "select count(*) from task where state = 'ready'")[0][0]) == 0)

        campaigns.change("ResumeCampaign", made.name)
        wait_until("it goes on", 60, lambda: attempts(service) > begun)
        facts.check("the server is killed", service.kill("kaname-server") == 1)
        service.up()
        campaigns = Campaigns(service, libraries)
        wait_until("it ends", 180, is_in(states.DONE))
        listed = campaigns.members(made.name)
        jobs = sql(service, "select count(*), count(distinct member) from job")[0]
        facts.check("each member became one job, also with a killed server", jobs == [
            str(len(members))] * 2, jobs)
        facts.check("each has its dataset", all(one.HasField("dataset") and one.dataset.complete
                                                for one in listed), listed)
        meshes = sql(service, "select count(*) from task_done d join job_item i using (content_key) "
                              "where i.verb = 'mesh' and d.state = 'done' and i.ordinal = 0 and "
                              "i.job_id = (select min(job_id) from job)")[0][0]
        facts.check("the mesh that all share was made once", meshes in ("0", "1"), meshes)

        begun = int(sql(service, "select count(*) from task_done where state = 'done'")[0][0])
        more = [*members, ("1e21", campaigns.batch("1e21"))]
        grown = campaigns.call("ExtendCampaign", campaigns.parts(more, made.name))
        facts.check("an extension adds what is new", grown.members.total == len(more),
                    grown.members)
        wait_until("it ends again", 120, is_in(states.DONE))
        done = int(sql(service, "select count(*) from task_done where state = 'done'")[0][0])
        new = campaigns.members(made.name)[len(members)]
        facts.check("and computes only that", done - begun <= new.counts.sources + 2,
                    (begun, done))
        facts.check("no task is left", sql(service, "select count(*) from task")[0][0] == "0")
        dataset_facts(facts, service, made.name, len(more))
    return 1 if facts.failed else 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1]))
