#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws docs/images/geometry.png: a made-up thrust, seen by 30 stations, and the rectangles that explain it.

Usage, from the root of the repository: docs/figures/geometry.py [folder of the Python package] [OUT.png]   (default:
build/python docs/images/geometry.png). Takes half a minute.
"""
import pathlib
import sys
import tempfile

import matplotlib
import numpy as np

matplotlib.use("Agg")
TRUTH = {"east_m": 3e3, "north_m": -2e3, "top_depth_m": 4e3, "strike_deg": 210.0, "dip_deg": 35.0, "length_m": 25e3,
         "width_m": 14e3}
SLIP_M, SIGMA_MM = np.array([0.5, 1.5]), (3.0, 3.0, 8.0)


def table(folder):
    """Writes gnss.csv: 30 stations about 135 E, 34 N."""
    from kaname.data.geometry.sources import make_source
    from kaname.data.insar.raster import local_m

    rng = np.random.default_rng(2)
    lon, lat = 135 + rng.uniform(-0.4, 0.4, 30), 34 + rng.uniform(-0.4, 0.4, 30)
    source = make_source("rectangle", 6e4, 1e4, {}, None, 0.25)
    values = np.array([[TRUTH[name] for name in source.names]])
    x, y = local_m(lon, lat, 135.0, 34.0)
    motion = np.stack([source.motion(values, x, y, np.arange(30), np.tile(e, (30, 1)))[0] @ SLIP_M for e in np.eye(3)],
                      axis=1)
    motion = 1e3 * motion + rng.normal(size=motion.shape) * SIGMA_MM
    path = folder / "gnss.csv"
    lines = [f"G{k:02d},{lon[k]:.5f},{lat[k]:.5f}," + ",".join(f"{v:.2f}" for v in (*motion[k], *SIGMA_MM))
             for k in range(30)]
    path.write_text("station,lon_deg,lat_deg,east_mm,north_mm,up_mm,east_sigma,north_sigma,up_sigma\n" + "\n".join(lines)
                    + "\n")
    return path


def main():
    """Fits and draws."""
    package, out = (sys.argv[1:] + ["build/python", "docs/images/geometry.png"][len(sys.argv) - 1:])[:2]
    sys.path.insert(0, package)
    from kaname.data import geometry
    from kaname.data.geometry import picture

    with tempfile.TemporaryDirectory() as folder:
        found = geometry.fit([geometry.read_table(table(pathlib.Path(folder)))])
    figure = picture.draw(found)
    figure.savefig(out, dpi=75)


if __name__ == "__main__":
    main()
