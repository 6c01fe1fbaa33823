#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Users at work while parts of the service are killed, stopped and cut off at random; then every
invariant is checked from what they were told, the database and the files.

Usage: chaos_test.py BIN_DIR SOURCE_DIR [--faults 40] [--seed 1] [--report FILE]. One line per fact;
exits 1 when one does not hold. docs/guarantees.md has the promises.

Forty faults, half a second each, meet every kind; what takes two rare ones together is left to the
four hundred of deploy/test --full (script.chaos_long_test).
"""
import argparse
import collections
import json
import pathlib
import random
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from clients import VISCOSITIES, Client, History, specification  # noqa: E402
from faults import Injector, sql  # noqa: E402
from invariants import violated  # noqa: E402
from proxy import Proxy  # noqa: E402
from service_harness import (NOT_FOUND, STATE, UNAVAILABLE, Facts, difference,  # noqa: E402
                             greens, running_service)

LEASE_S, PAUSE_S, REST_S, PATIENCE_S = 3, (0.05, 0.6), 240, 180
N_CLIENTS = 3
DISK_MB = 300  # for results; a fault fills it


def keep_up(service, fail_point=""):
    """A server that was killed is started again, as systemd would, and so is the far agent."""
    if not service.pids("kaname-server"):
        service.call("up", *service.up_options, env={"KANAME_FAIL_POINT": fail_point})
    service.far_agent.keep_up()


def far_away(service, proxy):
    """Environment of a user who reaches the server through the proxy."""
    made = service.call("token", "make", "far-user", "--role", "admin")
    return {"KANAME_SERVER": f"unix:{proxy.path}", "KANAME_TOKEN": made.stdout.strip()}


class FarAgent:
    """An agent that reaches the server through the proxy."""

    def __init__(self, service, proxy):
        token = service.work / "far.token"
        token.write_text(service.call("token", "make", "far", "--role", "worker").stdout.strip())
        token.chmod(0o600)
        self.service, self.process, self.starts = service, None, 0
        self.command = [service.bin / "kaname-agent", "--server", f"unix:{proxy.path}",
                        "--token-file", token, "--work", service.state / "far", "--name", "far",
                        "--ranks", "1", "--threads", "1"]

    def keep_up(self):
        if self.process is None or self.process.poll() is not None:
            self.starts += 1
            with open(self.service.work / "far.log", "ab") as log:
                self.process = subprocess.Popen(self.command, env=self.service.env, stdout=log,
                                                stderr=log, stdin=subprocess.DEVNULL)


def at_rest(service):
    try:
        return sql(service, "select count(*) from job where state = 'active'") == [["0"]]
    except RuntimeError:
        return False


def rest(service):
    """Seconds until no job is active."""
    began = time.monotonic()
    while not at_rest(service) and time.monotonic() - began < REST_S:
        keep_up(service)
        time.sleep(0.2)
    return time.monotonic() - began


def worked(history, users):
    """Each user, also the far one, was told of two jobs; more than five in all."""
    told = collections.Counter(row["user"] for row in history.of("submitted"))
    return all(told[user.name] >= 2 for user in users) and sum(told.values()) > 5


def bother(service, injector, wanted, everybody_worked):
    """Faults one after the other: as many as wanted, and on until everybody worked among them, for a
    machine may be slow, but not the faults. Each server that starts anew ends itself somewhere, or
    nowhere."""
    armed, began = False, time.monotonic()

    def revive(last):
        nonlocal armed
        fail_point = ""
        if not service.pids("kaname-server"):
            if armed and last not in ("kill_server", "kill_database"):
                injector.count("fail_point")
            fail_point = injector.fail_point()
            armed = fail_point.startswith(("store", "artifact"))
        keep_up(service, fail_point)

    while sum(injector.counts.values()) < wanted or (
            not everybody_worked() and time.monotonic() - began < PATIENCE_S):
        name = injector.one()
        revive(name)
        time.sleep(injector.draw.uniform(*PAUSE_S) if name else 0.05)
        revive(name)
    injector.settle()
    if armed:  # what is looked at from here on ends nobody
        service.kill("kaname-server")
        keep_up(service)


def done_in_the_end(service, request, folder, flipped):
    """Submits and waits; the last answer. A result whose file was flipped is found as it is read, and the job's error
    says that a retry computes it again: as many retries as there are such files."""
    ended = service.call("submit", request, "--wait", "--output", folder, "--json")
    for _ in range(flipped):
        if ended.returncode == 0 or "retry the job" not in ended.stderr:
            break
        job = json.loads(ended.stdout)["id"]
        service.call("retry", job)
        service.call("watch", job)
        ended = service.call("submit", request, "--wait", "--output", folder, "--json")
    return ended


def computed_alone(facts, service, history, flipped):
    """Two requests that were accepted among the faults are asked for once more, now that there are none: both are done,
    whatever became of them before (users cancelled, or agents died too often under one task), and what
    they took from before is as in an undisturbed run."""
    asked = list(dict.fromkeys(row["request_file"] for row in history.of("submitted")))[:2]
    for request in asked:
        name = request.removesuffix(".yaml")
        ended = done_in_the_end(service, request, f"{name}-service", flipped)
        if not facts.check(f"{request}, asked for in the calm, is done", ended.returncode == 0,
                           ended.stdout + ended.stderr):
            continue
        service.call("run", request, "--output", f"{name}-local", "--threads", "1")
        off = difference(greens(service.work / f"{name}-service/greens.h5")["greens"],
                         greens(service.work / f"{name}-local/greens.h5")["greens"])
        facts.check(f"{request} is as computed alone (off by {off:.1e})", off <= 1e-8)


def collected(facts, service):
    """What nobody refers to goes. Twice: at the first look files are noted, at the second removed."""
    for _ in range(2):
        sweep = service.json("gc")
    facts.check(f"nothing is left that nobody refers to ({sweep['files']} files)",
                sweep["loose_files"] == sweep["removed_files"], sweep)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin")
    parser.add_argument("source")
    parser.add_argument("--faults", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--report", type=pathlib.Path)
    options = parser.parse_args()
    data = pathlib.Path(options.source).resolve() / "tests/e2e/data"
    facts, history = Facts(), History()
    with running_service(options.bin, ["--workers", "2", "--ranks", "1", "--threads", "1",
                                       "--lease-s", str(LEASE_S)], DISK_MB) as service:
        requests = [specification(data, service.work, v) for v in VISCOSITIES]
        # Nothing is spared that nobody refers to; the next servers are told so.
        service.env |= {"KANAME_GRACE_HOURS": "0", "KANAME_KEEP_UNREFERENCED_DAYS": "0",
                        "KANAME_SWEEP_EVERY_S": "2"}
        service.kill("kaname-server")
        service.up()
        draw = random.Random(options.seed)
        server = json.loads((service.state / "client.json").read_text())["address"]
        proxy = Proxy(service.work / "proxy.sock", server.removeprefix("unix:"), draw)
        service.far_agent = FarAgent(service, proxy)
        injector = Injector(service, proxy, options.seed)
        # One of them is as far as the agent.
        users = [Client(service, requests, history, options.seed + k, far_away(service, proxy)
                        if k == 0 else {}) for k in range(N_CLIENTS)]
        for user in users:
            user.start()
        began = time.monotonic()
        bother(service, injector, options.faults, lambda: worked(history, users))
        history.note("calm")
        for user in users:
            user.ending.set()
        seconds = time.monotonic() - began
        recovery = rest(service)
        for user in users:
            user.join()
        rest(service)
        collected(facts, service)
        broken = violated(service, history, injector.flipped)
        refusals = collections.Counter(row["code"] for row in history.of("refused"))
        print(f"      | {sum(injector.counts.values())} faults in {seconds:.0f} s: {injector.counts}")
        print(f"      | {len(history.of('submitted'))} submits, {len(history.of('cancelled'))} "
              f"cancels, {len(history.of('watched'))} watches; refused by exit code "
              f"{dict(refusals)}; at rest after {recovery:.1f} s")
        facts.check("every invariant holds", not broken, "\n".join(broken))
        facts.check("calls were refused as unavailable alone",
                    set(refusals) <= {NOT_FOUND, UNAVAILABLE, STATE}, history.of("refused")[:3])
        facts.check("everybody could work all the same", worked(history, users),
                    history.of("submitted"))
        computed_alone(facts, service, history, len(injector.flipped))
        if options.report:
            options.report.write_text(json.dumps({
                "faults": injector.counts, "seed": options.seed, "seconds": seconds,
                "at_rest_s": recovery, "submitted": len(history.of("submitted")),
                "cancelled": len(history.of("cancelled")), "violated": broken}, indent=2) + "\n")
            history.write(options.report.with_suffix(".history.jsonl"))
    return 1 if facts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
