#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Made-up series of a slow slip event and of ten years after an earthquake, from Green's functions.

Usage: make_series.py GREENS.h5. Writes slow_slip.csv and postseismic.csv beside this file, which are
part of the repository, and prints the moments that made them. Errors are 2 mm (vertical 5 mm), with
random walks of 1 mm after a year and a yearly term of each series.
"""
import pathlib
import sys

import h5py
import numpy as np

YEAR_S, DAY = 31557600.0, 1.0 / 365.25
SIGMA_M, WALK_M, SEASON_M = np.array([0.002, 0.002, 0.005]), 0.001, 0.002
PART = 2.5 * DAY  # slip is summed over such times, in years


class Greens:
    """Motion per metre of slip [source][epoch][station][component], linear between epochs [year]."""

    def __init__(self, path):
        with h5py.File(path) as file:
            self.values = file["greens"][...]
            self.epochs = file["epoch"][...] / YEAR_S
            self.moment_per_m = file["potency"][...] * file["rigidity"][...]
            self.stations = [text.decode() for text in file["station"][...]]
            ids = [text.decode() for text in file["source"][...]]
        self.along = np.array([int(name[1:3]) for name in ids])  # 0 in the north
        self.down = np.array([int(name[4:6]) for name in ids])

    def motion(self, times, begin, slip, sudden=None):
        """Motion [time][station][component] by slip(t) [source] from `begin` on, and by sudden slip
        [source] at 0."""
        found = np.zeros((len(times), *self.values.shape[2:]))
        edges = np.arange(begin, times[-1] + PART, PART)
        parts = np.diff(np.stack([slip(t) for t in edges]), axis=0)
        slipped = edges[:-1] + 0.5 * PART
        for k, t in enumerate(times):
            before = slipped < t
            found[k] = self.at_ages(parts[before], t - slipped[before])
            if sudden is not None and t >= 0.0:
                found[k] += self.at_ages(sudden[None], np.array([t]))
        return found

    def at_ages(self, parts, ages):
        """Sum over slip [part][source] of some ages."""
        weights = np.stack([np.interp(ages, self.epochs, unit) for unit in np.eye(len(self.epochs))])
        return np.einsum("ep,ps,senc->nc", weights, parts, self.values, optimize=True)


def write(name, greens, times, motion, unit, random):
    walk = np.zeros(motion.shape[1:])
    turns = 2.0 * np.pi * (np.asarray(times)[:, None, None] + random.random(motion.shape[1:]))
    motion = motion + SEASON_M * np.sin(turns) + SIGMA_M * random.standard_normal(motion.shape)
    with open(pathlib.Path(__file__).parent / name, "w", encoding="ascii") as file:
        file.write("# Made up by make_series.py.\n"
                   f"station,epoch_{'days' if unit == DAY else 'years'},east_mm,north_mm,up_mm\n")
        for k, t in enumerate(times):
            if k > 0:
                walk += WALK_M * np.sqrt(t - times[k - 1]) * random.standard_normal(walk.shape)
            for i, station in enumerate(greens.stations):
                if random.random() > 0.03:  # gaps
                    values = ",".join(f"{1e3 * x:.1f}" for x in motion[k, i] + walk[i])
                    file.write(f"{station},{t / unit:.4g},{values}\n")


def slow_slip(greens, random):
    """0.25 m in the middle row and less beside it, along strike within 160 days, each patch in a
    few weeks."""
    most = 0.25 * np.array([0.4, 1.0, 0.4])[greens.down] * np.sin(np.pi * (greens.along + 0.5) / 8.0)
    middle = (320.0 + 20.0 * greens.along) * DAY

    def slip(t):
        return most / (1.0 + np.exp(-(t - middle) / (10.0 * DAY)))

    times = np.arange(0, 1000, 12) * DAY
    write("slow_slip.csv", greens, times, greens.motion(times, 0.0, slip), DAY, random)
    print(f"slow slip: moment {greens.moment_per_m @ most:.3g} N m")


def postseismic(greens, random):
    """3 m of sudden slip in the middle at the top, then 0.2 m log(1 + t / 0.2 years) below it."""
    sudden = 3.0 * np.exp(-((greens.along - 3.5) / 1.6) ** 2 - (greens.down / 0.9) ** 2)
    after = 0.2 * np.exp(-((greens.along - 3.5) / 2.2) ** 2) * np.array([0.2, 0.7, 1.0])[greens.down]

    def slip(t):
        return after * np.log1p(max(t, 0.0) / 0.2)

    times = np.concatenate([np.arange(-360, 0, 45), np.arange(2, 180, 12), np.arange(195, 3650, 60)])
    times = times * DAY
    write("postseismic.csv", greens, times, greens.motion(times, 0.0, slip, sudden), 1.0, random)
    print(f"earthquake: moment {greens.moment_per_m @ sudden:.3g} N m; ten years after it "
          f"{greens.moment_per_m @ slip(10.0):.3g} N m")


def main():
    greens, random = Greens(sys.argv[1]), np.random.default_rng(4)
    slow_slip(greens, random)
    postseismic(greens, random)


if __name__ == "__main__":
    main()
