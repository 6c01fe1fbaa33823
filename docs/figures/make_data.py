#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the jobs behind the figures and writes data/*.csv and the picture of a mesh.

Usage: make_data.py BIN_DIR [NAME]...; default: all. pgv takes two minutes on one core, the others
half a minute together.
"""
import csv
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile

import h5py
import numpy as np
from PIL import Image

DATA = pathlib.Path(__file__).resolve().parent / "data"
VISCOSITIES = ("1e18", "1e19", "1e20")
YEAR_S = 365.25 * 86400.0


def run(program, work, *words):
    subprocess.run([program, *words], cwd=work, check=True, stdout=subprocess.DEVNULL)


def write(name, header, rows):
    with open(DATA / name, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(header)
        table.writerows(rows)


def postseismic(kaname, work):
    """Writes the motion of each station for 1 m of slip and each viscosity."""
    shutil.copy(DATA / "postseismic.yaml", work)
    run(kaname, work, "run", "--threads", "1", "postseismic.yaml")
    (work / "rheologies.csv").write_text("mantle\n" + "\n".join(VISCOSITIES) + "\n")
    (work / "one.csv").write_text("source,slip_m\ns00d00/rake_90,1\n")
    run(kaname, work, "answer", "postseismic/greens.h5", "--table", "rheologies.csv", "--slip",
        "one.csv", "-o", "answers.h5")
    with h5py.File(work / "answers.h5") as file:
        motion, years = file["displacement"][:], file["epoch"][:] / YEAR_S
        stations = [s.decode() for s in file["station"][:]]
    write("postseismic.csv", ["viscosity_pa_s", "station", "years", "east_m", "north_m", "up_m"],
          [[viscosity, station, f"{t:.2f}", *(f"{v:.5f}" for v in motion[i, j, k])]
           for i, viscosity in enumerate(VISCOSITIES) for k, station in enumerate(stations)
           for j, t in enumerate(years)])


def true_slip(source):
    """Returns the made-up slip of a source, a bump in the upper half of the fault [m]."""
    column, row = int(source[1:3]), int(source[4:6])
    return 3.0 * math.exp(-((column - 3) / 1.6) ** 2 - ((row - 1.2) / 1.0) ** 2)


def slip(kaname, work):
    """Writes slip, resolution and the L-curve of an inversion of made-up offsets."""
    for name in ("greens.yaml", "slip.yaml"):
        shutil.copy(DATA / name, work)
    rng = np.random.default_rng(3)
    places = np.column_stack([141.4 + 1.9 * rng.random(40), 37.2 + 1.6 * rng.random(40)])
    with open(work / "stations.csv", "w", encoding="utf-8") as file:
        print("station,lon_deg,lat_deg", file=file)
        for k, (lon, lat) in enumerate(places):
            print(f"S{k:03d},{lon:.3f},{lat:.3f}", file=file)
    run(kaname, work, "run", "--threads", "1", "greens.yaml")
    with h5py.File(work / "greens/greens.h5") as file:
        greens, sources = file["greens"][:, 0], [s.decode() for s in file["source"][:]]
    motion = np.einsum("s,skc->kc", [true_slip(s) for s in sources], greens)
    motion += rng.normal(size=motion.shape) * [0.004, 0.004, 0.01]
    with open(work / "offsets.csv", "w", encoding="utf-8") as file:
        print("station,east_m,north_m,up_m,sigma_east_m,sigma_north_m,sigma_up_m", file=file)
        for k, values in enumerate(motion):
            print(f"S{k:03d}", *(f"{v:.4f}" for v in values), "0.004,0.004,0.01", sep=",",
                  file=file)
    run(kaname, work, "invert", "slip.yaml", "--threads", "1")
    with h5py.File(work / "slip/inversion.h5") as file:
        names = [s.decode() for s in file["source"][:]]
        found, resolution = file["slip"][0], file["resolution_diagonal"][0]
        lon, lat = file["outline_lon"][:], file["outline_lat"][:]
        choice = {key: file["choice"][key][:].ravel()
                  for key in ("smoothness", "misfit", "roughness")}
        chosen = float(file.attrs["chosen_smoothness"])
    write("slip.csv", ["source", "true_m", "slip_m", "resolution"]
          + [f"{axis}{corner}_deg" for corner in range(4) for axis in ("lon", "lat")],
          [[name, f"{true_slip(name):.3f}", f"{found[i]:.3f}", f"{resolution[i]:.3f}",
            *(f"{v:.4f}" for pair in zip(lon[i], lat[i]) for v in pair)]
           for i, name in enumerate(names)])
    write("stations.csv", ["lon_deg", "lat_deg"], [[f"{a:.3f}", f"{b:.3f}"] for a, b in places])
    write("l_curve.csv", ["smoothness", "misfit", "roughness", "chosen"],
          [[f"{s:g}", f"{m:.5g}", f"{r:.5g}", int(abs(math.log(s / chosen)) < 1e-6)]
           for s, m, r in zip(*choice.values())])


def pgv(kaname, work):
    """Writes the peak velocity of every triangle of the ground."""
    text = (DATA / "pgv.yaml").read_text()
    (work / "pgv.yaml").write_text(text.replace("../../", f"{DATA.parents[1]}/"))
    run(kaname, work, "run", "--threads", "1", "pgv.yaml")
    with h5py.File(work / "pgv/seismograms.h5") as file:
        ground = file["ground"]
        middle = ground["xyz"][:][ground["triangles"][:]].mean(axis=1) / 1e3
        peak = ground["peak_velocity"][0, :, 0]
    write("pgv.csv", ["east_km", "north_km", "pgv_m_per_s"],
          [[f"{x:.1f}", f"{y:.1f}", f"{v:.4f}"] for (x, y, _), v in zip(middle, peak)])


def coulomb(kaname, work):
    """Writes means of the elements near 8 km depth over cells of 2.5 km."""
    shutil.copy(DATA / "coulomb.yaml", work)
    run(kaname, work, "run", "--threads", "1", "coulomb.yaml")
    with h5py.File(work / "coulomb/greens.h5") as file:
        volume = file["volume"]
        east, north, up = volume["xyz"][:][volume["tets"][:]].mean(axis=1).T / 1e3
        stress = volume["receiver/parallel/coulomb"][0] / 1e6
    cells = {}
    for k in np.flatnonzero((abs(up + 8) < 1.5) & (abs(east) < 50) & (abs(north) < 30)):
        cell = (math.floor(east[k] / 2.5), math.floor(north[k] / 2.5))
        cells.setdefault(cell, []).append(stress[k])
    write("coulomb.csv", ["east_km", "north_km", "coulomb_mpa"],
          [[2.5 * i + 1.25, 2.5 * j + 1.25, f"{np.mean(values):.3f}"]
           for (i, j), values in sorted(cells.items())])


def mesh_section(kaname, work):
    """Writes docs/images/mesh_section.png, the mesh of docs/user/request.md."""
    page = (DATA.parents[1] / "user/request.md").read_text()
    (work / "first.yaml").write_text(page.split("```yaml\n")[1].split("```")[0])
    run(kaname, work, "mesh", "build", "first.yaml", "-o", "first.h5")
    run(sys.executable, work, DATA.parents[2] / "deploy/scripts/plot_mesh_section.py", "first.h5",
        "--from=-80/0", "--to=80/0", "--depth", "60", "-o", "section.png")
    picture = Image.open(work / "section.png").convert("RGB")
    small = picture.resize((1000, 1000 * picture.height // picture.width), Image.LANCZOS)
    palette = small.quantize(200, Image.Quantize.FASTOCTREE)
    palette.save(DATA.parents[1] / "images/mesh_section.png", optimize=True)


JOBS = {"postseismic": postseismic, "slip": slip, "coulomb": coulomb, "mesh_section": mesh_section,
        "pgv": pgv}


def main():
    kaname = pathlib.Path(sys.argv[1]).resolve() / "kaname"
    for name in sys.argv[2:] or JOBS:
        with tempfile.TemporaryDirectory() as folder:
            JOBS[name](kaname, pathlib.Path(folder))


if __name__ == "__main__":
    main()
