#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws docs/images/landing.png: a thrust fault in a layered Earth and what stations do in 10 years.

Usage, from the root of the repository: docs/figures/landing.py [folder of kaname]   (default:
build/bin). Runs one small scenario (some ten seconds on one core) and draws its dataset.
"""
import pathlib
import subprocess
import sys
import tempfile

import h5py
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURE = ROOT / "docs/images/landing.png"

LON, LAT, KM_PER_DEG = 140.0, 36.0, 111.2
PLATE_KM, BOTTOM_KM = 30.0, 90.0       # the elastic plate; how deep the picture goes
TOP_KM, DIP_DEG, LENGTH_KM, WIDTH_KM, SLIP_M = 4.0, 30.0, 160.0, 40.0, 3.0
WEST_KM, EAST_KM, NORTH_KM = -120.0, 190.0, 130.0
KM_PER_M = 36.0                        # length of an arrow
COLOURS = {"crust": "#e9e2d0", "mantle": "#c9d8e6", "ground": "#f7f4ec", "fault": "#b2182b",
           "first": "#222222", "later": "#e69f00"}


def stations():
    """(id, km east, km north) of a grid of stations, without those on the trace of the fault."""
    for row, north in enumerate((7.0, 44.0, 81.0, 118.0)):
        for column, east in enumerate(np.arange(-96.0, 190.0, 38.0)):
            yield f"S{row}{column}", east, north


def request():
    """The scenario as text: the fault's middle lies below (LON, LAT)."""
    lines = [f"    - {{id: {name}, lon_deg: {LON + east / KM_PER_DEG / np.cos(np.radians(LAT)):.5f}, "
             f"lat_deg: {LAT + north / KM_PER_DEG:.5f}}}" for name, east, north in stations()]
    centre_km = TOP_KM + 0.5 * WIDTH_KM * np.sin(np.radians(DIP_DEG))
    return f"""schema: kaname.v1.Scenario
name: landing
region: {{centre_lon_deg: {LON}, centre_lat_deg: {LAT}, size_east_km: 2200, size_north_km: 2200, depth_km: 1100}}
structure:
  materials:
    - {{name: plate, vp_km_per_s: 6.5, vs_km_per_s: 3.7, density_g_per_cm3: 2.8}}
    - {{name: mantle, vp_km_per_s: 8.0, vs_km_per_s: 4.5, density_g_per_cm3: 3.3, viscosity_pa_s: 5e18}}
  layers:
    - {{material: plate, bottom_depth_km: {PLATE_KM}}}
    - {{material: mantle}}
events:
  - name: earthquake
    patches:
      - {{lon_deg: {LON}, lat_deg: {LAT}, depth_km: {centre_km}, length_km: {LENGTH_KM}, width_km: {WIDTH_KM},
         strike_deg: 0, dip_deg: {DIP_DEG}, rake_deg: 90, slip_m: {SLIP_M}}}
stations:
  list:
""" + "\n".join(lines) + """
mesh: {size_at_fault_km: 5, size_far_km: 200, growth: 0.4,
       sizes_by_depth: [{depth_km: 30, size_km: 50, reach_km: 480}]}
time: {step_years: 1, end_years: 10, epochs_years: [0, 10]}
"""


