#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What operators do and see: cordons and drains with a reason, stats, traces, logs in JSON.

Usage: operating_test.py BIN_DIR SOURCE_DIR. Prints one line per fact; exits 1 when one fails.
"""
import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys

from service_harness import DENIED, NOT_FOUND, Facts, running_service, wait_until

PATIENCE_S = 120
TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
TRACEPARENT = f"00-{TRACE}-{SPAN}-01"


def text_of(done):
    return done.stdout + done.stderr


def log_lines(path):
    return [json.loads(line) for line in path.read_text().splitlines() if line.startswith("{")]


def changed(service, data, name, **changes):
    """The tiny job under another name, so that something of it is new."""
    text = (data / "tiny.yaml").read_text()
    for old, new in {"name: tiny": f"name: {name}", **changes}.items():
        assert old in text, old
        text = text.replace(old, new)
    path = service.work / f"{name}.yaml"
    path.write_text(text)
    return path


def cordon_facts(facts, service, data):
    token = service.call("token", "make", "vera", "--role", "viewer").stdout.strip()
    refused = service.call("worker", "cordon", "--host", "n7", env={"KANAME_TOKEN": token})
    facts.check("a viewer may not cordon", refused.returncode == DENIED, text_of(refused))
    host = os.uname().nodename
    service.call("worker", "cordon", "--host", host, "--reason", "broken fan")
    job = service.json("submit", data / "tiny.yaml")["id"]
    text = wait_until("the reason in the log", PATIENCE_S, lambda: "no agent is started" in service.log()
                      and service.call("worker", "list").stdout)
    facts.check("no agent is started on a cordoned host, the log and the list say why",
                f"host {host} is cordoned by cli" in text and "broken fan" in text
                and "broken fan" in service.log(), text + service.log())
    stats = service.json("admin", "stats")
    facts.check("stats tell what waits", stats["tasks"]["ready"] == 1 and stats["jobs_active"] == 1
                and stats["oldest_ready_age_s"] > 0 and stats["database"]["bytes"] > 10**6
                and stats["database"]["schema"] >= "020" and stats["last_failures"] == [], stats)
    lifted = service.json("worker", "uncordon", "--host", host)
    facts.check("it is lifted", lifted == {"uncordoned": f"host {host}"}, lifted)
    events = service.json("admin", "audit", "--resource", "hosts/")["events"]
    facts.check("both are in the audit, by filter", [e["method"] for e in events]
                == ["UncordonHost", "CordonHost"] and events[1]["outcome"] == "ok: broken fan",
                events)
    ended = service.call("watch", job, timeout=PATIENCE_S)
    facts.check("and the work goes on", ended.returncode == 0, text_of(ended) + service.log())
    live = wait_until("an idle worker", PATIENCE_S, lambda: next(
        (w for w in service.json("worker", "list")["workers"] if w["state"] == "idle"), None))
    service.call("worker", "cordon", live["title"], "--reason", "mine")
    listed = service.json("worker", "list")
    facts.check("one worker is cordoned by its name", listed["cordons"][0]["what"]
                == f"worker {live['id']}" and [w["state"] for w in listed["workers"]]
                .count("cordoned") == 1, listed)
    service.call("worker", "uncordon", live["title"])
    unknown = service.call("worker", "uncordon", "GPU-none")
    facts.check("what is not cordoned is not found", unknown.returncode == NOT_FOUND,
                text_of(unknown))
    text = service.call("admin", "stats").stdout
    facts.check("stats are for people too", "tasks: 0 ready" in text and "sources per minute" in text,
                text)


@contextlib.contextmanager
def second_agent(service):
    """Beside the one that the server starts; it stays when there is no work."""
    told = json.loads((service.state / "client.json").read_text())
    with open(service.state / "agents/second.log", "w") as log:
        agent = subprocess.Popen(
            [service.bin / "kaname-agent", "--server", told["address"], "--token-file",
             service.state / "worker.token", "--work", service.state / "second", "--name", "second",
             "--threads", "1", "--device", "cpu"], stderr=log)
    try:
        yield agent
    finally:
        agent.terminate()
        agent.wait()


def titles(service, state):
    return {w["title"] for w in service.json("worker", "list")["workers"] if w["state"] == state}


def several_agents_facts(facts, service, data):
    """Of two agents one is cordoned, then one drained, then their machine."""
    host = os.uname().nodename
    with second_agent(service) as agent:
        first, = wait_until("two workers", PATIENCE_S, lambda: (idle := titles(service, "idle"))
                            and len(idle) == 2 and idle) - {"second"}
        service.call("worker", "cordon", first, "--reason", "slow disk")
        request = changed(service, data, "beside", **{"1e19": "3e19"})
        job = service.json("submit", request)["id"]
        ended = service.call("watch", job, timeout=PATIENCE_S)
        log = service.call("logs", job).stdout
        facts.check("what one cordoned worker leaves the other does", ended.returncode == 0
                    and log.count("worker second on") == 2 and f"worker {first} on" in log, log)
        facts.check("the cordoned one stays", titles(service, "cordoned") == {first})
        service.call("worker", "uncordon", first)
        facts.check("and is free again", titles(service, "idle") == {first, "second"})
        drained = service.call("worker", "drain", "second", "--reason", "new disk")
        facts.check("one worker is drained", drained.returncode == 0, text_of(drained))
        facts.check("it leaves, and says that all is well", agent.wait(PATIENCE_S) == 0,
                    (service.state / "agents/second.log").read_text())
        facts.check("the other stays", titles(service, "idle") == {first})
        drained = service.json("worker", "drain", "--host", host, "--reason", "new kernel")
        facts.check("a machine is drained", drained == {"drained": f"host {host}"}, drained)
        wait_until("nobody on it", PATIENCE_S, lambda: not service.pids("kaname-agent"))
    listed = service.json("worker", "list")
    facts.check("the list has the drain with its reason and who set it",
                [(d["what"], d["by"], d["reason"]) for d in listed["drain_reasons"]]
                == [(f"host {host}", "cli", "new kernel")], listed)
    text = service.call("worker", "list").stdout
    facts.check("and says so to people", f"host {host} is drained by cli since" in text
                and ": new kernel\n" in text, text)
    request = changed(service, data, "waiting", **{"1e19": "4e19"})
    job = service.json("submit", request)["id"]
    facts.check("nobody works there", service.json("status", job)["state"] == "active"
                and not service.pids("kaname-agent"))
    lifted = service.json("worker", "undrain", "--host", host)
    facts.check("the drain is lifted", lifted == {"undrained": f"host {host}"}, lifted)
    ended = service.call("watch", job, timeout=PATIENCE_S)
    facts.check("and an agent is started for the work", ended.returncode == 0,
                text_of(ended) + service.log())
    events = service.json("admin", "audit", "--resource", "hosts/", "--limit", "2")["events"]
    facts.check("the audit has the drain, its reason and its end",
                [e["outcome"] for e in events] == ["ok", "ok: new kernel"], events)


def trace_facts(facts, service, data):
    # A mesh and sources of its own: a task has the trace of the job that made it.
    request = changed(service, data, "traced", **{"1e19": "2e19", "size_far_km: 40": "size_far_km: 45"})
    done = service.call("submit", request, "--json", env={"TRACEPARENT": TRACEPARENT})
    job = json.loads(done.stdout)["id"]
    ended = service.call("watch", job, timeout=PATIENCE_S)
    facts.check("a traced job is done", ended.returncode == 0, text_of(ended) + service.log())
    lines = log_lines(service.state / "server.log")
    mine = [line for line in lines if line.get("job") == job]
    facts.check("the server's log has the job with its trace",
                mine and all(line["trace_id"] == TRACE and line["span_id"] == SPAN for line in mine),
                service.log())
    facts.check("every line of it is one JSON object",
                len(lines) == len((service.state / "server.log").read_text().splitlines()))
    agents = [line for path in (service.state / "agents").glob("*.log") for line in log_lines(path)]
    mine = [line for line in agents if line.get("trace_id") == TRACE]
    facts.check("the agent's log has job, task and trace", len(mine) >= 3 and all(
        line["job"] == job and line["task"] and line["program"] == "kaname-agent"
        for line in mine), agents)
    log = service.call("logs", job)
    facts.check("kaname-compute's logs of mesh, sources and package have the trace",
                log.stdout.count(f"\ntrace {TRACE}\n") == 3
                and log.stdout.count(f"\n== job {job}, trace {TRACE}\n") == 3, text_of(log))
    before = len(log_lines(service.state / "server.log"))
    service.call("submit", changed(service, data, "again"), "--wait",
                 env={"TRACEPARENT": "00-nonsense"})
    made = [line for line in log_lines(service.state / "server.log")[before:] if line.get("job")]
    facts.check("a malformed traceparent is ignored, and the job gets a trace of its own",
                made and re.fullmatch("[0-9a-f]{32}", made[0]["trace_id"]), made)


def main():
    bin_dir, source_dir = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    os.environ["KANAME_LOG_FORMAT"] = "json"
    facts = Facts()
    data = source_dir / "tests/e2e/data"
    with running_service(bin_dir) as service:
        cordon_facts(facts, service, data)
        several_agents_facts(facts, service, data)
        trace_facts(facts, service, data)
    return 1 if facts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
