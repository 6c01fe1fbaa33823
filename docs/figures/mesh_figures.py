# SPDX-License-Identifier: BSD-3-Clause
"""Figures of box, elements and accuracy. The measured errors are those of docs/user/accuracy.md."""
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle

from style import (BLUE, CRUST, GREEN, GREY, INK, MANTLE, ORANGE, PURPLE, RED, SKY, arrow, label,
                   panel)

# Error near the slip against element size: (size at fault [km], error [%]), upper edge 4 km deep.
NEAR = {"24 x 12 km, dip 45°": [(2, 0.55), (3, 1.27), (4, 2.73), (6, 3.74), (8, 7.63),
                                (12, 25.33)],
        "16 x 8 km, dip 45°": [(1.33, 0.26), (2, 0.66), (2.67, 1.40), (4, 3.12)],
        "16 x 8 km, dip 30°": [(1.33, 0.24), (2, 0.65), (2.67, 0.84), (4, 2.56)]}
EDGE_KM = 4.0
# Difference from a box of 4,000 km [%]: (side [km], at once, after 50 years), r = 100 km.
BOX_100_KM = [(300, 26, 48), (500, 7.6, 17.9), (1000, 1.6, 3.9), (2000, 0.32, 0.76)]
# Change after 10 Maxwell times at stations [km] under a lid of 25 km: error [%] by mesh.
FAR_KM = [100, 200, 330, 400, 500]
FAR = {"sizes grow everywhere": [9.3, 22, 21, 172, 154],
       "45 km in the lid, to 600 km": [0.3, 1.6, 1.6, 15, 60],
       "45 km in the lid, to 1,000 km": [0.2, 1.0, 0.5, 3.5, 12]}
# Slip in a uniform relaxing rock: dip, least and largest error of the change since the slip [%].
GENTLE = {0.3: [(20, 0.9, 1.4), (10, 2.0, 3.2), (5, 2.8, 4.4)],
          0.15: [(10, 1.2, 1.6), (5, 2.6, 4.0)]}


def box_error(ratio, maxwell_times, distance_km, lid_km):
    """Returns the part of a station's motion that the box takes away; ratio is r/D."""
    late = 11.5 * maxwell_times / (maxwell_times + 13.3) * np.exp(-distance_km / (2.5 * lid_km))
    return ratio**2 * (0.27 + 0.75 * ratio) * (1.0 + late)


def size_error(size, distance):
    """Returns the part of the nearest motion that elements of a size take away."""
    return 0.029 * (size / distance) ** 2.5


def _box_section(axes):
    axes.set_aspect("equal")
    axes.axis("off")
    axes.add_patch(Rectangle((0, -4.4), 10, 4.4, facecolor=MANTLE, edgecolor=INK, lw=2))
    axes.add_patch(Rectangle((0, -0.6), 10, 0.6, facecolor=CRUST, edgecolor="none"))
    axes.plot([0, 10], [0, 0], color=INK, lw=2)
    axes.plot([4.75, 5.25], [-0.12, -0.5], color=RED, lw=3)
    label(axes, 5.0, 0.72, "slip", RED)
    axes.plot([4.2, 4.6, 5.6, 6.1], [0.1] * 4, "v", color=BLUE, ms=6)
    arrow(axes, (5.0, 0.32), (6.1, 0.32), BLUE, 1.1, "<|-|>")
    label(axes, 6.35, 0.42, "r: farthest station", BLUE, ha="left")
    arrow(axes, (5.25, -1.2), (10, -1.2), GREEN, 1.1, "<|-|>")
    label(axes, 7.6, -1.55, "D: nearest fixed side or bottom", GREEN)
    arrow(axes, (5.0, -0.6), (5.0, -4.4), GREEN, 1.1, "<|-|>")
    label(axes, 4.85, -2.9, "D", GREEN, ha="right")
    arrow(axes, (0.7, 0), (0.7, -0.6), INK, 1, "<|-|>")
    label(axes, 1.0, -0.3, "H: lid", ha="left")
    label(axes, 5, -4.75, "bottom: fixed", GREY)
    label(axes, -0.25, -2.2, "side: fixed", GREY, rotation=90)
    label(axes, 1.7, 0.32, "top: free", GREY)
    axes.set_xlim(-0.6, 10.2)
    axes.set_ylim(-5.0, 1.0)
    panel(axes, "a. Section of the box")


