#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Waves on tetrahedra through the service: meshed once, solved four at a time, streamed, downloaded.

Usage: seismic_test.py BIN_DIR SOURCE_DIR. Prints one line per fact; exits 1 when one fails.
"""
import pathlib
import subprocess
import sys

import h5py
import numpy as np

from service_harness import BAD_INPUT, Facts, cf_facts, running_service

SUPPORT = pathlib.Path(__file__).resolve().parents[1] / "support"
SPEC = """schema: kaname.v1.SeismicWaves
name: cube
region: {centre_lon_deg: 135, centre_lat_deg: 34, size_east_km: 4, size_north_km: 4, depth_km: 3}
structure:
  materials:
    - {name: layer, vp_km_per_s: 4, vs_km_per_s: 2, density_g_per_cm3: 2.6}
    - {name: rock, vp_km_per_s: 6, vs_km_per_s: 3.464, density_g_per_cm3: 2.7}
  layers:
    - {material: layer, bottom_depth_km: 1}
    - {material: rock}
mesh: {max_frequency_hz: 1, elements_per_wavelength: 2}
SOURCES
receivers:
  - {id: R1, at: {x_km: 0.5, y_km: 0.9}}
  - {id: R2, at: {x_km: -0.7, y_km: 0.2, z_km: -0.4}}
