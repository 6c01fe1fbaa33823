#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Workers as jobs of a real Slurm: two pools, a backlog that comes and goes, a time limit that ends a solve,
scancel from outside, a server that is killed and started again.

Usage: slurm_test.py BIN_DIR SOURCE_DIR. Prints one line per fact; exits 1 when one fails.
"""
import functools
import os
import pathlib
import re
import shutil
import sys
import tempfile
import textwrap
import time

from free_ports import free_ports
import service_harness
from service_harness import SKIP, Facts, Service, difference, greens
from slurm_cluster import running_cluster, why_not

# Server and Slurm look once a second themselves.
wait_until = functools.partial(service_harness.wait_until, poll_s=0.5)

SAME = 1e-8  # as in service_test.py
PATIENCE_S = 120
USUAL_S = 2  # of the local run
LIMIT_S = 120  # of a solver's job
LIFE_S = 14  # of the first solvers, on a machine that nobody else uses
STEPS = 900  # of a solve that outlives them there


def configuration(service, port, life_s):
    """Written beside the state folder; two pools on partitions of one node. Solvers leave after `life_s`."""
    path = service.work / "server.yaml"
    path.write_text(textwrap.dedent(f"""\
        schema: kaname.v1.ServerConfig
        listen: 127.0.0.1:{port}
        lease_s: 4
        launchers:
          local: {{workers: 0}}
          slurm:
            poll_s: 1
            withdraw_after_s: 2
            pools:
              - name: setup
                serves: [cpu]
                partition: long
                device: cpu
                time_limit_minutes: 5
                idle_exit_s: 4
              - name: solver
                serves: [solve]
                partition: short
                device: cpu
                time_limit_s: {LIMIT_S}
                leave_before_s: {LIMIT_S - life_s:.0f}
                max_workers: 2
                idle_exit_s: 4
                options: ["--nice=5"]
        """))
    return path


def slow_request(data, folder, name, steps):
    """One pack whose checkpoints come every second: those of each step keep agent, server and database busier than the
    solve keeps its worker."""
    text = (data / "tiny.yaml").read_text()
    for old, new in {"name: tiny": f"name: {name}",
                     "size_at_fault_km: 10, size_far_km: 40": "size_at_fault_km: 2.5, size_far_km: 30",
                     "step_years: 1, end_years: 3": f"step_years: 0.05, end_years: {steps * 0.05:g}"
                     }.items():
        assert old in text, old
        text = text.replace(old, new)
    path = folder / f"{name}.yaml"
    path.write_text(text + "\noutput: {checkpoint: full, checkpoint_interval_s: 1}\n")
    return path


def dispatches(service, *states):
    rows = service.json("worker", "list")["dispatches"]
    return [row for row in rows if not states or row["state"] in states]


def kaname_jobs(cluster):
    return [job for job in cluster.jobs() if job[1].startswith("kaname-")]


def alive(cluster):
    return [job for job in kaname_jobs(cluster) if job[2] in ("PENDING", "RUNNING", "CONFIGURING")]


def local_run(service, request):
    """How many times slower than usual this machine is just now."""
    began = time.monotonic()
    done = service.call("run", request, "--output", "local", "--threads", "1", "--device", "cpu")
    assert done.returncode == 0, done.stderr
    return min(6.0, max(1.0, (time.monotonic() - began) / USUAL_S))


def job_facts(facts, request, service, cluster):
    job = service.json("submit", request)["id"]
    ended = service.call("watch", job, timeout=PATIENCE_S)
    facts.check("a job runs through workers of two pools", ended.returncode == 0,
                ended.stderr + service.log() + cluster.log())
    got = service.call("download", job, "--output", "slurm.h5")
    if facts.check("its dataset is there", got.returncode == 0, got.stderr):
        off = difference(greens(service.work / "slurm.h5")["greens"],
                         greens(service.work / "local/greens.h5")["greens"])
        facts.check(f"and that of a run without a server (off by {off:.1e})", off <= SAME)
    rows = dispatches(service)
    facts.check("both pools had one", {row["pool"] for row in rows} == {"setup", "solver"}, rows)
    facts.check("each job is called after its dispatch", {f"kaname-{row['id']}" for row in rows} ==
                {name for _, name, _ in kaname_jobs(cluster)}, cluster.jobs())
    wait_until("idle workers leave", 30, lambda: not alive(cluster))
    wait_until("and their dispatches end", 20,
               lambda: not dispatches(service, "intended", "submitted", "running", "unknown"))
    left = list(pathlib.Path("/tmp").glob("kaname-*-0"))
    ours = [path for path in left if any(row["id"] in path.name for row in rows)]
    facts.check("no scratch folder is left", not ours, ours)


def end_facts(facts, data, service, cluster, slow, longer):
    """A solve that outlives its workers: the time limit, scancel, and the server's death. Solvers behind the first live
    `longer`: where others take the processors, one that leaves early makes no step, and no solve ever ends."""
    request = slow_request(data, service.work, "long", round(STEPS * slow))
    job = service.json("submit", request)["id"]
    solver = lambda: [row for row in dispatches(service, "running") if row["pool"] == "solver"]
    first = wait_until("a worker solves", PATIENCE_S, solver)[0]
    service.kill("kaname-server")
    before = {name for _, name, _ in kaname_jobs(cluster)}
    longer()
    service.up()
    facts.check("a server that is started again submits nothing for what is on its way",
                {name for _, name, _ in alive(cluster)} <= before, cluster.jobs())
    wait_until("the first worker leaves before its limit", 100,
               lambda: first["id"] in [row["id"] for row in dispatches(service, "ended")])
    states = {name: state for _, name, state in kaname_jobs(cluster)}
    facts.check("it ended well", states.get(f"kaname-{first['id']}") == "COMPLETED", states)
    second = wait_until("another one goes on", 60, solver)[0]

    def resumed():
        logs = service.call("logs", job).stdout
        return re.search(r"resumed at step (\d+)", logs)
    facts.check("with the checkpoint of the first", bool(wait_until("a resumed solve", 60, resumed)))
    cluster.run("scancel", second["native_id"])
    gone = wait_until("scancel from outside is seen", 30, lambda: [
        row for row in dispatches(service, "ended") if row["id"] == second["id"]])[0]
    facts.check("with Slurm's reason", "CANCELLED" in gone["reason"], gone)
    said = service.call("worker", "list").stdout
    facts.check("worker list tells of it", f"job {second['native_id']} of pool solver: ended (CANCELLED"
                in said, said)
    ended = service.call("watch", job, timeout=300)
    facts.check("the job is done all the same", ended.returncode == 0, ended.stderr + service.log())


def doctor_facts(facts, service, config):
    told = service.call("doctor", "--config", config)
    facts.check("doctor: each pool would be accepted", told.stdout.count("a job would be accepted") == 2,
                told.stdout + told.stderr)
    bad = service.work / "bad.yaml"
    bad.write_text(config.read_text().replace("partition: long", "partition: nowhere"))
    told = service.call("doctor", "--config", bad)
    facts.check("doctor: names the partition that is none",
                told.returncode == 5 and "nowhere" in told.stdout, told.stdout + told.stderr)
    bad.write_text(config.read_text().replace("max_workers: 2", "max_wrokers: 2\n        uid: 0")
                   .replace("--nice=5", "--uid=root"))
    told = service.call("doctor", "--config", bad)
    facts.check("doctor: names field and line of what is wrong", "max_wrokers" in told.stdout
                and "--uid=root" in told.stdout and "line" in told.stdout, told.stdout + told.stderr)


def recipe_facts(facts, service, source_dir):
    """The configuration of docs/operations.md for Slurm, to the letter."""
    text = (pathlib.Path(source_dir) / "docs/operations.md").read_text()
    text = text.split("## Worker jobs in Slurm")[1]
    recipe = service.work / "recipe.yaml"
    recipe.write_text(re.search(r"```yaml\n(.*?)```", text, re.S)[1])
    told = service.call("doctor", "--config", recipe)
    facts.check("operations.md: Slurm would accept a job of each pool",
                told.stdout.count("a job would be accepted") == 2, told.stdout + told.stderr)


def down_facts(facts, data, service, cluster):
    request = slow_request(data, service.work, "more", 300)
    service.json("submit", request)
    wait_until("a job waits or runs", PATIENCE_S, lambda: alive(cluster))
    down = service.call("down", "--workers")
    facts.check("down --workers ends the jobs in Slurm", down.returncode == 0 and not alive(cluster),
                f"{down.stderr}{cluster.jobs()}")


def main(bin_dir, source_dir):
    reason = why_not()
    if reason:
        print("skipped: " + reason)
        sys.exit(SKIP)
    data = pathlib.Path(source_dir).resolve() / "tests/e2e/data"
    facts = Facts()
    work = tempfile.mkdtemp(prefix="kaname-e2e-")
    os.chmod(work, 0o755)
    with running_cluster() as cluster:
        service = Service(bin_dir, work)
        service.env["SLURM_CONF"] = str(cluster.conf)
        request = service.work / "tiny.yaml"
        request.write_text((data / "tiny.yaml").read_text().replace("size_at_fault_km: 10", "size_at_fault_km: 5"))
        port, slow = free_ports(1)[0], local_run(service, request)
        config = configuration(service, port, LIFE_S * slow)
        service.up_options = ["--config", config]
        try:
            recipe_facts(facts, service, source_dir)
            doctor_facts(facts, service, config)
            service.up()
            job_facts(facts, request, service, cluster)
            end_facts(facts, data, service, cluster, slow,
                      lambda: configuration(service, port, LIMIT_S - 5))
            down_facts(facts, data, service, cluster)
        finally:
            service.down()
            for program in ("kaname-server", "kaname-agent", "kaname-compute", "postgres"):
                service.kill(program)
            if facts.failed:
                print(service.log())
            shutil.rmtree(work, ignore_errors=True)
    return facts.failed


if __name__ == "__main__":
    sys.exit(1 if main(*sys.argv[1:]) else 0)
