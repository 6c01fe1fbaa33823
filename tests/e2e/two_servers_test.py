#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Two servers on one external database and one folder of results: each sees and helps the other.

Usage: two_servers_test.py BIN_DIR SOURCE_DIR. Prints one line per fact; exits 1 when one fails.
"""
import json
import pathlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from service_harness import Facts, Service, difference, greens, running_service, wait_until

SAME = 1e-8  # as in service_test.py
PATIENCE_S = 180


def request_of(data, folder, name, viscosity, **changes):
    text = (data / "tiny.yaml").read_text()
    for old, new in {"name: tiny": f"name: {name}", "1e19": viscosity, **changes}.items():
        assert old in text, old
        text = text.replace(old, new)
    path = folder / f"{name}.yaml"
    path.write_text(text)
    return path


def slow_request_of(data, folder, name, viscosity):
    """Two packs of a second or more each."""
    return request_of(data, folder, name, viscosity, **{
        "rake_deg: [0, 90]": "n_strike: 2\n    n_dip: 2",
        "size_at_fault_km: 10, size_far_km: 40": "size_at_fault_km: 2.5, size_far_km: 30",
        "step_years: 1, end_years: 3": "step_years: 0.2, end_years: 3"})


def right(facts, fact, service, request, job):
    """The job's dataset on this server is that of a run without one."""
    name = f"{request.stem}-{service.work.name}"
    got = service.call("download", job, "--output", f"{name}.h5")
    local = service.call("run", request, "--output", f"{name}-local", "--threads", "1",
                         "--device", "cpu")
    if facts.check(f"{fact}: the dataset is there", got.returncode == local.returncode == 0,
                   got.stderr + local.stderr):
        off = difference(greens(service.work / f"{name}.h5")["greens"],
                         greens(service.work / f"{name}-local/greens.h5")["greens"])
        facts.check(f"{fact}: it is right (off by {off:.1e})", off <= SAME)


def help_facts(facts, data, idle, working):
    """One server has no workers: the other's do its work."""
    request = request_of(data, idle.work, "helped", "2e19")
    job = idle.json("submit", request)
    ended = idle.call("watch", job["id"], timeout=PATIENCE_S)
    facts.check("a job is done by the workers of the other server", ended.returncode == 0,
                ended.stderr + idle.log() + working.log())
    right(facts, "helped", idle, request, job["id"])
    facts.check("both servers list it", [s.json("list")["jobs"][0]["id"] for s in (idle, working)]
                == [job["id"]] * 2)
    again = working.json("submit", request, "--wait", "--output", "again")
    facts.check("the other server computes nothing of it again",
                again["report"]["created"] == 0 and again["report"]["reused"] == 4, again["report"])
    facts.check("both give the same file", (working.work / "again/greens.h5").read_bytes()
                == (idle.work / f"helped-{idle.work.name}.h5").read_bytes())


def race_facts(facts, data, servers):
    """The same batch submitted to both at once is computed once."""
    requests = [request_of(data, s.work, "race", "3e19") for s in servers]
    with ThreadPoolExecutor() as pool:
        jobs = list(pool.map(lambda k: servers[k].json("submit", requests[k], "--wait", "--output",
                                                       "race"), range(2)))
    reports = [job["report"] for job in jobs]
    # The mesh does not depend on the viscosity: it is there.
    facts.check("submitted to both at once, each stage is created once",
                sum(report["created"] for report in reports) == 3
                and all(report["created"] + report["joined"] + report["reused"] == 4
                        for report in reports), reports)
    files = [(s.work / "race/greens.h5").read_bytes() for s in servers]
    facts.check("both get the same file", files[0] == files[1])


