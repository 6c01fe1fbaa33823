#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fits a mantle viscosity to series.csv by a thousand answers without a solve, the slip being known.

The series is made up: the answer for a viscosity that was not solved with, by slip that is largest
at the middle of the upper edge, with noise of 3 mm. slip.yaml finds slip and viscosity together.
Usage: fit.py KANAME FOLDER [--make], the folder of a run of rheology.yaml. Writes answers.h5 and
misfit.png there; --make makes series.csv beside this file anew.
"""
import csv
import pathlib
import subprocess
import sys

import h5py
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

TRUE_PA_S = 6.3e18
SLIP_M = 3.0
SIGMA_M = 0.003
EPOCHS = [0, 0.25, 0.5, 1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9, 10]
SERIES = pathlib.Path(__file__).parent / "series.csv"


def true_slip(source):
    """Slip in m of a patch sAAdBB, the second or third of four along strike and the first down dip."""
    along, down = int(source[1:3]), int(source[4:6])
    return SLIP_M * np.exp(-((along - 1.5) ** 2 + down**2) / 2.0)


def answers(kaname, folder, viscosities, name):
    """Displacement [viscosity, epoch, station, component] in m, ids of stations, certified error."""
    table = folder / "viscosities.csv"
    table.write_text("mantle\n" + "".join(f"{value:.17g}\n" for value in viscosities))
    subprocess.run([kaname, "answer", folder / "greens.h5", "--table", table, "--slip",
                    folder / "slip.csv", "--epochs", ",".join(map(str, EPOCHS)), "--output",
                    folder / name, "--force"], check=True, stdout=subprocess.DEVNULL)
    with h5py.File(folder / name) as file:
        stations = [text.decode() for text in file["station"][...]]
        return file["displacement"][...], stations, float(np.max(file["error"][...]))


def make_series(kaname, folder):
    truth, stations, _ = answers(kaname, folder, [TRUE_PA_S], "truth.h5")
    observed = truth[0] + np.random.default_rng(1).normal(0.0, SIGMA_M, truth[0].shape)
    with open(SERIES, "w", encoding="ascii") as series:
        series.write("# Made up by fit.py --make.\nstation,epoch_years,east_mm,north_mm,up_mm\n")
        for k, epoch in enumerate(EPOCHS):
            for i, station in enumerate(stations):
                series.write(f"{station},{epoch}," + ",".join(f"{1e3 * x:.2f}" for x in observed[k, i])
                             + "\n")


def read_series(stations):
    """Motion [epoch, station, component] in m."""
    observed = np.empty((len(EPOCHS), len(stations), 3))
    with open(SERIES, newline="", encoding="ascii") as series:
        for row in csv.DictReader(line for line in series if not line.startswith("#")):
            observed[EPOCHS.index(float(row["epoch_years"])), stations.index(row["station"])] = [
                1e-3 * float(row[key]) for key in ("east_mm", "north_mm", "up_mm")]
    return observed


def main():
    kaname, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    with h5py.File(folder / "greens.h5") as file:
        sources = [text.decode() for text in file["source"][...]]
    (folder / "slip.csv").write_text("source,slip_m\n" + "".join(
        f"{source},{true_slip(source):.4f}\n" for source in sources))
    if "--make" in sys.argv:
        make_series(kaname, folder)

    viscosities = np.geomspace(1e18, 1e20, 1000)
    moved, stations, error = answers(kaname, folder, viscosities, "answers.h5")
    misfit = np.mean(((moved - read_series(stations)) / SIGMA_M) ** 2, axis=(1, 2, 3))
    best = viscosities[np.argmin(misfit)]
    print(f"best viscosity {best:.3g} Pa s of {len(viscosities)} answers, true {TRUE_PA_S:.3g}; "
          f"misfit {misfit.min():.2f} per observation; certified error of the answers {error:.1e}")

    figure, axes = plt.subplots(figsize=(6.4, 4.0), constrained_layout=True)
    axes.loglog(viscosities, misfit, color="#20639b")
    axes.axvline(TRUE_PA_S, color="#888888", linestyle="--", label="true")
    axes.plot([best], [misfit.min()], "o", color="#d1495b", label=f"best: {best:.2g} Pa s")
    axes.set_xlabel("mantle viscosity [Pa s]")
    axes.set_ylabel("mean squared misfit / variance")
    axes.legend(frameon=False)
    figure.savefig(folder / "misfit.png", dpi=150)
    print(folder / "misfit.png")


if __name__ == "__main__":
    main()
