#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What operators do: cordons with a reason, stats, traces and JSON logs, backup and restore.

Usage: operating_test.py BIN_DIR SOURCE_DIR. Prints one line per fact; exits 1 when one fails.
"""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

from service_harness import (BAD_INPUT, DENIED, NOT_FOUND, SOME_FAILED, STATE, Facts, Service,
                             running_service, wait_until)

PATIENCE_S = 120
TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
TRACEPARENT = f"00-{TRACE}-{SPAN}-01"


def text_of(done):
    return done.stdout + done.stderr


def log_lines(path):
    return [json.loads(line) for line in path.read_text().splitlines() if line.startswith("{")]


def cordon_facts(facts, service, data):
    token = service.call("token", "make", "vera", "--role", "viewer").stdout.strip()
    refused = service.call("worker", "cordon", "--host", "n7", env={"KANAME_TOKEN": token})
    facts.check("a viewer may not cordon", refused.returncode == DENIED, text_of(refused))
    host = os.uname().nodename
    service.call("worker", "cordon", "--host", host, "--reason", "broken fan")
    job = service.json("submit", data / "tiny.yaml", )["id"]
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
    live = next(w for w in service.json("worker", "list")["workers"] if w["state"] == "idle")
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
    return job


def trace_facts(facts, service, data):
    spec = service.work / "traced.yaml"
    spec.write_text((data / "tiny.yaml").read_text().replace("1e19", "2e19"))
    done = service.call("submit", spec, "--json", env={"TRACEPARENT": TRACEPARENT})
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
                log.stdout.count(f"trace {TRACE}\n") >= 6, text_of(log))
    before = len(log_lines(service.state / "server.log"))
    again = service.work / "again.yaml"
    again.write_text((data / "tiny.yaml").read_text().replace("name: tiny", "name: again"))
    service.call("submit", again, "--wait", env={"TRACEPARENT": "00-nonsense"})
    made = [line for line in log_lines(service.state / "server.log")[before:] if line.get("job")]
    facts.check("a malformed traceparent is ignored, and the job gets a trace of its own",
                made and re.fullmatch("[0-9a-f]{32}", made[0]["trace_id"]), made)


def sha256(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def backup_facts(facts, service, job):
    service.call("download", job, "--output", "before.h5")
    folder = service.work / "backup"
    made = service.call("admin", "backup", folder)
    facts.check("a backup is made while the server works", made.returncode == 0
                and "database: " in made.stdout and "artifacts: " in made.stdout,
                text_of(made))
    manifest = json.loads((folder / "manifest.json").read_text())
    sums = subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=folder, check=False,
                          capture_output=True, text=True)
    facts.check("it has checksums that sha256sum takes, and versions", sums.returncode == 0
                and manifest["migrations"][-1] >= "020" and manifest["pg_dump"].startswith("pg_dump"),
                sums.stderr + str(manifest))
    listed = [line.split("\t") for line in (folder / "artifacts.tsv").read_text().splitlines()]
    kept = [line for line in listed if line[2] == "kept"]
    facts.check("and every file, with its hash and bytes", kept and all(
        sha256(folder / "artifacts/objects" / h[:2] / h) == h for h, _, _ in kept), listed)
    again = service.call("admin", "backup", folder)
    facts.check("a folder that is there is refused", again.returncode == STATE
                and str(folder) in again.stderr, text_of(again))
    facts.check("nothing unfinished is left", not list(service.work.glob(".backup*")))
    shown = service.json("admin", "backups")["backups"]
    facts.check("the server lists it", shown[0]["state"] == "done" and shown[0]["folder"] == str(folder)
                and shown[0]["files"] == len(kept), shown)
    linked = service.work / "linked"
    service.call("admin", "backup", linked, "--artifacts", "link")
    one = kept[0][0]
    facts.check("links are the server's own files", (linked / "artifacts/objects" / one[:2] / one).stat()
                .st_ino == (service.objects / one[:2] / one).stat().st_ino)
    return folder


def moved(service, name):
    other = Service(service.bin, service.work / name)
    other.work.mkdir()
    other.work.chmod(0o755)
    return other


def restore_facts(facts, service, folder, job):
    other = moved(service, "elsewhere")
    jobs = service.json("list")
    busy = moved(service, "busy")
    busy.state.mkdir()
    (busy.state / "something").write_text("")
    refused = busy.call("admin", "restore", folder)
    facts.check("a state folder that is not empty is refused", refused.returncode == STATE
                and "must be empty" in refused.stderr, text_of(refused))

    broken = service.work / "broken"
    shutil.copytree(folder, broken)
    hashes = [line.split("\t")[0] for line in (folder / "artifacts.tsv").read_text().splitlines()
              if line.endswith("kept")]
    victim, gone = (broken / "artifacts/objects" / h[:2] / h for h in hashes[:2])
    victim.chmod(0o600)
    victim.write_bytes(b"x" * victim.stat().st_size)
    gone.unlink()
    lost = moved(service, "lost")
    told = lost.call("admin", "restore", broken)
    facts.check("files that are damaged or missing are named, and nothing is restored",
                told.returncode != 0 and f"{hashes[0]} is damaged" in told.stderr
                and f"{hashes[1]} is missing" in told.stderr, text_of(told))
    (broken / "manifest.json").write_text("{}")
    told = moved(service, "lost2").call("admin", "restore", broken)
    facts.check("so is a manifest that was changed", told.returncode != 0
                and "manifest.json" in told.stderr, text_of(told))

    done = other.call("admin", "restore", folder)
    facts.check("a backup is restored onto an empty folder", done.returncode == 0, text_of(done))
    try:
        other.up()
        facts.check("kaname up there shows the same jobs", other.json("list") == jobs,
                    f"{other.json('list')}\n{jobs}")
        downloaded = other.call("download", job, "--output", "after.h5")
        facts.check("and downloads the same bytes", downloaded.returncode == 0
                    and sha256(other.work / "after.h5") == sha256(service.work / "before.h5"),
                    text_of(downloaded))
        token = service.call("token", "list").stdout
        facts.check("and has the same tokens", "vera" in token
                    and "vera" in other.call("token", "list").stdout)
        made = other.call("submit", service.work / "traced.yaml", "--wait", "--output", "again",
                          timeout=PATIENCE_S)
        facts.check("what was computed before is reused there", made.returncode == 0, text_of(made))
    finally:
        other.down()
        for program in ("kaname-server", "kaname-agent", "kaname-compute", "postgres"):
            other.kill(program)


def migrate_facts(facts, service):
    running = service.call("admin", "migrate", "--check")
    facts.check("the schema of a running server is told", running.returncode == 0
                and "up to date" in running.stdout, text_of(running))
    bad = service.call("admin", "backup", service.work / "x", "--artifacts", "zip")
    facts.check("an unknown mode is refused", bad.returncode == BAD_INPUT, text_of(bad))
    service.down()
    stopped = service.call("admin", "migrate", "--check")
    facts.check("and that of a stopped one, which stays stopped", stopped.returncode == 0
                and not service.pids("postgres"), text_of(stopped))
    folder = service.work / "cold"
    made = service.call("admin", "backup", folder, "--artifacts", "manifest")
    facts.check("a stopped one can be backed up too", made.returncode == 0
                and not (folder / "artifacts").exists() and not service.pids("postgres"),
                text_of(made))
    (service.objects / "00").mkdir(exist_ok=True)
    kept = [line.split("\t")[0] for line in (folder / "artifacts.tsv").read_text().splitlines()
            if line.endswith("kept")]
    (service.objects / kept[0][:2] / kept[0]).unlink()
    lossy = service.call("admin", "backup", service.work / "lossy")
    facts.check("a file that was lost before is named, and listed", lossy.returncode == SOME_FAILED
                and kept[0] in lossy.stdout and f"{kept[0]}\t0\tmissing"
                in (service.work / "lossy/artifacts.tsv").read_text(), text_of(lossy))
    none = service.call("admin", "migrate", "--check", "--state", service.work / "nowhere")
    facts.check("where no server ran there is nothing to check", none.returncode == NOT_FOUND,
                text_of(none))


def main():
    bin_dir, source_dir = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    os.environ["KANAME_LOG_FORMAT"] = "json"
    facts = Facts()
    data = source_dir / "tests/e2e/data"
    with running_service(bin_dir) as service:
        job = cordon_facts(facts, service, data)
        trace_facts(facts, service, data)
        folder = backup_facts(facts, service, job)
        restore_facts(facts, service, folder, job)
        migrate_facts(facts, service)
    return 1 if facts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