def loss_facts(facts, data, kept, lost):
    """A server dies with its worker in the middle of a batch: the other's worker ends it."""
    request = slow_request_of(data, kept.work, "loss", "4e19")
    job = kept.json("submit", request)["id"]
    def solving():
        stages = {item["verb"]: item["state"] for item in kept.json("show", job)["items"]}
        return stages["mesh"] == "done" and lost.pids("kaname-compute", "solve")

    wait_until("work at the server that will be lost", PATIENCE_S, solving)
    for program in ("kaname-server", "kaname-agent", "kaname-compute"):
        lost.kill(program)
    ended = kept.call("watch", job, timeout=PATIENCE_S)
    facts.check("the job ends without the lost server", ended.returncode == 0,
                ended.stderr + kept.log())
    right(facts, "loss", kept, request, job)
    lost.up()
    facts.check("the lost server comes back and knows the job",
                lost.json("status", job)["state"] == "done")


def cancel_facts(facts, data, one, other):
    job = one.json("submit", slow_request_of(data, one.work, "cancelled", "5e19"))["id"]
    cancelled = other.json("cancel", job)["jobs"][0]
    facts.check("the other server cancels a job", cancelled["state"] == "cancelled", cancelled)
    facts.check("and the first one says so", one.json("status", job)["state"] == "cancelled")
    events = one.call("watch", job, "--json", timeout=PATIENCE_S).stdout.splitlines()
    facts.check("its watchers hear of it", json.loads(events[-1])["event"] == "job_ended", events)


def stranger_facts(facts, bin_dir, folder, options):
    """A server of the same database with a folder of its own is refused before it does anything."""
    mistaken = subprocess.run([f"{bin_dir}/kaname-server", "--state", folder / "stranger",
                               "--workers", "0", *options], capture_output=True, text=True,
                              timeout=PATIENCE_S)
    told = [folder / "artifacts", folder / "stranger/artifacts", "--artifacts"]
    facts.check("a third server with another folder of results is refused, both named",
                mistaken.returncode == 6 and all(str(text) in mistaken.stderr for text in told),
                f"{mistaken.returncode} {mistaken.stderr}")
    facts.check("and told that its password stood where others read it",
                "KANAME_DATABASE" in mistaken.stderr, mistaken.stderr)


def main():
    bin_dir, source_dir = sys.argv[1:3]
    data = pathlib.Path(source_dir) / "tests/e2e/data"
    facts = Facts()
    # The first service only lends its database cluster.
    with running_service(bin_dir, ["--workers", "0"]) as host:
        conninfo = f"host={host.state / 'postgres-socket'} user=kaname dbname="
        made = subprocess.run(["psql", conninfo + "postgres", "-c", "create database shared"],
                              capture_output=True, text=True)
        facts.check("a database is made", made.returncode == 0, made.stderr)
        # Where the socket vouches for the user nobody asks for the password.
        secret = "password=not-for-everybody"
        shared = ["--database", f"{conninfo}shared {secret}", "--artifacts", str(host.work / "artifacts"),
                  "--threads", "1", "--device", "cpu", "--lease-s", "5"]
        servers = [Service(bin_dir, host.work / name, [*shared, "--workers", n])
                   for name, n in (("one", "0"), ("two", "1"))]
        try:
            for server in servers:
                server.work.mkdir()
            with ThreadPoolExecutor() as pool:  # both make the tables, or find them made
                list(pool.map(Service.up, servers))
            for server in servers:
                (pid,) = server.pids("kaname-server")
                line = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
                facts.check("the database's password is on no command line",
                            secret.encode() not in line, line)
            stranger_facts(facts, bin_dir, host.work, ["--database", shared[1]])
            help_facts(facts, data, *servers)
            race_facts(facts, data, servers)
            servers[0].down()
            servers[0].up_options[-1] = "1"
            servers[0].up()
            loss_facts(facts, data, *servers)
            cancel_facts(facts, data, *servers)
        finally:
            for server in servers:
                server.down()
                for program in ("kaname-server", "kaname-agent", "kaname-compute"):
                    server.kill(program)
    return 1 if facts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
