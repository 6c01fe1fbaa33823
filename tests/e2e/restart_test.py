#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""kill -9 in the middle of a pack, alone and under a server: it goes on at its checkpoint.
Solves have 20 steps: what only shows after more checkpoints than these is not seen here.

Usage: restart_test.py BIN_DIR SOURCE_DIR. Prints one line per fact; exits 1 when one fails.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from service_harness import (NOT_FOUND, SKIP, Facts, difference, greens,
                             running_service, wait_until)

TOLERANCE = 1e-8  # the specification's solver.tolerance; equal means ten times that
STEPS = 20
CUT = 5  # the solve ends when the checkpoint of this step, or a later one, is told
PATIENCE_S = 600

# Stands between its caller and kaname-compute. While the file CUT is there, the first solve that
# tells of a checkpoint late enough takes the file away and is killed (or stopped, where it says so).
WRAPPER = """#!/usr/bin/python3
import json, os, signal, subprocess, sys
REAL, MARK, CUT = {real!r}, {mark!r}, {cut}
if "solve" not in sys.argv[1:2] or not os.path.exists(MARK):
    os.execv(REAL, [REAL] + sys.argv[1:])
child = subprocess.Popen([REAL] + sys.argv[1:], stdout=subprocess.PIPE, text=True)
for line in child.stdout:
    sys.stdout.write(line)
    sys.stdout.flush()
    event = json.loads(line[8:]) if line.startswith("@kaname ") else {{}}
    if event.get("type") == "checkpoint" and event["step"] >= CUT and os.path.exists(MARK):
        stop = open(MARK).read() == "stop"
        os.remove(MARK)
        child.send_signal(signal.SIGSTOP if stop else signal.SIGKILL)
os.kill(os.getpid(), signal.SIGKILL) if child.wait() < 0 else sys.exit(child.returncode)
"""


def request_of(data, folder, name, checkpoint, tolerance="1e-8"):
    """Batches of one tolerance share their sources; other digits of it change no value that counts, so that one
    unbroken run is the reference of all."""
    text = (data / "tiny.yaml").read_text()
    for old, new in {"name: tiny": f"name: {name}",
                     "time: {step_years: 1, end_years: 3": f"solver: {{tolerance: {tolerance}}}\n\n"
                     f"time: {{step_years: {3 / STEPS:g}, end_years: 3"}.items():
        assert old in text, old
        text = text.replace(old, new)
    text += f"\noutput: {{checkpoint: {checkpoint}, checkpoint_interval_s: 0}}\n"
    path = folder / f"{name}.yaml"
    path.write_text(text)
    return path


def cut_programs(bin_dir, folder):
    """Copies of the programs whose kaname-compute is the wrapper, and its mark."""
    programs = folder / "bin"
    programs.mkdir()
    for name in ("kaname", "kaname-server", "kaname-agent"):
        shutil.copy2(pathlib.Path(bin_dir) / name, programs / name)
    database = pathlib.Path(bin_dir).resolve() / "kaname-test-database"
    if database.exists():
        (programs / database.name).symlink_to(database)  # its copies lie beside the real programs
    mark = folder / "cut"
    wrapper = programs / "kaname-compute"
    wrapper.write_text(WRAPPER.format(
        real=str((pathlib.Path(bin_dir) / "kaname-compute").resolve()), mark=str(mark), cut=CUT))
    wrapper.chmod(0o755)
    return programs, mark


def run(programs, folder, *arguments):
    return subprocess.run([programs / "kaname", "run", *map(str, arguments), "--threads",
                           "1", "--json"], cwd=folder, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=PATIENCE_S)