def motion(programs):
    """{station: (east, north) at once and after 10 years, in metres}."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "landing.yaml").write_text(request())
        subprocess.run([programs / "kaname", "run", folder / "landing.yaml", "--output",
                        folder / "out", "--threads", "1"], check=True)
        with h5py.File(folder / "out/greens.h5") as data:
            total = [name.decode() for name in data["source"][:]].index("total")
            ids = [name.decode() for name in data["station"][:]]
            return dict(zip(ids, np.moveaxis(data["greens"][total], 1, 0)))


def place(east, north, depth=0.0):
    """Where a point stands in the picture: north goes to the upper right, as in a sketch."""
    return east + 0.52 * north, 0.50 * north - depth


def polygon(axes, points, **style):
    axes.fill(*zip(*[place(*point) for point in points]), **style)


def block(axes):
    for top, bottom, colour in ((0.0, PLATE_KM, "crust"), (PLATE_KM, BOTTOM_KM, "mantle")):
        polygon(axes, [(WEST_KM, 0, top), (EAST_KM, 0, top), (EAST_KM, 0, bottom),
                       (WEST_KM, 0, bottom)], facecolor=COLOURS[colour], edgecolor="#777777", lw=0.8)
        polygon(axes, [(EAST_KM, 0, top), (EAST_KM, NORTH_KM, top), (EAST_KM, NORTH_KM, bottom),
                       (EAST_KM, 0, bottom)], facecolor=COLOURS[colour], edgecolor="#777777", lw=0.8)
    polygon(axes, [(WEST_KM, 0), (EAST_KM, 0), (EAST_KM, NORTH_KM), (WEST_KM, NORTH_KM)],
            facecolor=COLOURS["ground"], edgecolor="#777777", lw=0.8)
    axes.text(*place(WEST_KM + 5, 0, PLATE_KM - 9), f"elastic plate, {PLATE_KM:.0f} km", fontsize=9)
    axes.text(*place(WEST_KM + 5, 0, BOTTOM_KM - 18),
              "viscoelastic mantle,\nviscosity 5 x 10$^{18}$ Pa s", fontsize=9, linespacing=1.3)
    for depth in (0, PLATE_KM, 60, BOTTOM_KM):
        x, y = place(WEST_KM, 0, depth)
        axes.plot([x - 3, x], [y, y], color="#777777", lw=0.8)
        axes.text(x - 5, y, f"{depth:.0f}", ha="right", va="center", fontsize=8)
    x, y = place(WEST_KM, 0, 0.5 * BOTTOM_KM)
    axes.text(x - 24, y, "depth [km]", rotation=90, ha="center", va="center", fontsize=8)


def fault(axes):
    dip = np.radians(DIP_DEG)
    half = 0.5 * WIDTH_KM * np.cos(dip)
    bottom = TOP_KM + WIDTH_KM * np.sin(dip)
    polygon(axes, [(-half, 0), (half, 0), (half, 0.5 * LENGTH_KM), (-half, 0.5 * LENGTH_KM)],
            facecolor="none", edgecolor=COLOURS["fault"], lw=1.0, ls=(0, (4, 3)))
    axes.plot(*zip(place(-half, 0, TOP_KM), place(half, 0, bottom)), color=COLOURS["fault"], lw=3)
    along = np.array([np.cos(dip), np.sin(dip)])
    for side, sense in ((-1, 1), (1, -1)):
        middle = np.array([0.0, 0.5 * (TOP_KM + bottom)]) + side * 5.0 * np.array(
            [-along[1], along[0]])
        ends = [middle + 9.0 * sense * along, middle - 9.0 * sense * along]
        axes.annotate("", xy=place(ends[1][0], 0, ends[1][1]), xytext=place(ends[0][0], 0, ends[0][1]),
                      arrowprops={"arrowstyle": "-|>", "color": COLOURS["fault"], "lw": 1.1})
    axes.text(*place(half + 9, 0, bottom - 3), f"fault: {SLIP_M:.0f} m of slip", fontsize=9,
              color=COLOURS["fault"], va="center")


def arrows(axes, moved):
    style = {"angles": "xy", "scale_units": "xy", "scale": 1.0, "headwidth": 4, "headlength": 5,
             "headaxislength": 4.5}
    for epoch, colour, width, order in ((1, "later", 0.0042, 3), (0, "first", 0.0030, 4)):
        rows = []
        for name, east, north in stations():
            x, y = place(east, north)
            head = place(east + KM_PER_M * moved[name][epoch][0],
                         north + KM_PER_M * moved[name][epoch][1])
            rows.append((x, y, head[0] - x, head[1] - y))
        axes.quiver(*np.array(rows).T, color=COLOURS[colour], width=width, zorder=order, **style)
    axes.plot(*zip(*[place(east, north) for _, east, north in stations()]), "o", ms=3.2, mfc="white",
              mec="#222222", mew=0.8, ls="none", zorder=5)
    x, y = place(WEST_KM - 60, NORTH_KM + 58)
    for row, (colour, text) in enumerate((("first", "right after the earthquake"),
                                          ("later", "10 years later, earthquake included"))):
        axes.quiver([x], [y - 13 * row], [KM_PER_M], [0.0], color=COLOURS[colour],
                    width=0.0030 if row == 0 else 0.0042, **style)
        axes.text(x + KM_PER_M + 6, y - 13 * row,
                  ("1 m of horizontal motion, " if row == 0 else "") + text, va="center", fontsize=9)
    axes.plot([x + 285], [y], "o", ms=3.2, mfc="white", mec="#222222", mew=0.8)
    axes.text(x + 291, y, "station", va="center", fontsize=9)
    axes.annotate("", xy=place(EAST_KM + 2, NORTH_KM + 30), xytext=place(EAST_KM + 2, NORTH_KM + 8),
                  arrowprops={"arrowstyle": "-|>", "color": "#222222", "lw": 1.0})
    axes.text(*place(EAST_KM + 3, NORTH_KM + 35), "N", fontsize=9, ha="center")


def main():
    programs = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/bin").resolve()
    moved = motion(programs)
    figure, axes = plt.subplots(figsize=(8.4, 4.5))
    block(axes)
    fault(axes)
    arrows(axes, moved)
    axes.set_aspect("equal")
    axes.axis("off")
    figure.savefig(PICTURE, dpi=110, bbox_inches="tight", pad_inches=0.05,
                   metadata={"Software": None})
    print(f"{PICTURE}: {PICTURE.stat().st_size} bytes")


if __name__ == "__main__":
    main()