time: {end_s: 1.2, interval_s: 0.02}
solver: {order: 2}
output: {snapshots_s: [0.5, 1], volume: true}
"""
SOURCE = ("  - {id: S%d, at: {x_km: %g, y_km: 0.1, z_km: -1.5}, moment: {xy_n_m: 1e15}, "
          "time_function: {kind: gaussian, width_s: 0.2, centre_s: 0.5}}\n")


def request_of(folder, name, places):
    text = "sources:\n" + "".join(SOURCE % (k, x) for k, x in enumerate(places))
    path = folder / f"{name}.yaml"
    path.write_text(SPEC.replace("SOURCES\n", text).replace("name: cube", f"name: {name}"))
    return path


def motion(path):
    with h5py.File(path, "r") as file:
        return file["seismograms"][:]


def same(a, b):
    return a.shape == b.shape and np.abs(a - b).max() < 1e-4 * np.abs(b).max()


def service_facts(facts, service):
    five = request_of(service.work, "five", [-0.8, -0.4, 0, 0.37, 0.8])
    done = service.call("submit", five, "--wait", "--output", "five")
    facts.check("submit --wait ends in seismograms", done.returncode == 0,
                done.stderr + service.log())
    local = service.call("run", five, "--output", "local")
    facts.check("run computes them too", local.returncode == 0, local.stderr)
    served, here = (motion(service.work / folder / "seismograms.h5")
                    for folder in ("five", "local"))
    facts.check("both are the same, five sources, two receivers, three components",
                served.shape == (5, 2, 3, 61) and same(served, here), served.shape)
    facts.check("every source moves every receiver", np.abs(served).max(axis=(2, 3)).min() > 0.0)
    cf_facts(facts, "a file of seismograms on tetrahedra", service.work / "five/seismograms.h5")
    ranks = service.call("run", five, "--output", "ranks", "--ranks", "2")
    facts.check("two ranks make the same", ranks.returncode == 0 and same(
        motion(service.work / "ranks/seismograms.h5"), served), ranks.stderr)

    more = request_of(service.work, "more", [-0.8, -0.4, 0, 0.37, 0.8, 0.6])
    report = service.json("submit", more, "--wait", "--output", "more")["report"]
    facts.check("of six sources the five that were there and the mesh are not made again",
                report["reused"] == 6 and report["created"] == 2, report)
    again = service.json("submit", five, "--wait", "--output", "five")["report"]
    facts.check("the same again computes nothing", again["created"] == 0, again)


def tool_facts(facts, service):
    page = subprocess.run(
        [sys.executable, SUPPORT / "check_dataset.py", "--page=seismic.md", "--all",
         "five/seismograms.h5"],
        cwd=service.work, text=True, check=False, capture_output=True)
    facts.check("every variable stands in docs/user/seismic.md with its dimensions and units",
                page.returncode == 0, page.stdout + page.stderr)
    file = "five/seismograms.h5"
    shown = service.json("show", file)
    facts.check("show says what was solved", shown["quantity"] == "velocity"
                and shown["unit"] == "m s-1" and shown["order"] == 2 and shown["elements"] > 100,
                shown)
    few = ["--source", "S3", "--station", "R2", "--seconds", "0.6:0.8"]
    table = service.call("slice", file, *few)
    served = service.call("slice", "five", *few)
    facts.check("a slice of the file and of the server are one table",
                table.stdout.startswith("source,time_s,receiver,x,y,z\nS3,0.6,R2,")
                and served.stdout == table.stdout, table.stdout + served.stdout + served.stderr)
    asked = service.call("estimate", "five.yaml").stdout
    facts.check("estimate tells elements and clusters", "elements" in asked
                and "clusters of elements by their steps" in asked and "5 in 2 packs" in asked,
                asked)
    facts.check("stream ends with the job", service.call("stream", "five").returncode == 0)
    for layout, count in (("sac", 5 * 2 * 3), ("miniseed", 5)):
        report = service.json("export", file, "--to", layout, "--output", layout)
        facts.check(f"export --to {layout} writes {count} files, four tables and a manifest",
                    len(report["written"]) == count + 5, report)
    rows = (service.work / "sac/receivers.csv").read_text().splitlines()
    lon, lat = (float(cell) for cell in rows[1].split(",")[5:7])
    facts.check("whose receivers have the longitudes and latitudes of their x and y",
                abs((lon - 135.0) * 92.39 - 0.5) < 0.005 and abs((lat - 34.0) * 110.92 - 0.9) < 0.005,
                rows[:2])
    report = service.json("export", file, "--to", "vtu", "--output", "vtu")
    facts.check("export --to vtu writes ground and elements of each source and snapshot",
                len(report["written"]) == 2 * (5 * 2 + 1) + 1, report)
    manifest = (service.work / "sac/manifest.json").read_text()
    facts.check("whose units are those of the seismograms", '"units": "m s-1"' in manifest,
                manifest)
    written = service.json("xdmf", file)["written"]
    text = (service.work / written[0]).read_text()
    facts.check("xdmf has the ground of each source", written[0].endswith(
        "five/seismograms_ground.xdmf") and text.count("<Time ") == 5 * 2, written)
    picture = service.call("plot", file, "--source", "S2", "--component", "x", "--output", "p.png")
    facts.check("plot draws them", picture.returncode == 0
                and (service.work / "p.png").stat().st_size > 10000, picture.stderr)


def error_facts(facts, service):
    text = (service.work / "five.yaml").read_text().replace("name: five", "name: bad")

    def refused(old, new, *words):
        assert old in text, old
        (service.work / "bad.yaml").write_text(text.replace(old, new))
        said = service.call("submit", "bad.yaml", "--wait")
        facts.check(f"{new}: {' ... '.join(words)}", said.returncode == BAD_INPUT
                    and all(word in said.stderr for word in words), said.stderr)

    refused("x_km: 0.5", "x_km: 2.5", "receivers[0].at", "x within -2000 to 2000 m")
    refused("order: 2", "order: 9", "solver.order", "2..7")
    refused("vs_km_per_s: 2,", "vs_km_per_s: 20,", "vp_m_per_s")
    refused("elements_per_wavelength: 2", "elements_per_wavelength: 2, max_elements: 100",
            "mesh.max_elements", "about", "at most 100 are possible")
    refused("density_g_per_cm3: 2.6", "density_g_per_cm3: 2.6, qp: -5, qs: 3", "qp", "must be > 0")


def main():
    facts = Facts()
    with running_service(sys.argv[1], ["--threads", "1", "--device", "cpu"]) as service:
        service_facts(facts, service)
        tool_facts(facts, service)
        error_facts(facts, service)
    return 1 if facts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
