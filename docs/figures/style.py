# SPDX-License-Identifier: BSD-3-Clause
"""What all figures share: colours that colour-blind readers tell apart, axes, arrows, tables."""
import csv
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

DATA = pathlib.Path(__file__).resolve().parent / "data"
# Okabe and Ito's palette.
BLUE, ORANGE, GREEN, RED, PURPLE, SKY = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7",
                                         "#56b4e9")
INK, GREY, PALE = "#222222", "#777777", "#dddddd"
CRUST, MANTLE, SLAB, SEA = "#f3e3c3", "#dfe9d8", "#cfdcec", "#eef4f8"

plt.rcParams.update({
    "font.size": 9, "axes.titlesize": 9.5, "axes.labelsize": 9, "legend.fontsize": 8.5,
    "axes.spines.top": False, "axes.spines.right": False, "axes.edgecolor": GREY,
    "axes.labelcolor": INK, "text.color": INK, "xtick.color": INK, "ytick.color": INK,
    "svg.hashsalt": "kaname", "path.simplify_threshold": 0.5, "legend.frameon": False,
    "figure.constrained_layout.use": True,
})


def drawing(width, height, columns=1, ratios=None):
    """Returns a figure and its axes without ticks, on which one unit is the same both ways."""
    figure, axes = plt.subplots(1, columns, figsize=(width, height), squeeze=False,
                                gridspec_kw={"width_ratios": ratios or [1] * columns})
    for one in axes[0]:
        one.set_aspect("equal")
        one.axis("off")
    return figure, list(axes[0])


def arrow(axes, start, end, colour=INK, width=1.3, style="-|>"):
    axes.annotate("", xy=end, xytext=start, zorder=5,
                  arrowprops={"arrowstyle": style, "color": colour, "lw": width,
                              "shrinkA": 0, "shrinkB": 0, "mutation_scale": 11})


def label(axes, x, y, text, colour=INK, size=8.5, **options):
    options = {"ha": "center", "va": "center", "zorder": 6, **options}
    axes.text(x, y, text, color=colour, fontsize=size, **options)


def panel(axes, text):
    axes.set_title(text, loc="left", fontsize=9.5)


def table(name):
    """Returns the rows of data/NAME as dictionaries."""
    with open(DATA / name, encoding="utf-8") as file:
        return list(csv.DictReader(file))