def alone(facts, bin_dir, programs, mark, folder, data):
    whole = run(pathlib.Path(bin_dir), folder, request_of(data, folder, "whole", "auto"), "--output", "whole")
    facts.check("an unbroken run ends well", whole.returncode == 0, whole.stderr)
    for checkpoint, ranks in (("auto", 2), ("full", 1)):
        name = f"alone-{checkpoint}"
        request = request_of(data, folder, name, checkpoint)
        mark.write_text("kill")
        cut = run(programs, folder, request, "--output", name)
        left = folder / name / "work/sources/checkpoint.h5"
        facts.check(f"{name}: a killed run leaves a checkpoint and no dataset",
                    cut.returncode != 0 and left.exists()
                    and not (folder / name / "greens.h5").exists(), cut.stderr)
        done = run(programs, folder, "--resume", name, "--ranks", ranks)
        if not facts.check(f"{name}: --resume ends well", done.returncode == 0, done.stderr):
            continue
        step = json.loads(done.stdout)["solve"]["resumed_step"]
        facts.check(f"{name}: it goes on with step {step}", CUT < step <= STEPS, done.stdout)
        one, other = greens(folder / "whole/greens.h5"), greens(folder / name / "greens.h5")
        off = difference(one["greens"], other["greens"])
        facts.check(f"{name}: the dataset is right (off by {off:.1e})", off <= 10 * TOLERANCE)
        if checkpoint == "full":
            facts.check(f"{name}: bit for bit", (one["greens"] == other["greens"]).all())
        again = run(programs, folder, "--resume", name)
        facts.check(f"{name}: nothing is left to go on from", again.returncode == NOT_FOUND
                    and "must be the folder of an interrupted run" in again.stdout + again.stderr,
                    again.stdout + again.stderr)
    return greens(folder / "whole/greens.h5")["greens"]


def ends_resumed(facts, service, name, whole, job, least):
    done = service.call("watch", job, "--json", timeout=PATIENCE_S)
    facts.check(f"{name}: the job ends well", done.returncode == 0, done.stdout + service.log())
    log = service.call("logs", job, "--source", "s00d00/rake_0").stdout
    steps = [int(step) for step in re.findall(r"resumed at step (\d+) of", log)]
    facts.check(f"{name}: the next attempt goes on with step {steps}",
                len(steps) == 1 and least <= steps[0] <= STEPS, log)
    got = service.call("download", job, "--output", f"{name}.h5")
    if facts.check(f"{name}: the dataset is there", got.returncode == 0, got.stderr):
        off = difference(greens(service.work / f"{name}.h5")["greens"], whole)
        facts.check(f"{name}: the dataset is right (off by {off:.1e})", off <= 10 * TOLERANCE)


def artifacts(service):
    return {p for p in (service.state / "artifacts").rglob("*")
            if p.is_file() and re.fullmatch("[0-9a-f]{64}", p.name)}


def under_a_server(facts, programs, mark, data, whole):
    with running_service(programs, ["--ranks", "1", "--threads", "1", "--lease-s", "3"]) as service:
        request = request_of(data, service.work, "ranks", "auto")
        mark.write_text("kill")
        job = service.json("submit", request)["id"]
        ends_resumed(facts, service, "ranks", whole, job, CUT + 1)

        request = request_of(data, service.work, "worker", "auto", "1.0001e-8")
        before = artifacts(service)
        mark.write_text("stop")
        job = service.json("submit", request)["id"]
        wait_until("the solve to stop", PATIENCE_S, lambda: not mark.exists())
        # specification and checkpoint; the mesh is that of the job before, and no result is there yet
        wait_until("its checkpoint on the server", PATIENCE_S,
                   lambda: len(artifacts(service) - before) >= 2)
        killed = service.kill("kaname-agent")
        service.kill("kaname-compute", "solve")  # stopped; may have gone with its agent
        facts.check("worker: killed after a checkpoint", killed == 1)
        ends_resumed(facts, service, "worker", whole, job, 1)  # of any checkpoint
        # specification, two sources and dataset: no checkpoint is left
        wait_until("the end of all checkpoints", PATIENCE_S,
                   lambda: len(artifacts(service) - before) == 4)
        facts.check("checkpoints are gone with their tasks", True)


def main():
    bin_dir, source_dir = sys.argv[1:3]
    for name in ("kaname", "kaname-compute"):
        if not (pathlib.Path(bin_dir) / name).exists():
            print(f"{name} is not built in {bin_dir}")
            return SKIP
    data = pathlib.Path(source_dir) / "tests/e2e/data"
    facts = Facts()
    with tempfile.TemporaryDirectory(prefix="kaname-restart-") as folder:
        folder = pathlib.Path(folder)
        folder.chmod(0o755)
        programs, mark = cut_programs(bin_dir, folder)
        whole = alone(facts, bin_dir, programs, mark, folder, data)
        under_a_server(facts, programs, mark, data, whole)
    return 1 if facts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
