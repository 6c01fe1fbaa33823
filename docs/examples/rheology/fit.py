#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fits a mantle viscosity to a postseismic series by a thousand answers without a solve.

The series is synthetic: the answer for a viscosity that was not solved with, and noise of 3 mm.
Usage: fit.py KANAME FOLDER, the folder of a run of rheology.yaml. Writes series.csv, answers.h5 and
misfit.png there.
"""
import pathlib
import subprocess
import sys

import h5py
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

TRUE_PA_S = 6.3e18
SLIP_M = 2.0
SIGMA_M = 0.003
EPOCHS = [0, 0.25, 0.5, 1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9, 10]


def answers(kaname, folder, viscosities, name):
    """Displacement since just after the earthquake [viscosity, epoch, station, component] in m."""
    table = folder / "viscosities.csv"
    table.write_text("mantle\n" + "".join(f"{value:.17g}\n" for value in viscosities))
    subprocess.run([kaname, "answer", folder / "greens.h5", "--table", table, "--slip",
                    folder / "slip.csv", "--epochs", ",".join(map(str, EPOCHS)), "--output",
                    folder / name, "--force"], check=True, stdout=subprocess.DEVNULL)
    with h5py.File(folder / name) as file:
        moved = file["displacement"][...]
        stations = [text.decode() for text in file["station"][...]]
        return moved[:, 1:] - moved[:, :1], stations, float(np.max(file["error"][...]))


def main():
    kaname, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    with h5py.File(folder / "greens.h5") as file:
        source = file["source"][0].decode()
    (folder / "slip.csv").write_text(f"source,slip_m\n{source},{SLIP_M}\n")

    truth, stations, _ = answers(kaname, folder, [TRUE_PA_S], "truth.h5")
    observed = truth[0] + np.random.default_rng(1).normal(0.0, SIGMA_M, truth[0].shape)
    with open(folder / "series.csv", "w", encoding="ascii") as series:
        series.write("station,epoch_years,east_m,north_m,up_m\n")
        for k, epoch in enumerate(EPOCHS[1:]):
            for i, station in enumerate(stations):
                series.write(f"{station},{epoch}," + ",".join(f"{x:.5f}" for x in observed[k, i])
                             + "\n")

    viscosities = np.geomspace(1e18, 1e20, 1000)
    moved, _, error = answers(kaname, folder, viscosities, "answers.h5")
    misfit = np.mean(((moved - observed) / SIGMA_M) ** 2, axis=(1, 2, 3))
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
