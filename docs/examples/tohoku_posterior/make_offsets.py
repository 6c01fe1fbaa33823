#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Made-up offsets on land and on the sea floor, by slip that falls off as cos^2 from off Miyagi.

Usage: make_offsets.py GREENS.h5. Writes land.csv and seafloor.csv beside this file, which are part of
the repository, and prints the moment. Errors on land are those that slip.yaml states, on the sea
floor they are six times as large.
"""
import pathlib
import sys

import h5py
import numpy as np

SLIP_M, TOO_SMALL = 30.0, 6.0
LAND_M, SEA_M = np.array([0.01, 0.01, 0.03]), np.array([0.05, 0.05, 0.1])


def true_slip(ids):
    """Slip in m of patches sAAdBB, 45 km apart along strike and 28 km down dip."""
    along = np.array([45.0 * (int(name[1:3]) - 4.0) for name in ids])
    down = np.array([28.0 * (int(name[4:6]) - 1.0) for name in ids])
    q = np.hypot(along / 170.0, down / 95.0)
    return np.where(q < 1.0, SLIP_M * np.cos(0.5 * np.pi * np.minimum(q, 1.0)) ** 2, 0.0)


def main():
    random, folder = np.random.default_rng(11), pathlib.Path(__file__).parent
    with h5py.File(sys.argv[1]) as file:
        slip = true_slip([text.decode() for text in file["source"][...]])
        motion = np.einsum("s,snc->nc", slip, file["greens"][:, 0])
        moment = slip @ (file["potency"][...] * file["rigidity"][...])
        stations = [text.decode() for text in file["station"][...]]
    for name, first, sigma in (("land.csv", "L", LAND_M), ("seafloor.csv", "S", TOO_SMALL * SEA_M)):
        with open(folder / name, "w", encoding="ascii") as table:
            table.write("# Made up by make_offsets.py.\nstation,east_m,north_m,up_m\n")
            for station, values in zip(stations, motion):
                if station.startswith(first):
                    values = values + sigma * random.standard_normal(3)
                    table.write(station + "".join(f",{value:.4f}" for value in values) + "\n")
    print(f"moment {moment:.3g} N m, Mw {(np.log10(moment) - 9.1) / 1.5:.2f}")


if __name__ == "__main__":
    main()
