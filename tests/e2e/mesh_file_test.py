#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The example with a Gmsh mesh: run without a server and through the service, and its errors. Slip models of each kind
both ways.

Usage: mesh_file_test.py BIN_DIR SOURCE_DIR. Prints one line per fact; exits 1 when one fails.
"""
import pathlib
import shutil
import subprocess
import sys

import h5py
import numpy as np

from service_harness import BAD_INPUT, Facts, difference, greens, running_service
from slip_model_files import slip_model_facts

# FP64 sums in another order against the same solve; the tolerance of a solve.
SAME, SOLVED = 1e-8, 1e-6


def write(folder, name, text, old, new):
    assert old in text, old
    (folder / name).write_text(text.replace(old, new))
    return name


def run_facts(facts, service):
    done = service.call("run", "two_faults.yaml", "--output", "one", "--ranks", "1")
    facts.check("a run with a mesh file succeeds", done.returncode == 0, done.stderr)
    data = greens(service.work / "one/greens.h5")
    facts.check("sources have the names of the specification",
                data["source"] == ["strand", "thrust", "both"] and (data["status"] == 1).all())
    strand, thrust, both = data["greens"]
    off = np.abs(strand + thrust - both).max() / np.abs(both).max()
    facts.check(f"two faults in one mesh add up (off by {off:.1e})", off < SOLVED)
    east = data["station"].index("E2")
    facts.check("the east side of the strand moves to the north, as left-lateral slip has it",
                strand[0, east, 1] > 0.3 and strand[0, data["station"].index("W5"), 1] < -0.1)
    facts.check("the mantle relaxes", np.abs(thrust[-1] - thrust[0]).max() > 1e-4)
    with h5py.File(service.work / "one/greens.h5") as file:
        facts.check("the dataset says that it has no projection and what its unit is",
                    file.attrs["crs"] == "none" and file.attrs["unit"] == "m"
                    and "crs" not in file and "station_lon" not in file
                    and file["station_x"][east] == 2000.0)
    shown = service.call("show", "one/greens.h5")
    facts.check("show gives x and y", "x     2.000 y     1.000 km" in shown.stdout, shown.stdout)
    done = service.call("run", "two_faults.yaml", "--output", "two", "--ranks", "2")
    two = greens(service.work / "two/greens.h5")
    off = difference(two["greens"], data["greens"])
    facts.check(f"two ranks give the same (off by {off:.1e})", off < SOLVED, done.stderr)


def scenario_facts(facts, service, text):
    """A scenario on the same mesh, whose bottom rises as a table says; the volume of both."""
    work = service.work
    (work / "rise.csv").write_text("x_m,y_m,z_m,up_m\n" + "".join(
        f"{x},{y},-20000,{0.001 * (x + 20000) / 40000}\n"
        for x in (-21000, 21000) for y in (-21000, 21000)))
    head, tail = text.split("fault:")[0], text.split("stations:")[1]
    scenario = (head.replace("GreensBatch", "Scenario") + """fault: {mesh: {surfaces: [{name: strand, strike_deg: 0}, thrust]}}
events: [{name: shock, slip_model: thrust.csv, format: points}]
output: {volume: {epochs_years: [0, 1]}}
boundaries:
  surfaces:
    - {name: bottom, displacement: {file: rise.csv, components: [up]}, fixed: [east, north]}
    - {name: sides, fixed: [east, north]}
