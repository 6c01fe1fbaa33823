#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws docs/images/fault_files.png: made-up traces as planes, and patches on a made-up slab.

Usage, from the root of the repository: docs/figures/fault_files.py [folder of the Python package] [OUT.png]   (default:
build/python docs/images/fault_files.png).
"""
import pathlib
import sys
import tempfile

import matplotlib
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/python"))
import invented_faults as made  # noqa: E402

matplotlib.use("Agg")


def traces(folder):
    """Writes two faults that bend, 60 and 40 km long, of which the western one dips to the west."""
    lat = np.linspace(37.7, 38.25, 40)
    west = np.column_stack([142.0 + 0.06 * np.sin(5.0 * (lat - 37.7)), lat])
    lat = np.linspace(37.8, 38.15, 30)
    east = np.column_stack([142.35 + 0.25 * (lat - 37.8) ** 1.5, lat])
    return made.geojson(folder / "gem.geojson", ([west.tolist()], made.gem(name="Western", average_dip="(45,,)")),
                        ([east.tolist()], made.gem(name="Eastern", average_dip="(70,,)", dip_dir="E", slip_type="Normal")))


def slab():
    """Returns an interface that is steeper with depth and bends along strike."""
    from kaname.data.fault import DepthGrid

    lon, lat = np.meshgrid(np.arange(140.0, 144.01, 0.05), np.arange(36.0, 40.01, 0.05))
    down = 143.4 + 0.25 * np.sin(1.2 * (lat - 36.5)) - lon
    depth = 1e3 * (8.0 + 12.0 * down + 5.0 * np.maximum(down, 0.0) ** 2)
    depth[(depth < 8e3) | (depth > 80e3)] = np.nan
    return DepthGrid("slab", lon[0], lat[:, 0], depth, 183.0, 14.0)


def main():
    package = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/python")
    out = sys.argv[2] if len(sys.argv) > 2 else ROOT / "docs/images/fault_files.png"
    sys.path.insert(0, str(package))
    import matplotlib.pyplot as plt

    from kaname.data import fault
    from kaname.data.fault import picture

    figure, axes = plt.subplots(1, 2, figsize=(11.0, 4.8), constrained_layout=True)
    with tempfile.TemporaryDirectory() as folder:
        found = fault.read_traces(traces(pathlib.Path(folder)), {})
    taken = set()
    planes = [plane for trace in found for plane in trace.rectangles(2e3, taken)]
    picture.draw(f"{len(found)} traces become {len(planes)} planes", planes=planes, traces=found, axes=axes[0])
    grid = slab()
    patches = fault.lay_patches(grid, 20e3, 8e3, 50e3)
    picture.draw(f"{patches.n_strike} x {patches.n_dip} patches of 20 km on an interface", grid=grid, patches=patches,
                 axes=axes[1])
    picture.save(figure, out)


if __name__ == "__main__":
    main()
