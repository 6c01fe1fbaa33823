# SPDX-License-Identifier: BSD-3-Clause
"""A service of its own in a temporary folder, for the tests that drive kaname as a user would."""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import h5py
import numpy as np

import cf_rules

SKIP = 77
UNAVAILABLE, STATE, DENIED, SOME_FAILED, NOT_FOUND, BAD_INPUT = 5, 6, 7, 4, 3, 2


class Facts:
    """Counts what holds and what does not; from any thread."""

    def __init__(self):
        self.failed = 0
        self._lock = threading.Lock()

    def check(self, fact, holds, detail=""):
        told = "" if holds or str(detail) == "" else f"\n{detail}".replace("\n", "\n      | ")
        with self._lock:
            print(f"{'ok   ' if holds else 'FAIL '} {fact}{told}", flush=True)
            self.failed += 0 if holds else 1
        return holds


def cf_facts(facts, what, *paths):
    """A file of some kind keeps to the convention that it names."""
    found = [line for path in paths for line in cf_rules.faults(path)]
    facts.check(f"{what} keeps to the CF conventions", not found, "\n".join(found))


def side_by_side(*calls):
    """Results of the calls, made at once: for what mostly waits, as a caller does who insists."""
    with ThreadPoolExecutor(len(calls)) as pool:
        return [done.result() for done in [pool.submit(call) for call in calls]]


def psql():
    """PostgreSQL's own program where it is found: before it, Debian's of that name runs Perl, for five times as long."""
    return max(map(str, pathlib.Path("/usr/lib/postgresql").glob("*/bin/psql")), default="psql")


def local_caller(kaname, folder):
    """Calls kaname in the folder; gives what subprocess.run does."""
    def run(*arguments):
        return subprocess.run([kaname, *map(str, arguments)], cwd=folder, text=True,
                              capture_output=True, check=False)
    return run


def wait_until(what, seconds, condition, poll_s=0.05):
    """The condition's first true value; fails loudly when it does not come. A condition that starts programs leaves
    most of a core to what it waits for, but is asked four times a second at least."""
    deadline = time.monotonic() + seconds
    while (began := time.monotonic()) < deadline:
        value = condition()
        if value:
            return value
        time.sleep(max(poll_s, min(0.25, 3.0 * (time.monotonic() - began))))
    raise TimeoutError(f"{what}: not within {seconds} s")


class Unavailable(RuntimeError):
    """Exit code 5: the server could not be reached now; the same call may succeed later."""


class Service:
    def __init__(self, bin_dir, work, up_options=()):
        self.bin = pathlib.Path(bin_dir).resolve()
        self.work = pathlib.Path(work)
        self.state = self.work / "state"
        self.objects = self.state / "artifacts/objects"
        self.disk = None
        self.up_options = list(up_options)
        self.env = dict(os.environ, KANAME_STATE=str(self.state), OMP_WAIT_POLICY="passive")
        for name in ("KANAME_SERVER", "KANAME_TOKEN"):
            self.env.pop(name, None)

    def mount(self, megabytes):
        disk = self.work / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", disk],
                          capture_output=True, check=False).returncode == 0:
            self.disk = disk
        return self.disk

    def call(self, *arguments, env=None, timeout=600):
        return subprocess.run([self.bin / "kaname", *map(str, arguments)], cwd=self.work,
                              env={**self.env, **(env or {})}, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=timeout)

    def start(self, *arguments):
        return subprocess.Popen([self.bin / "kaname", *map(str, arguments)], cwd=self.work,
                                env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def json(self, *arguments):
        done = self.call(*arguments, "--json")
        if done.returncode:
            kind = Unavailable if done.returncode == 5 else RuntimeError
            raise kind(f"kaname {' '.join(map(str, arguments))}: exit {done.returncode}\n"
                       f"{done.stdout}{done.stderr}{self.log()}")
        return json.loads(done.stdout)

    def take_database(self):
        """Gives a first start the data folder that initdb and all migrations make, as a copy that takes a moment
        (tests/support/postgres/cluster_template.hpp): both take most of a first start's time. They are run as
        users run them by ClusterTest and server_program_test.py."""
        program = self.bin / "kaname-test-database"
        data = self.state / "postgres"
        if data.exists() or "--database" in self.up_options or not program.exists():
            return
        self.state.mkdir(parents=True, exist_ok=True)
        kept = program.resolve().parent.parent / "test_database"
        done = subprocess.run([program, kept, data], capture_output=True, text=True, check=False)
        if done.returncode:  # the server says more of it, or makes one
            print(f"      | {done.stderr}", flush=True)
            shutil.rmtree(data, ignore_errors=True)

    def up(self):
        self.take_database()
        done = self.call("up", *self.up_options)
        if done.returncode:
            raise RuntimeError(f"kaname up: exit {done.returncode}\n{done.stdout}{done.stderr}\n"
                               + self.log())
        return done

    def down(self):
        return self.call("down")

    def log(self):
        path = self.state / "server.log"
        return path.read_text(errors="replace")[-6000:] if path.exists() else "(no server.log)"

    # Processes of this service are known by its state folder in their command lines.
    def pids(self, program, *words):
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            with contextlib.suppress(OSError):
                argv = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
                if (pathlib.Path(argv[0]).name == program and str(self.state) in " ".join(argv)
                        and all(word in argv for word in words)):
                    found.append(int(entry.name))
        return found

    def kill(self, program, *words):
        """SIGKILL to every such process; returns how many there were."""
        pids = self.pids(program, *words)
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return len(pids)


@contextlib.contextmanager
def running_service(bin_dir, up_options=(), disk_mb=0):
    """A service that is stopped and removed afterwards, whatever happens. With `disk_mb` its results
    lie on a file system of that size, `service.disk`, where one can be mounted; else that is None."""
    for name in ("kaname", "kaname-server", "kaname-agent", "kaname-compute"):
        if not (pathlib.Path(bin_dir) / name).exists():
            print(f"{name} is not built in {bin_dir}")
            sys.exit(SKIP)
    work = tempfile.mkdtemp(prefix="kaname-e2e-")
    os.chmod(work, 0o755)  # the database's user must be able to reach its folder
    service = Service(bin_dir, work, up_options)
    if disk_mb and service.mount(disk_mb):
        service.up_options += ["--artifacts", service.disk / "artifacts"]
        service.objects = service.disk / "artifacts/objects"
    try:
        service.up()
        yield service
    finally:
        service.down()
        for program in ("kaname-server", "kaname-agent", "kaname-compute", "mpirun", "postgres"):
            service.kill(program)
        if service.disk:
            subprocess.run(["umount", "--lazy", service.disk], check=False)
        shutil.rmtree(work, ignore_errors=True)


def greens(path):
    with h5py.File(path) as file:
        return {"greens": file["greens"][()], "status": file["status"][()],
                "source": file["source"].asstr()[()].tolist(),
                "station": file["station"].asstr()[()].tolist()}


def difference(a, b):
    """Largest difference over the largest value; NaN in one only counts as infinite."""
    if a.shape != b.shape or (np.isnan(a) != np.isnan(b)).any():
        return float("inf")
    return float(np.nanmax(np.abs(a - b)) / np.nanmax(np.abs(b)))
