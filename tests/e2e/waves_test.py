#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Waves on voxels through the service: submitted, solved four at a time, streamed, downloaded.

Usage: waves_test.py BIN_DIR SOURCE_DIR. Prints one line per fact; exits 1 when one fails.
"""
import pathlib
import subprocess
import sys

import h5py
import numpy as np

from service_harness import BAD_INPUT, Facts, cf_facts, running_service

SUPPORT = pathlib.Path(__file__).resolve().parents[1] / "support"
SPEC = """schema: kaname.v1.VoxelWaves
name: block
model:
  size_x_mm: 80
  size_y_mm: 40
  size_z_mm: 60
  spacing_mm: 4
  materials:
    - {name: concrete, vp_m_per_s: 4200, vs_m_per_s: 2500, density_kg_per_m3: 2300}
    - {name: steel, vp_m_per_s: 5900, vs_m_per_s: 3200, density_kg_per_m3: 7850}
  fill: concrete
  shapes:
    - {material: steel, cylinder: {axis: y, centre: {x_mm: 40, z_mm: 20}, radius_mm: 12}}
fixed: [bottom_corners]
damping: {ratio: 0.01, from_khz: 20, to_khz: 60}
SOURCES
receivers:
  - {id: P1, at: {x_mm: 10, y_mm: 13, z_mm: 60}}
  - {id: P2, at: {x_mm: 61, y_mm: 20, z_mm: 60}}
time: {end_us: 60, step_us: 0.4, every: 2}
output: {snapshots_us: [20, 40], snapshot_stride: 2}
"""
REGION = """schema: kaname.v1.VoxelWaves
name: region
region: {centre_lon_deg: 135.5, centre_lat_deg: 34, size_east_km: 4, size_north_km: 4, depth_km: 2,
  azimuth_deg: 30}
structure:
  materials: [{name: rock, vp_km_per_s: 5, vs_km_per_s: 2.9, density_g_per_cm3: 2.6}]
  layers: [{material: rock}]
model: {spacing_m: 200}
sources:
  - {id: S0, at: {lon_deg: 135.5, lat_deg: 34, depth_km: 1}, force: {z_n: 1e12},
     time_function: {kind: ricker, frequency_hz: 1}}
