#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A full disk, and what goes when nobody needs it, with a service of its own on a small file system.

Usage: space_test.py BIN_DIR SOURCE_DIR. Prints one line per fact; exits 1 when one fails, 77 where no
file system can be mounted.
"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

from free_ports import free_ports
from service_harness import SKIP, Facts, Service, wait_until

DISK_MB = 200     # of which a tenth must stay free
RESUME_S = 10     # within which work goes on
EXHAUSTED = "bytes free"


def metrics(port, token):
    request = urllib.request.Request(f"http://127.0.0.1:{port}/metrics",
                                     headers={"Authorization": f"Bearer {token}"})
    text = urllib.request.urlopen(request, timeout=10).read().decode()
    return dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))


def fill(disk, leave_mb):
    free = shutil.disk_usage(disk).free
    with open(disk / "other", "wb") as file:
        file.write(bytes(max(0, free - leave_mb * 1000000)))


def state_of(service, job):
    return service.json("status", job)["state"]


def full_disk_facts(facts, service, disk, request_file, port, token):
    # The agent that an earlier job left sleeps until the disk is full: what it had claimed before
    # would end all the same.
    facts.check("a job ends while there is room",
                service.call("submit", request_file, "--wait").returncode == 0)
    agents = service.pids("kaname-agent")
    facts.check("its agent waits for more", agents)
    for agent in agents:
        os.kill(agent, signal.SIGSTOP)
    other = service.work / "other.yaml"
    other.write_text(request_file.read_text().replace("name: tiny", "name: other").replace("1e19", "2e19"))
    job = service.json("submit", other)["id"]
    fill(disk, 12)  # results may use it, nothing new begins
    wait_until("the server notices", 60, lambda: "no task starts" in service.log())
    for agent in agents:
        os.kill(agent, signal.SIGCONT)
    logs = lambda: "".join(log.read_text() for log in (service.state / "agents").glob("*.log"))
    wait_until("the agent's log tells why it waits", 120,
               lambda: "the server starts nothing" in logs())
    refused = service.call("submit", request_file)
    facts.check("a submit on a full disk is refused, with folder and free bytes",
                refused.returncode != 0 and EXHAUSTED in refused.stderr
                and str(disk) in refused.stderr, refused.stderr)
    seen = metrics(port, token)
    facts.check("the gauges tell it", seen["kaname_paused"] == "1" and
                float(seen['kaname_free_bytes{folder="artifacts"}']) < 2e7, seen)
    sweep = service.json("gc", "--dry-run")
    facts.check("kaname gc tells it", str(disk) in sweep["paused"], sweep)
    facts.check("the log has one line of it",
                service.log().count("no task starts and no submit is taken") == 1, service.log())
    facts.check("meanwhile the job does not end", state_of(service, job) not in ("done", "failed"),
                state_of(service, job))
    (disk / "other").unlink()
    freed = time.monotonic()
    wait_until("work goes on", RESUME_S, lambda: "there is room again" in service.log())
    busy = wait_until("a task runs", 60, lambda: metrics(port, token)
                      ['kaname_tasks{state="running"}'] != "0" or state_of(service, job) == "done")
    facts.check(f"work goes on within {RESUME_S} s", busy)
    print(f"      noticed after {time.monotonic() - freed:.1f} s")
    wait_until("the job ends", 300, lambda: state_of(service, job) == "done", 0.5)
    facts.check("the job ends well", True)
    facts.check("the agent's log tells that it went on", "has room again" in logs(), logs())
    return job


def collection_facts(facts, service, disk, job):
    objects = disk / "artifacts" / "objects"
    count = lambda: sum(1 for entry in objects.rglob("*") if entry.is_file())
    kept = count()
    sweep = service.json("gc")
    facts.check("what a job refers to stays", sweep["removed_files"] == 0 and count() == kept
                and sweep["loose_files"] == 0, sweep)
    facts.check("its dataset is still to be had",
                service.call("download", job, "--output", service.work / "out.h5").returncode == 0)
    facts.check("a viewer may not sweep", service.call("gc", env={"KANAME_TOKEN": service.call(
        "token", "make", "vic", "--role", "viewer").stdout.strip()}).returncode != 0)
    assert service.call("delete", job).returncode == 0
    told = service.json("gc", "--dry-run")
    facts.check("of a deleted job a dry run tells what nothing refers to and removes nothing",
                told["loose_files"] > 0 and told["removed_files"] == 0 and count() == kept, told)


def main():
    bin_dir, source_dir = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    if not (bin_dir / "kaname-server").exists():
        print(f"kaname-server is not built in {bin_dir}")
        return SKIP
    work = pathlib.Path(tempfile.mkdtemp(prefix="kaname-space-"))
    os.chmod(work, 0o755)
    disk = work / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "tmpfs", disk],
                             capture_output=True, text=True)
    if mounted.returncode:
        print(f"no file system can be mounted here: {mounted.stderr.strip()}")
        shutil.rmtree(work)
        return SKIP
    facts = Facts()
    port = free_ports(1)[0]
    service = Service(bin_dir, work, ["--artifacts", disk / "artifacts", "--metrics",
                                      f"127.0.0.1:{port}"])
    try:
        service.up()
        token = service.call("token", "make", "prometheus", "--role", "viewer").stdout.strip()
        request_file = source_dir / "tests" / "e2e" / "data" / "tiny.yaml"
        job = full_disk_facts(facts, service, disk, request_file, port, token)
        collection_facts(facts, service, disk, job)
    except TimeoutError as error:
        facts.check(str(error), False, "".join(
            file.read_text()[-3000:] for file in (service.state / "agents").glob("*.log"))
            + service.log())
    finally:
        service.down()
        for program in ("kaname-server", "kaname-agent", "kaname-compute", "mpirun", "postgres"):
            service.kill(program)
        subprocess.run(["umount", disk], check=False)
        shutil.rmtree(work, ignore_errors=True)
    return 1 if facts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
