#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A spontaneous rupture through the service and without it: meshed once, solved, packed, drawn.

Usage: rupture_test.py BIN_DIR SOURCE_DIR. Prints one line per fact; exits 1 when one fails.
"""
import pathlib
import subprocess
import sys

import h5py
import numpy as np

from service_harness import BAD_INPUT, Facts, cf_facts, running_service

SUPPORT = pathlib.Path(__file__).resolve().parents[1] / "support"
SPEC = """schema: kaname.v1.Rupture
name: square
box: {size_x_km: 12, size_y_km: 10, depth_km: 8}
structure:
  materials:
    - {name: rock, vp_km_per_s: 6, vs_km_per_s: 3.464, density_kg_per_m3: 2670}
  layers:
    - {material: rock}
mesh: {max_frequency_hz: 1, elements_per_wavelength: 2}
faults:
  - id: main
    plane: {at: {x_km: 0, y_km: 0}, top_depth_km: 0, strike_deg: 90, dip_deg: 90, length_km: 6, width_km: 4}
    element_size_m: 900
    friction: {static: 0.677, dynamic: 0.525, slip_weakening_m: 0.1}
    stress: {normal_mpa: -120, strike_mpa: -75}
    patches:
      - {along_km: 0, down_km: 2, length_km: 2, width_km: 2, stress: {strike_mpa: -83}}
receivers:
  - {id: R1, at: {x_km: 1.5, y_km: 2}}
  - {id: R2, at: {x_km: 1.5, y_km: -2}}
fault_receivers:
  - {id: F1, along_km: 2, down_km: 2}
time: {end_s: 2, interval_s: 0.02}
solver: {order: 3}
fault_output: {snapshots_s: [0.5, 1]}
"""


def service_facts(facts, service):
    (service.work / "square.yaml").write_text(SPEC)
    done = service.call("submit", "square.yaml", "--wait", "--output", "served")
    facts.check("submit --wait ends in a rupture", done.returncode == 0,
                done.stderr + service.log())
    local = service.call("run", "square.yaml", "--output", "local")
    facts.check("run computes it too", local.returncode == 0, local.stderr)
    with h5py.File(service.work / "served/rupture.h5") as file:
        served = {name: file[name][:] for name in ("seismograms", "rupture/slip")}
        magnitude = float(file.attrs["magnitude"])
        times = file["rupture/rupture_time"][:]
    with h5py.File(service.work / "local/rupture.h5") as file:
        facts.check("both are the same", all(
            np.abs(served[name] - file[name][:]).max() <= 1e-4 * np.abs(served[name]).max()
            for name in served))
    cf_facts(facts, "a file of a rupture", service.work / "served/rupture.h5")
    facts.check("the fault slips and moves the ground", 5.0 < magnitude < 6.5
                and np.abs(served["seismograms"]).max(axis=(0, 2, 3)).min() > 0.0, magnitude)
    reached = times[np.isfinite(times) & (times >= 0.0)]
    facts.check("the rupture runs over the fault, not at once",
                reached.size > 0.8 * times.size and reached.min() < 0.2 < reached.max(),
                (reached.size, times.size))
    again = service.json("submit", "square.yaml", "--wait", "--output", "served")["report"]
    facts.check("the same again computes nothing", again["created"] == 0, again)
    weaker = SPEC.replace("dynamic: 0.525", "dynamic: 0.55")
    (service.work / "weaker.yaml").write_text(weaker.replace("name: square", "name: weaker"))
    report = service.json("submit", "weaker.yaml", "--wait", "--output", "weaker")["report"]
    facts.check("another friction takes the mesh that is there",
                report["reused"] == 1 and report["created"] == 2, report)
    facts.check("stream ends with the job", service.call("stream", "weaker").returncode == 0)


def tool_facts(facts, service):
    file = "served/rupture.h5"
    page = subprocess.run(
        [sys.executable, SUPPORT / "check_dataset.py", "--page=seismic.md",
         "--page=rupture_dataset.md", file],
        cwd=service.work, text=True, check=False, capture_output=True)
    facts.check("every variable stands in seismic.md or rupture_dataset.md of docs/user",
                page.returncode == 0, page.stdout + page.stderr)
    shown = service.json("show", file)
    facts.check("show says what was solved", shown["order"] == 3 and shown["elements"] > 100, shown)
    asked = service.call("estimate", "square.yaml").stdout
    facts.check("estimate tells elements", "elements" in asked, asked)
    picture = service.call("plot", file, "--output", "p.png")
    facts.check("plot draws slip, rupture times and seismograms", picture.returncode == 0
                and (service.work / "p.png").stat().st_size > 30000, picture.stderr)
    written = service.json("xdmf", file)["written"]
    facts.check("xdmf has the faults", any(name.endswith("rupture_rupture.xdmf")
                                           for name in written), written)
    scec = service.json("export", file, "--to", "scec", "--output", "scec")
    facts.check("export --to scec writes the receiver on the fault", any(
        "F1" in str(name) for name in scec["written"]), scec)


def error_facts(facts, service):
    def refused(old, new, *words):
        assert old in SPEC, old
        (service.work / "bad.yaml").write_text(SPEC.replace(old, new).replace("square", "bad"))
        said = service.call("submit", "bad.yaml", "--wait")
        facts.check(f"{new}: {' ... '.join(words)}", said.returncode == BAD_INPUT
                    and all(word in said.stderr for word in words), said.stderr)

    refused("dynamic: 0.525", "dynamic: 0.8", "faults[0].friction.dynamic", "<= static")
    refused("along_km: 2, down_km: 2}\n", "along_km: 4, down_km: 2}\n", "fault_receivers[0]",
            "must lie on its fault")
    refused("length_km: 6,", "length_km: 16,", "faults[0]", "must lie inside the box")
    refused("depth_km: 8", "depth_km: 0", "box.depth_m", "must be > 0")


def main():
    facts = Facts()
    with running_service(sys.argv[1], ["--threads", "1", "--device", "cpu"]) as service:
        service_facts(facts, service)
        tool_facts(facts, service)
        error_facts(facts, service)
    return 1 if facts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
