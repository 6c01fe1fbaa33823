#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Files that lead to others' files: canaries at twenty places of a service's machine leak nothing
through what reads HDF5, and the stages of a worker with two MPI ranks, which are confined, compute.

Usage: indirect_files_test.py BIN_DIR SOURCE_DIR. Prints one line per fact; exits 1 when one fails.
"""
import functools
import hashlib
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import h5py
import numpy as np

from service_harness import BAD_INPUT, Facts, running_service

CANARY = b"canary-5f1b8d02-97c3-4e6a"
VOXELS = (20, 20, 40)
GRID = """schema: kaname.v1.VoxelWaves
name: grid
model: {size_x_km: 2, size_y_km: 1, size_z_km: 1, spacing_m: 50, grid: rock.h5}
sources:
  - {id: shot, at: {x_km: 0.5, y_km: 0.5, z_km: 0.9}, force: {z_n: 1e6}, time_function: {kind: ricker, frequency_hz: 2}}
receivers:
  - {id: R1, at: {x_km: 1.5, y_km: 0.5, z_km: 1}}
time: {end_s: 1}
"""
MOST_PLACES = 20


def places(service):
    """Files that hold the canary or a secret of the service, with what must not be seen of them."""
    found = []
    for name in ("etc/secret", "etc/shadow", "root/.ssh/id", "home/else/notes", "var/lib/db",
                 "opt/app/.env", "srv/backup", "run/secrets/token", "tmp/other", "usr/local/etc/key"):
        path = service.work / "machine" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(CANARY * 4)
        path.chmod(0o600)
        found.append((path, CANARY))
    for name in ("client.json", "worker.token", "options.json", "server.log"):
        path = service.state / name
        found.append((path, path.read_bytes()[:24]))
    found += [(path, path.read_bytes()[:24])
              for path in itertools.islice((p for p in service.objects.rglob("*") if p.is_file()), 2)]
    for pid in service.pids("kaname-server")[:1]:
        for name in ("environ", "maps", "cmdline"):
            path = pathlib.Path(f"/proc/{pid}/{name}")
            found.append((path, CANARY if name == "environ" else path.read_bytes()[:24]))
    agents = [p for p in service.state.rglob("*.token") if "agents" in p.parts]
    found += [(path, path.read_bytes()[:24]) for path in agents]
    return found[:MOST_PLACES]


def lead_out(path, kind, other, names, shape=VOXELS):
    """An HDF5 file whose datasets of these names are the bytes of another file."""
    with h5py.File(path, "w") as file:
        for at, name in enumerate(names):
            if kind == "external_data":
                file.create_dataset(name, shape=shape, dtype=">u2",
                                    external=[(str(other), 2 * at, h5py.h5f.UNLIMITED)])
            elif kind == "external_link":
                file[name] = h5py.ExternalLink(str(other), "/x")
            else:
                layout = h5py.VirtualLayout(shape=shape, dtype=">u2")
                layout[...] = h5py.VirtualSource(str(other), "x", shape=shape)
                file.create_virtual_dataset(name, layout)


def seen_as(secret):
    """Ways in which the first bytes of a secret may be said: text, and numbers of one or two bytes."""
    one, two = list(secret[:3]), [256 * a + b for a, b in zip(secret[::2], secret[1::2])][:2]
    return [re.escape(secret[:12].decode(errors="replace")),
            r"\D+".join(map(str, one)), r"\D+".join(map(str, two))]


def stage_calls(service, evil):
    """Command lines of the stages of an agent, with the names of what they read first of a file."""
    folder = service.work / "stages"
    (folder / "work").mkdir(parents=True, exist_ok=True)
    data = folder / "data.csv"
    data.write_text("station,lon_deg,lat_deg,east_m,north_m,up_m\nA,135.1,34,0.1,0,0\n")
    greens = next(text for text in (p.read_text(errors="replace") for p in service.objects.rglob("*")
                                    if p.is_file() and p.stat().st_size < 10000)
                  if '"kaname.v1.GreensBatch"' in text)
    requests = {"solve": json.loads(greens), "mesh": json.loads(greens), "invert": {
        "schema": "kaname.v1.Inversion", "name": "x", "greens": {"path": "g.h5"},
        "data": [{"file": {"path": "d.csv"}, "sigma_east_m": 1, "sigma_north_m": 1, "sigma_up_m": 1}]}}
    requests["package"] = requests["solve"]
    structure = requests["mesh"]["structure"]
    del structure["layers"]
    structure |= {"surfaces": [{"name": "ground", "file": {"path": "g.h5"}},
                               {"name": "moho", "depth_m": 20000}], "free_surface": "ground",
                  "volumes": [{"name": "crust", "bottom": "moho", "material": "crust"},
                              {"name": "mantle", "material": "mantle"}]}
    names = {"mesh": ("lon", "lat", "z"), "solve": ("xyz", "tets"), "package": ("displacement_m",),
             "invert": ("greens", "lon")}
    inputs = folder / "inputs"
    inputs.write_text(f"mesh\t{evil}\n")

    def command(verb):
        request = requests[verb]
        for file, at in ([(structure["surfaces"][0]["file"], evil)] if verb == "mesh" else
                         [(request["greens"], evil), (request["data"][0]["file"], data)] if verb == "invert" else []):
            file["sha256"] = hashlib.sha256(at.read_bytes()).hexdigest()
            shutil.copy(at, folder / file["sha256"])
        (folder / f"{verb}.json").write_text(json.dumps(request))
        into = ("--work", folder / "work") if verb == "solve" else ("--out", folder / "work/out")
        return [verb, "--spec", folder / f"{verb}.json", "--files", folder, *into,
                *(("--inputs", inputs) if verb in ("solve", "package") else ())]

    return [(names[verb], verb, functools.partial(command, verb)) for verb in names]


def leak_facts(facts, service):
    compute, out = service.bin / "kaname-compute", service.work / "out"
    evil = service.work / "evil.h5"
    greens = ("greens", "source", "station", "epoch", "component", "source_x")
    waves = ("seismograms", "source", "receiver", "time")
    mesh = ("xyz", "tets", "material")
    calls = [(greens, "show", "--dataset"), (greens, "map", "--dataset"), (greens, "solves", "--dataset"),
             (greens, "slice", "--out", out, "--dataset"), (waves, "slice", "--out", out, "--dataset"),
             (greens, "export", "--to", "csi", "--out", out, "--dataset"), (waves, "xdmf", "--dataset"),
             (greens, "answer", "--out", out, "--rheology", "a=1e19", "--dataset"),
             (("slip", "source"), "slip-tables", "--out", out, "--dataset"),
             (mesh, "mesh-show", "--mesh"), (mesh, "mesh-check", "--mesh")]
    calls = [(names, call[0], functools.partial(list, (*call, evil))) for names, *call in calls]
    turn = itertools.cycle(calls + stage_calls(service, evil))
    kinds = itertools.cycle(("external_data", "external_link", "virtual"))
    (service.work / "grid.yaml").write_text(GRID)
    leaked, accepted, found, doors = [], [], places(service), set()
    for k, (path, secret) in enumerate(found):
        texts = []
        for (names, verb, command), kind in zip(itertools.islice(turn, 2), kinds):
            lead_out(evil, kind, path, names)
            done = subprocess.run([compute, *command()], capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, errors="replace", check=False)
            texts.append((f"{verb} of {kind}", done))
            doors.add(verb)
        kind = next(kinds)
        next(kinds)  # so that every reader meets every kind
        lead_out(service.work / "rock.h5", kind, path, ("vp", "vs"))
        with h5py.File(service.work / "rock.h5", "a") as file:
            file["density"] = np.full(VOXELS, -1.0)
        command = ("submit", "validate")[k % 2]  # checked by the server, or by this program
        texts.append((f"{command} of {kind}", service.call(command, "grid.yaml")))
        for what, done in texts:
            said = done.stdout + done.stderr
            if done.returncode != BAD_INPUT or not re.search(r"must hold (its values itself|them itself)", said):
                accepted.append((what, path, done.returncode, said[-300:]))
            said = said.replace(str(path), "")
            if any(re.search(way, said) for way in seen_as(secret)):
                leaked.append((what, path, said[-300:]))
        for file in out.rglob("*") if out.is_dir() else [out] if out.exists() else ():
            if file.is_file() and secret[:12] in file.read_bytes():
                leaked.append(("a file", path, file))
    facts.check(f"{len(found)} places are tried", len(found) == MOST_PLACES, found)
    facts.check(f"by {len(calls) + 4} readers, validate and submit", len(doors) >= len(calls) + 3, doors)
    facts.check("every reader refuses every file that leads there", not accepted, accepted[:5])
    facts.check("no byte of any of them is told", not leaked, leaked[:5])


def stage_facts(facts, service, data):
    log = service.state / "agents" / "local-1.log"
    done = service.call("submit", data / "tiny.yaml", "--wait", "--output", "tiny", timeout=300)
    facts.check("a job is computed by two ranks that are confined", done.returncode == 0,
                done.stdout + done.stderr + (log.read_text() if log.exists() else ""))
    if "not confined: this kernel has no Landlock" in log.read_text():
        print("      this kernel confines nobody")
        return
    facts.check("the agent says that its stages are confined",
                "kaname-compute is confined to the files of its tasks" in log.read_text(),
                log.read_text())
    server = (service.state / "server.log").read_text()
    facts.check("the server says that its helpers are confined",
                "helpers are confined to the files that they need" in server, server)
    ranks = service.pids("kaname-compute", "solve")
    modes = [re.search(r"NoNewPrivs:\s+(\d)", pathlib.Path(f"/proc/{p}/status").read_text())[1]
             for p in ranks]
    facts.check("two ranks wait for the next pack, and gain no rights", modes == ["1", "1"], modes)


def main():
    bin_dir, source_dir = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    facts = Facts()
    os.environ["KANAME_TEST_SECRET"] = CANARY.decode()
    with running_service(bin_dir, ["--workers", "1", "--ranks", "2"]) as service:
        stage_facts(facts, service, source_dir / "tests/e2e/data")
        leak_facts(facts, service)
    return 1 if facts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
