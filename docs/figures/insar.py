#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws docs/images/insar.png: a made-up raster of an earthquake, its points and the covariogram of its errors.

Usage, from the root of the repository: docs/figures/insar.py [folder of the Python package] [OUT.png]   (default:
build/python docs/images/insar.png). Takes some seconds. With --keep FOLDER the MintPy files stay there, and with
--view FILE the page's view of them.
"""
import pathlib
import sys
import tempfile

import matplotlib
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/python"))
import invented_rasters as made  # noqa: E402

matplotlib.use("Agg")
PIXELS, STEP_DEG, LON, LAT = 1000, 0.0008, 20.1, 38.4
SIGMA_M, LENGTH_M, NUGGET_M = 0.008, 7000.0, 0.003


def raster(folder):
    """Writes velocity.h5 [m] with geometryGeo.h5: normal slip of up to 1.5 m, errors, and a lake without values."""
    from kaname.data.insar import half_space

    made.LON, made.LAT, made.STEP = LON, LAT, STEP_DEG
    lon, lat = made.places(PIXELS, PIXELS)
    plane = half_space.Plane(20.5, 38.0, 2000.0, 20.0, 55.0, 20e3, 12e3)
    column, row = np.meshgrid(np.arange(8), np.arange(4))
    slip = -1.5 * np.exp(-((column - 3.5) / 2.0) ** 2 - ((row - 1.5) / 1.2) ** 2).ravel()
    look = np.tile(made.look(), (PIXELS**2, 1))
    motion = half_space.greens(plane, 8, 4, lon.ravel(), lat.ravel(), look)[:, 32:] @ slip
    rng = np.random.default_rng(4)
    errors = made.noise(lon.shape, (89.0, 70.0), SIGMA_M, LENGTH_M, rng) + NUGGET_M * rng.standard_normal(lon.shape)
    values = motion.reshape(lon.shape) + errors
    values[(lon - 20.2) ** 2 + (lat - 37.75) ** 2 < 0.004] = np.nan
    return made.mintpy(folder, values, unit="m")


def main():
    words = sys.argv[1:]
    kept, shown = (words[words.index(option) + 1] if option in words else None for option in ("--keep", "--view"))
    words = [word for word in words if word not in ("--keep", kept, "--view", shown)]
    package = pathlib.Path(words[0]) if words else ROOT / "build/python"
    sys.path.insert(0, str(package.resolve()))
    from kaname.data import insar, view

    with tempfile.TemporaryDirectory() as folder:
        path = raster(pathlib.Path(kept or folder))
        scene = insar.read(path)
        points = insar.reduce(scene, 500)
    print(points, *points.notes, sep="\n")
    if shown:
        view.write(view.of_raster(scene, points), shown)
    out = pathlib.Path(words[1]) if len(words) > 1 else ROOT / "docs/images/insar.png"
    insar.picture.draw(scene, points).savefig(out, dpi=80)
    print(out)


if __name__ == "__main__":
    main()
