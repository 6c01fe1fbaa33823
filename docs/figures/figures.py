#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the figures of docs/user.

Usage: figures.py NAME...|all OUT_DIR. The repository's own are in docs/images.
"""
import pathlib
import sys

import matplotlib.pyplot as plt

import fault_figures
import mesh_figures
import result_figures
import system_figures

FIGURES = {**fault_figures.FIGURES, **mesh_figures.FIGURES, **result_figures.FIGURES,
           **system_figures.FIGURES}
PNG = ("accuracy", "coulomb", "pgv_map", "resolution")  # smaller so than as SVG


def main():
    *names, folder = sys.argv[1:] or ["--help"]
    if not names or not set(names) <= {*FIGURES, "all"}:
        sys.exit(f"{__doc__.strip()}\nNames: {' '.join(FIGURES)}")
    for name in FIGURES if "all" in names else names:
        figure = FIGURES[name]()
        path = pathlib.Path(folder) / f"{name}.{'png' if name in PNG else 'svg'}"
        figure.savefig(path, dpi=110, bbox_inches="tight",
                       metadata={"Date": None} if path.suffix == ".svg" else None)
        plt.close(figure)
        print(path)


if __name__ == "__main__":
    main()
