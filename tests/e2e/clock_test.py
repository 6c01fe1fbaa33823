#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The clock of the database is set by an hour, forwards and back, while a job runs: no worker is
given up and no attempt is lost.

Usage: clock_test.py BIN_DIR SOURCE_DIR. Prints one line per fact; exits 1 when one fails. Needs
libfaketime, which only PostgreSQL sees.
"""
import contextlib
import os
import pathlib
import pwd
import subprocess
import sys
import time

from service_harness import SKIP, Facts, psql, running_service, wait_until

FAKE = pathlib.Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1")
LEASE_S = 3


class ForeignClock:
    """A PostgreSQL whose clock is ahead of this machine's by so many seconds."""

    def __init__(self, folder):
        self.folder, self.offset = folder, folder / "offset"
        self.binaries = max(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))
        self.env = dict(os.environ, LC_ALL="C", FAKETIME_TIMESTAMP_FILE=str(self.offset),
                        FAKETIME_NO_CACHE="1", FAKETIME_DONT_FAKE_MONOTONIC="1")
        self.step(0)

    def step(self, seconds):
        part = self.offset.with_suffix(".part")
        part.write_text(f"{seconds:+d}s\n")
        part.chmod(0o644)
        part.rename(self.offset)

    def _run(self, program, *arguments, **env):
        user = {"user": "postgres", "group": "postgres", "extra_groups": []} \
            if os.geteuid() == 0 else {}
        subprocess.run([self.binaries / program, "-D", self.folder / "data", *arguments],
                       cwd=self.folder, env={**self.env, **env}, check=True,
                       stdout=subprocess.DEVNULL, **user)

    def start(self):
        if os.geteuid() == 0:
            postgres = pwd.getpwnam("postgres")
            os.chown(self.folder, postgres.pw_uid, postgres.pw_gid)
        self._run("initdb", "-U", "kaname", "--auth=trust", "--locale=C", "--encoding=UTF8", "--no-sync")
        self._run("pg_ctl", "-w", "-l", self.folder / "log", "-o",
                  f"-k {self.folder} -c listen_addresses='' -c fsync=off", "start", LD_PRELOAD=str(FAKE))

    def stop(self):
        with contextlib.suppress(subprocess.CalledProcessError):
            self._run("pg_ctl", "-m", "immediate", "stop")

    def ask(self, query):
        return subprocess.run([psql(), "-XAtq", self.conninfo, "-c", query], check=True,
                              capture_output=True, text=True).stdout.strip()

    @property
    def conninfo(self):
        return f"host={self.folder} user=kaname dbname=postgres"


def long_request(data, folder, number):
    """Two packs, each about as long as a lease; the tolerance makes each number's a batch of its own."""
    text = (data / "tiny.yaml").read_text()
    for old, new in {"rake_deg: [0, 90]": "n_strike: 2\n    n_dip: 2",
                     "size_at_fault_km: 10, size_far_km: 40": "size_at_fault_km: 2.5, size_far_km: 30",
                     "time: {step_years: 1, end_years: 3": f"solver: {{tolerance: 1.000{number}e-8}}\n\n"
                                                           "time: {step_years: 0.1, end_years: 3"}.items():
        assert old in text, old
        text = text.replace(old, new)
    path = folder / f"long{number}.yaml"
    path.write_text(text)
    return path


def main():
    if not FAKE.exists():
        print(f"no {FAKE}")
        return SKIP
    data = pathlib.Path(sys.argv[2]).resolve() / "tests/e2e/data"
    facts = Facts()
    with running_service(sys.argv[1], ["--workers", "0"]) as host:
        folder = host.work / "clock"
        folder.mkdir(mode=0o755)
        clock = ForeignClock(folder)
        clock.start()
        try:
            host.down()
            host.up_options = ["--state", str(host.work / "foreign"), "--database", clock.conninfo,
                               "--workers", "1", "--ranks", "1", "--threads", "1", "--lease-s",
                               str(LEASE_S)]
            host.state = host.work / "foreign"
            host.env["KANAME_STATE"] = str(host.state)
            host.up()
            ahead = float(clock.ask("select extract(epoch from now())")) - time.time()
            facts.check(f"the database has the clock it is given (off by {ahead:.1f} s)",
                        abs(ahead) < 2)
            for number, hour in enumerate((3600, 0, -3600)):
                job = host.json("submit", long_request(data, host.work, number))["id"]
                wait_until("a solve runs", 90, lambda: clock.ask(
                    "select count(*) from task where state = 'running' and verb = 'solve'") != "0")
                clock.step(hour)
                stepped = time.monotonic()
                ahead = float(clock.ask("select extract(epoch from now())")) - time.time()
                facts.check(f"its clock was set to {hour:+d} s", abs(ahead - hour) < 2, ahead)
                done = host.call("watch", job, timeout=300)
                facts.check("the job is done", done.returncode == 0, done.stdout + done.stderr)
                # Workers are looked at each quarter of a lease, and given up again a lease after the step.
                time.sleep(max(0.0, stepped + 1.5 * LEASE_S - time.monotonic()))
            outcomes = clock.ask("select distinct outcome from attempt")
            facts.check("no attempt was lost or repeated", outcomes == "done", outcomes + host.log())
            workers = [w["state"] for w in host.json("worker", "list")["workers"]]
            facts.check("no worker was given up", workers and "lost" not in workers, workers)
            host.down()
        finally:
            clock.stop()
    return 1 if facts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