stations:""" + tail)
    (work / "scenario.yaml").write_text(scenario)
    done = service.call("run", "scenario.yaml", "--output", "scenario")
    if not facts.check("a scenario takes mesh.file, displacement.file and output.volume together",
                       done.returncode == 0, done.stderr):
        return
    facts.check("it says on which fault the points slip", "fault 'thrust'" in done.stderr,
                done.stderr)
    again = service.call("run", "scenario.yaml", "--output", "scenario")
    facts.check("the same scenario takes the place of its dataset", again.returncode == 0, again.stderr)
    data = greens(work / "scenario/greens.h5")
    total, shock, sides = data["greens"]
    facts.check("its rows are the sum, the event and the sides",
                data["source"] == ["total", "shock", "boundary"]
                and np.abs(total - shock - sides).max() < 1e-9 and np.abs(sides).max() > 1e-4)
    with h5py.File(work / "scenario/greens.h5") as file:
        xyz, u = file["volume/xyz"][()], file["volume/displacement"][()]
    low = xyz[:, 2] < xyz[:, 2].min() + 1.0
    rise = 0.001 * (xyz[low, 0] + 20000) / 40000
    off = np.abs(u[-1, low, 2] - rise).max()
    facts.check(f"the volume's bottom rises as the table says (off by {off:.1e})", off < 1e-7)


def moment_facts(facts, service, text):
    """A moment tensor in a mesh of one's own moves the ground as in the same rock in layers."""
    work = service.work / "moment"
    work.mkdir()
    make = pathlib.Path(__file__).resolve().parents[2] / "docs/examples/mesh/make_mesh.py"
    subprocess.run([sys.executable, make, work, "16"], check=True)
    head = text.split("fault:")[0].replace("GreensBatch", "Scenario")
    rest = """events:
  - {name: blast, at: {lon_deg: 142, lat_deg: 38, depth_km: 5}, moment: {xx_n_m: 1e17, yy_n_m: 1e17, zz_n_m: 1e17}}
stations:
  list:
    - {id: W5, lon_deg: 141.943, lat_deg: 38}
    - {id: E12, lon_deg: 142.137, lat_deg: 38}
"""
    sides = "boundaries: {surfaces: [{name: bottom, kind: fixed}, {name: sides, fixed: [east, north]}]}\n"
    placed = head.replace("{crs: none}", "{centre_lon_deg: 142, centre_lat_deg: 38}")
    (work / "file.yaml").write_text(placed + sides + rest)
    (work / "layers.yaml").write_text(placed.replace("38}", "38, size_east_km: 40, size_north_km: 40, depth_km: 20}")
        .replace("mesh: {file: model.msh}", """  layers: [{material: crust, bottom_depth_km: 10}, {material: mantle}]
mesh: {size_at_fault_km: 1, size_far_km: 4}
boundaries: {west: &s {fixed: [east, north]}, east: *s, south: *s, north: *s, bottom: fixed}""") + rest)
    motion = {}
    for name in ("file", "layers"):
        done = service.call("run", f"moment/{name}.yaml", "--output", f"moment/{name}")
        if not facts.check(f"a moment tensor runs with {name}", done.returncode == 0, done.stderr):
            return
        motion[name] = greens(work / name / "greens.h5")["greens"][0]
    off = difference(motion["file"], motion["layers"])
    facts.check(f"a moment tensor moves the ground of a mesh file as that of layers (off by {off:.1e})", off < 0.03)
    (work / "none.yaml").write_text(head + sides + rest.replace("lon_deg: 141.943, lat_deg: 38", "x_km: -5, y_km: 0")
                                    .replace("lon_deg: 142.137, lat_deg: 38", "x_km: 12, y_km: 0"))
    done = service.call("run", "moment/none.yaml", "--output", "moment/none")
    facts.check("without a projection it is refused once, with what to do",
                done.returncode == BAD_INPUT and done.stderr.count("error:") == 1
                and "events[0].moment: must be left out where region.crs is none" in done.stderr
                and "centre_lon_deg" in done.stderr, done.stderr)


def service_facts(facts, service):
    done = service.call("submit", "two_faults.yaml", "--wait", "--output", "served")
    facts.check("the service takes mesh and tables", done.returncode == 0,
                done.stderr + service.log())
    off = difference(greens(service.work / "served/greens.h5")["greens"],
                     greens(service.work / "one/greens.h5")["greens"])
    facts.check(f"the service computes what run computes (off by {off:.1e})", off <= SAME)
    table = (service.work / "thrust.csv").read_text().splitlines()
    (service.work / "thrust.csv").write_text("\n".join(table + ["# the same", ""]))
    report = service.json("submit", "two_faults.yaml", "--wait", "--output", "changed")["report"]
    facts.check("another table computes the sources that use it, and nothing else",
                report["created"] == 3 and report["reused"] == 2, report)


def error_facts(facts, service, text):
    def fails(fact, name, *words):
        done = service.call("run", name, "--output", "bad")
        facts.check(fact, done.returncode == BAD_INPUT and all(w in done.stderr for w in words),
                    done.stderr)
        if service.pids("kaname-server"):
            done = service.call("submit", name)
            facts.check(fact + ", at submit", done.returncode == BAD_INPUT
                        and all(w in done.stderr for w in words), done.stderr)

    work = service.work
    fails("a name that the file does not have is listed with those it has",
          write(work, "name.yaml", text, "name: bottom", "name: botom"),
          "boundaries.surfaces[0]", "'botom'", "'bottom', 'sides', 'strand', 'thrust', 'top'")
    fails("a vertical fault needs a strike",
          write(work, "strike.yaml", text, "{name: strand, strike_deg: 0}", "strand"),
          "fault.mesh.surfaces[0]", "vertical", "strike_deg")
    slip = (work / "strand.csv").read_text()
    write(work, "rim.csv", slip, "0,0.0,10,0.000000,0", "0,0.0,10,0.750000,0")
    fails("slip on a buried rim is named with its place",
          write(work, "rim.yaml", text, "- {name: strand, slip: [{surface: strand, file: strand",
                "- {name: strand, slip: [{surface: strand, file: rim"),
          "fault.mesh.sources[0].slip[0]", "0.750000 m at (0.000, 0.000, -10000.000) m")
    mesh = (work / "model.msh").read_text()
    (work / "cut.msh").write_text(mesh[:len(mesh) // 2])
    fails("a cut file is named with section and line",
          write(work, "cut.yaml", text, "model.msh", "cut.msh"), "mesh.file", "$", "line ")
    fails("a station beside the mesh is named",
          write(work, "station.yaml", text, "x_km: 12", "x_km: 21"), "stations.list[2]", "'E12'")


def main():
    bin_dir, source_dir = sys.argv[1:3]
    example = pathlib.Path(source_dir) / "docs/examples/mesh"
    text = (example / "two_faults.yaml").read_text()
    facts = Facts()
    with running_service(bin_dir, ["--threads", "1"]) as service:
        shutil.copy(example / "two_faults.yaml", service.work)
        subprocess.run([sys.executable, example / "make_mesh.py", service.work], check=True)
        run_facts(facts, service)
        scenario_facts(facts, service, text)
        moment_facts(facts, service, text)
        service_facts(facts, service)
        error_facts(facts, service, text)
        slip_model_facts(facts, service)
    return 1 if facts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