receivers: [{id: P0, at: {lon_deg: 135.51, lat_deg: 34.01}}]
time: {end_s: 0.5}
"""
SOURCE = ("  - {id: S%d, at: {x_mm: %g, y_mm: 20, z_mm: 60}, force: {z_n: 1}, "
          "time_function: {kind: ricker, frequency_khz: 40}}\n")


def request_of(folder, name, places):
    text = "sources:\n" + "".join(SOURCE % (k, x) for k, x in enumerate(places))
    path = folder / f"{name}.yaml"
    path.write_text(SPEC.replace("SOURCES\n", text).replace("name: block", f"name: {name}"))
    return path


def motion(path):
    with h5py.File(path, "r") as file:
        return file["seismograms"][:]


def service_facts(facts, service):
    five = request_of(service.work, "five", [10, 24, 40, 55.5, 71])
    done = service.call("submit", five, "--wait", "--output", "five")
    facts.check("submit --wait ends in seismograms", done.returncode == 0,
                done.stderr + service.log())
    local = service.call("run", five, "--output", "local")
    facts.check("run computes them too", local.returncode == 0, local.stderr)
    served, here = motion(service.work / "five/seismograms.h5"), motion(
        service.work / "local/seismograms.h5")
    facts.check("both are the same numbers, five sources, two receivers, three components",
                served.shape == (5, 2, 3, 76) and np.array_equal(served, here), served.shape)
    facts.check("every source moves every receiver", np.abs(served).max(axis=(2, 3)).min() > 0.0)
    cf_facts(facts, "a file of seismograms on voxels", service.work / "five/seismograms.h5")
    ranks = service.call("run", five, "--output", "ranks", "--ranks", "2")
    facts.check("two ranks make the same numbers", ranks.returncode == 0 and np.array_equal(
        motion(service.work / "ranks/seismograms.h5"), served), ranks.stderr)

    more = request_of(service.work, "more", [10, 24, 40, 55.5, 71, 62])
    report = service.json("submit", more, "--wait", "--output", "more")["report"]
    facts.check("of six sources the five that were there are not solved again",
                report["reused"] == 5 and report["created"] == 2, report)
    facts.check("and have the same motion",
                np.array_equal(motion(service.work / "more/seismograms.h5")[:5], served))
    again = service.json("submit", five, "--wait", "--output", "five")["report"]
    facts.check("the same again computes nothing", again["created"] == 0, again)


def tool_facts(facts, service):
    (service.work / "region.yaml").write_text(REGION)
    done = service.call("run", "region.yaml", "--output", "region")
    facts.check("run solves a region", done.returncode == 0, done.stderr)
    with h5py.File(service.work / "region/seismograms.h5", "r") as file:
        places = [file[f"{kind}_{axis}"][0] for kind in ("source", "receiver")
                  for axis in ("lon", "lat")]
        facts.check("whose places have their longitudes and latitudes, and the frame its azimuth",
                    np.allclose(places, (135.5, 34, 135.51, 34.01), rtol=0, atol=1e-6)
                    and abs(file.attrs["region_azimuth"] - 30) < 1e-9, places)
    page = subprocess.run(
        [sys.executable, SUPPORT / "check_dataset.py", "--page=waves.md", "--all",
         "five/seismograms.h5", "region/seismograms.h5"],
        cwd=service.work, text=True, check=False, capture_output=True)
    facts.check("every variable stands in docs/user/waves.md with its dimensions and units",
                page.returncode == 0, page.stdout + page.stderr)
    file = "five/seismograms.h5"
    shown = service.json("show", file)
    facts.check("show lists sources and receivers",
                len(shown["sources"]) == 5 and shown["receivers"][1]["id"] == "P2", shown)
    few = ["--source", "S3", "--station", "P2", "--seconds", "8e-6:12e-6"]
    table = service.call("slice", file, *few)
    rows = table.stdout.splitlines()
    moved = motion(service.work / file)[3, 1, :, 10:16]
    facts.check("slice reads some samples of a receiver", rows[0] == "source,time_s,receiver,x,y,z"
                and np.allclose([[float(v) for v in row.split(",")[3:]] for row in rows[1:]],
                                moved.T, rtol=1e-6, atol=0.0), table.stdout + table.stderr)
    served = service.call("slice", "five", *few)
    facts.check("and the server's slice is the same table", served.stdout == table.stdout,
                served.stdout + served.stderr)
    asked = service.call("estimate", "five.yaml").stdout
    facts.check("estimate tells steps in seconds", "150 of 4e-07 s" in asked
                and "5 in 2 packs" in asked, asked)
    stream = service.call("stream", "five")
    facts.check("stream ends with the job", stream.returncode == 0, stream.stderr)
    for layout, count in (("sac", 5 * 2 * 3), ("miniseed", 5)):
        report = service.json("export", file, "--to", layout, "--output", layout)
        files = list((service.work / layout).iterdir())
        facts.check(f"export --to {layout} writes {count} files, two tables and a manifest",
                    len(files) == count + 3 == len(report["written"]), report)
    for _ in range(2):  # its own file is written again
        written = service.json("xdmf", file)["written"]
    text = (service.work / written[0]).read_text()
    facts.check("xdmf has the snapshots of each source", written[0].endswith(
        "five/seismograms_snapshots.xdmf") and text.count("<Time ") == 5 * 2, written)
    service.json("files", file, "--output", "again")
    same = [service.json("validate", path)["content_hash"]
            for path in ("five.yaml", "again/request.yaml")]
    facts.check("files gives the specification back", same[0] == same[1], same)
    picture = service.call("plot", file, "--source", "S2", "--component", "x", "--output", "p.png")
    facts.check("plot draws them", picture.returncode == 0
                and (service.work / "p.png").stat().st_size > 10000, picture.stderr)
    wrong = service.call("plot", file, "--component", "w")
    facts.check("plot names the components", wrong.returncode == BAD_INPUT
                and "x or y or z" in wrong.stderr, wrong.stderr)


def campaign_facts(facts, service):
    (service.work / "bars.yaml").write_text("""schema: kaname.v1.Campaign