def box():
    """The box, its distances, and what its sides change."""
    figure, axes = plt.subplots(1, 2, figsize=(9.6, 3.6), gridspec_kw={"width_ratios": [1.25, 1]})
    _box_section(axes[0])
    ratio = np.geomspace(0.04, 0.8, 25)
    for times, colour, text in ((0.0, BLUE, "right after the slip"),
                                (10.3, RED, "50 years = 10 Maxwell times")):
        axes[1].loglog(ratio, 100 * box_error(ratio, times, 100.0, 30.0), color=colour,
                       label=f"predicted, {text}")
    measured = np.array(BOX_100_KM)
    for column, colour in ((1, BLUE), (2, RED)):
        axes[1].plot(100 / (measured[:, 0] / 2), measured[:, column], "o", color=colour, ms=5)
    axes[1].axhline(0.5, color=GREY, lw=0.8, ls="--")
    label(axes[1], 0.78, 0.37, "aim of a box that is chosen", GREY, 8, ha="right")
    axes[1].set_xlabel("r / D")
    axes[1].set_ylabel("part of the motion that is lost [%]")
    axes[1].set_ylim(0.03, 100)
    axes[1].legend(loc="upper left", fontsize=8)
    axes[1].set_xticks([0.05, 0.1, 0.2, 0.5], ["0.05", "0.1", "0.2", "0.5"])
    axes[1].set_xticks([], minor=True)
    axes[1].set_yticks([0.1, 1, 10, 100], ["0.1", "1", "10", "100"])
    panel(axes[1], "b. r = 100 km, H = 30 km; dots are runs")
    return figure


def element_sizes():
    """Element size against the distance from the fault."""
    figure, axes = plt.subplots(figsize=(6.4, 3.5))
    distance = np.geomspace(0.5, 2000, 120)
    for growth, colour in ((0.15, PURPLE), (0.3, BLUE), (0.6, ORANGE)):
        axes.loglog(distance, np.minimum(3 + growth * distance, 200), color=colour,
                    label=f"growth: {growth}")
    near = np.where(distance < 100, 12.0, 12.0 + 0.3 * (distance - 100))
    axes.loglog(distance, np.minimum(np.minimum(3 + 0.3 * distance, 200), near), color=BLUE, ls=":",
                lw=2, label="growth: 0.3 and size_at_surface_km: 12,\non the ground")
    axes.axhline(3, color=GREY, lw=0.7, ls="--")
    axes.axhline(200, color=GREY, lw=0.7, ls="--")
    label(axes, 2000, 3.4, "size_at_fault_km: 3", GREY, 8, ha="right")
    label(axes, 0.5, 230, "size_far_km: 200", GREY, 8, ha="left")
    axes.set_ylim(2, 300)
    axes.set_xticks([1, 10, 100, 1000], ["1", "10", "100", "1,000"])
    axes.set_yticks([3, 10, 30, 100], ["3", "10", "30", "100"])
    axes.set_yticks([], minor=True)
    axes.set_xlabel("distance from the fault [km]")
    axes.set_ylabel("edge of an element [km]")
    axes.legend(loc="upper left", bbox_to_anchor=(0.02, 0.93))
    return figure


def _near(axes):
    colours = (BLUE, GREEN, ORANGE)
    for (name, rows), colour, mark in zip(NEAR.items(), colours, "os^"):
        sizes, errors = np.array(rows).T
        axes.loglog(sizes / EDGE_KM, errors, mark, color=colour, ms=5, label=name)
    ratio = np.geomspace(0.3, 3, 20)
    axes.plot(ratio, 100 * size_error(ratio, 1.0), color=GREY, lw=1.2,
              label="2.9 % (size/depth)$^{2.5}$")
    axes.set_xlabel("element size / depth of the upper edge")
    axes.set_ylabel("error right after the slip [%]")
    axes.set_xticks([0.33, 0.5, 1, 2, 3], ["1/3", "1/2", "1", "2", "3"])
    axes.set_xticks([], minor=True)
    axes.set_yticks([0.1, 1, 10], ["0.1", "1", "10"])
    axes.legend(fontsize=7.5, loc="upper left")
    panel(axes, "a. Near the fault")


def _gentle(axes):
    for (growth, rows), colour, shift in zip(GENTLE.items(), (BLUE, ORANGE), (-0.25, 0.25)):
        dips, low, high = np.array(rows).T
        axes.errorbar(dips + shift, (low + high) / 2, yerr=(high - low) / 2, fmt="o", color=colour,
                      capsize=4, lw=1.5, label=f"growth {growth}")
    axes.set_xlabel("dip [degrees]")
    axes.set_ylabel("error of the change\nsince the slip [%]")
    axes.set_xticks([5, 10, 20])
    axes.set_ylim(0, 5)
    axes.legend(fontsize=8)
    panel(axes, "b. Gentle dips that relax")


def _far(axes):
    for (name, errors), colour, mark in zip(FAR.items(), (RED, SKY, BLUE), "so^"):
        axes.semilogy(FAR_KM, errors, f"{mark}-", color=colour, ms=5, lw=1.3, label=name)
    axes.set_xlabel("distance of the station [km]")
    axes.set_ylabel("error of its change [%]")
    axes.set_ylim(0.1, 3000)
    axes.set_yticks([0.1, 1, 10, 100], ["0.1", "1", "10", "100"])
    axes.legend(fontsize=7.5, loc="upper left")
    panel(axes, "c. Far under a lid of 25 km")


def accuracy():
    """Errors against element size, dip and distance."""
    figure, axes = plt.subplots(1, 3, figsize=(10.2, 3.3))
    _near(axes[0])
    _gentle(axes[1])
    _far(axes[2])
    return figure


FIGURES = {"box": box, "element_sizes": element_sizes, "accuracy": accuracy}
