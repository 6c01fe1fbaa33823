#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The page of a real server with a finished, a failed and a running job, for every role.

Usage: page_service_test.py BIN_DIR SOURCE_DIR [parts]. Prints one line per fact; exits 1 when one fails.
"""
import contextlib
import itertools
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading

import page_harness as harness

BIN = pathlib.Path(sys.argv[1]).resolve()
SOURCE = pathlib.Path(sys.argv[2]).resolve()
sys.path.insert(0, str(SOURCE / "tests/e2e"))
import h5py  # noqa: E402
from service_harness import DENIED, SKIP, running_service  # noqa: E402

HOSTILE = "<img src=x onerror=window.harmed=1>"
UP = ["--workers", "1", "--threads", "1"]
GRID = {"rake_deg: [0, 90]": "n_strike: 2\n    n_dip: 2\n    components: [dip_slip]",
        "size_at_fault_km: 10": "size_at_fault_km: 5"}

GPU = "GPU-aaaaaaaa-0000-0000-0000-000000000000"
NVML = BIN / "libkaname_fake_nvml.so"
PROBE = f"""#!/bin/sh
echo '@kaname {{"type":"result","verb":"probe","result":{{"device":"cuda","reason":"","gpus":[{{"uuid":"{GPU}","name":"made up"}}]}}}}'
"""


@contextlib.contextmanager
def worker_with_gpu(service):
    """An agent with a made-up GPU (tests/support/fake_nvml) that claims nothing: no task is of its pool."""
    compute = service.work / "compute"
    compute.write_text(PROBE)
    compute.chmod(0o755)
    address = json.loads((service.state / "client.json").read_text())["address"]
    with open(service.work / "agent.log", "w") as log:
        agent = subprocess.Popen(
            [BIN / "kaname-agent", "--server", address, "--token-file", service.state / "worker.token", "--name", "made-up",
             "--work", service.work / "agent", "--pools", "none", "--compute", compute],
            env=dict(os.environ, KANAME_NVML=str(NVML)), stderr=log)
    try:
        yield
    finally:
        agent.terminate()
        agent.wait()


@contextlib.contextmanager
def solves_at_leisure(service):
    """The job that runs meanwhile works a tenth of the time: nobody looks at how far it comes."""
    over = threading.Event()

    def breathe():
        for sign, pause_s in itertools.cycle(((signal.SIGSTOP, 0.9), (signal.SIGCONT, 0.1))):
            for pid in service.pids("kaname-compute", "solve"):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, sign)
            if over.wait(pause_s) and sign == signal.SIGCONT:
                return
    breathing = threading.Thread(target=breathe)
    breathing.start()
    try:
        yield
    finally:
        over.set()
        breathing.join()


def request(service, name, **changes):
    text = (SOURCE / "tests/e2e/data/tiny.yaml").read_text()
    for old, new in {"name: tiny": f"name: {name}", **GRID, **changes}.items():
        assert old in text, old
        text = text.replace(old, new)
    path = service.work / f"{name}.yaml"
    path.write_text(text)
    return path


def motion(path, station):
    """[epoch][component] of the first source, and its id; whether the hostile station is there, and how many are."""
    with h5py.File(path) as file:
        ids = file["station"].asstr()[()].tolist()
        values = file["greens"][0, :, ids.index(station), :]
        return file["source"].asstr()[0], values.tolist(), HOSTILE in ids, len(ids)


def main():
    harness.chromium()
    if not NVML.exists():
        print(f"skipped: {NVML} is not built")
        return SKIP
    tools = harness.packages(SOURCE / "tests/page", BIN.parent / "page_tests", "the tests")
    with running_service(BIN, UP) as service, worker_with_gpu(service):
        tokens = {role: service.call("token", "make", name, "--role", role).stdout.strip()
                  for role, name in (("viewer", "vera"), ("user", "ada"), ("operator", "otto"), ("admin", "anna"))}
        station = f'- {{id: "{HOSTILE}", lon_deg: 135.12, lat_deg: 33.95}}\n    - {{id: W10'
        done = request(service, "page-done", **{"- {id: W10": station})
        checked = service.call("validate", done)
        if checked.returncode:  # ids of stations are words: then no such name can come
            done = request(service, "page-done")
        done = service.json("submit", done, "--wait", "--output", "done")["id"]
        source, values, hostile, stations = motion(service.work / "done/greens.h5", "E20")
        failed = service.call("submit", request(service, "page-failed", **{
            "mesh: {": "solver: {max_iterations: 1}\n\nmesh: {"}), "--wait", "--json")
        failed = json.loads(failed.stdout)["id"] if failed.stdout else service.json("list")["jobs"][0]["id"]
        running = request(service, "page-running", **{"step_years: 1, ": "step_years: 0.0002, "})
        queued = service.call("submit", running, "--json", env={"KANAME_TOKEN": tokens["user"]})
        assert queued.returncode == 0, queued.stdout + queued.stderr
        running = json.loads(queued.stdout)["id"]
        refused = service.call("cancel", running, env={"KANAME_TOKEN": tokens["viewer"]})
        assert refused.returncode == DENIED, refused.stdout + refused.stderr
        backup = service.work / "backup"
        service.json("admin", "backup", backup)
        printed = service.call("page", "--print")
        url = next(word for word in printed.stdout.split() if "#login=" in word).split("/#")[0]
        config = service.work / "config.json"
        config.write_text(json.dumps({
            "bin": str(BIN), "state": str(service.state), "url": url, "tokens": tokens, "up": UP,
            "gpu": GPU, "backup": str(backup), "jobs": {"done": done, "failed": failed, "running": running},
            "source": source, "motion": values, "hostile_station": hostile, "stations": stations}))
        with solves_at_leisure(service):
            return harness.run_node(SOURCE / "tests/page/service_page.mjs", config, *sys.argv[3:],
                                    packages_at=tools)


if __name__ == "__main__":
    sys.exit(main())
