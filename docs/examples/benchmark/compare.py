#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints how far a dataset is from an answer without a mesh.

Usage: compare.py GREENS_H5 EXACT_CSV

One row per epoch: sqrt(sum |u - exact|^2 / sum |exact|^2) over the stations, all of them and those
at one distance (the number in their names, km). At epoch 0 u is the motion, later the change since
epoch 0, for which the relaxation alone is responsible.
"""
import csv
import pathlib
import sys

import h5py
import numpy as np

YEAR_S = 31557600.0


def exact_motion(path):
    """Epochs [years], stations, motion [station, epoch, (east, north, up)] in m."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    years = list(dict.fromkeys(float(row["years"]) for row in rows))
    stations = list(dict.fromkeys(row["station"] for row in rows))
    motion = np.empty((len(stations), len(years), 3))
    for row in rows:
        motion[stations.index(row["station"]), years.index(float(row["years"]))] = [
            float(row[name]) for name in ("east_m", "north_m", "up_m")]
    return years, stations, motion


def computed_motion(path, years, stations):
    with h5py.File(path) as file:
        names = [name.decode() for name in file["station"][:]]
        epochs_s = file["epoch"][:]
        greens = file["greens"][0]  # the one source: epoch, station, component
    if len(epochs_s) != len(years) or np.abs(epochs_s / YEAR_S - years).max() > 1e-3:
        sys.exit(f"{path}: has epochs {epochs_s / YEAR_S} years, must have {years}")
    return np.stack([greens[:, names.index(name)] for name in stations])


def misfit(off, size):
    return 100.0 * np.sqrt((off**2).sum() / (size**2).sum())


def main():
    if len(sys.argv) != 3 or any(not pathlib.Path(name).is_file() for name in sys.argv[1:]):
        sys.exit(__doc__)
    years, stations, exact = exact_motion(sys.argv[2])
    found = computed_motion(sys.argv[1], years, stations)
    rings = sorted({name[1:4] for name in stations})
    print("epoch, years   all" + "".join(f"{int(ring):>6} km" for ring in rings) + "   (misfit, %)")
    for k, year in enumerate(years):
        u, wanted = found[:, k], exact[:, k]
        if k > 0:
            u, wanted = u - found[:, 0], wanted - exact[:, 0]
        of = [[name[1:4] == ring for name in stations] for ring in rings]
        print(f"{year:>12g} {misfit(u - wanted, wanted):5.2f}" + "".join(
            f"{misfit((u - wanted)[ring], wanted[ring]):9.2f}" for ring in of))


if __name__ == "__main__":
    main()