name: bars
base: five.yaml
vary:
  - {name: bar_x, key: 'model.shapes[0].cylinder.centre.x_mm', values: [30, 40]}
""")
    done = service.call("campaign", "run", "bars.yaml", "--wait", "--output", "bars")
    files = sorted(path.name for path in (service.work / "bars/members").glob("*"))
    facts.check("a campaign moves a shape", done.returncode == 0
                and files == ["bar_x=30.h5", "bar_x=40.h5"], done.stderr)
    there, here = (motion(service.work / "bars/members" / name) for name in files)
    facts.check("its members differ, and the one of the base has the base's motion",
                not np.array_equal(there, here)
                and np.array_equal(here, motion(service.work / "five/seismograms.h5")))


def python_facts(facts, service, package):
    if not (package / "kaname/_proto/kaname/v1/jobs_service_pb2_grpc.py").exists():
        print(f"skip  the Python package is not built in {package}")
        return
    (service.work / "open.py").write_text("""import kaname, numpy as np
here, wire = kaname.open("five/seismograms.h5"), kaname.open(kaname.connect().job("five"))
assert isinstance(wire, kaname.Seismograms), wire
assert np.array_equal(here.traces("S3", "x"), wire.traces("S3", "x"))
assert np.array_equal(here.snapshots.displacement[2, 1], wire.snapshots.displacement[2, 1])
for source in kaname.connect().job("five").stream():
    assert np.array_equal(source.greens.transpose(1, 2, 0).astype("f4"), here.traces(source.id))
""")
    done = subprocess.run([sys.executable, "open.py"], cwd=service.work, text=True, check=False,
                          capture_output=True,
                          env={**service.env, "PYTHONPATH": str(package)})
    facts.check("kaname.open reads seismograms of a file and of a job", done.returncode == 0,
                done.stderr)


def error_facts(facts, service):
    text = (service.work / "five.yaml").read_text().replace("name: five", "name: bad")

    def refused(old, new, *words):
        assert old in text, old
        (service.work / "bad.yaml").write_text(text.replace(old, new))
        said = service.call("submit", "bad.yaml", "--wait")
        facts.check(f"{new}: {' ... '.join(words)}", said.returncode == BAD_INPUT
                    and all(word in said.stderr for word in words), said.stderr)

    refused("step_us: 0.4", "step_us: 4", "time.step_s", "must be at most")
    refused("x_mm: 61", "x_mm: 81", "receivers[1].at", "x within 0 to 0.08 m")
    refused("x_mm: 24", "x_mm: -1", "sources[1].at", "x within 0 to 0.08 m")
    refused("density_kg_per_m3: 2300", "density_kg_per_m3: 0", "density_kg_per_m3", "must be > 0")
    refused("size_y_mm: 40", "size_y_mm: 42", "model.size_y_m", "whole number of voxels")
    (service.work / "fast.yaml").write_text(
        text.replace("name: bad", "name: fast").replace("frequency_khz: 40",
                                                         "frequency_khz: 120"))
    warned = service.call("validate", "fast.yaml")
    facts.check("a source beyond the grid is warned of with the voxels per wavelength",
                "voxels in a wavelength" in warned.stdout + warned.stderr,
                warned.stdout + warned.stderr)


def main():
    facts = Facts()
    with running_service(sys.argv[1], ["--threads", "1", "--device", "cpu"]) as service:
        service_facts(facts, service)
        tool_facts(facts, service)
        python_facts(facts, service, pathlib.Path(sys.argv[1]).resolve().parent / "python")
        campaign_facts(facts, service)
        error_facts(facts, service)
    return 1 if facts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
