# SPDX-License-Identifier: BSD-3-Clause
"""Figures of requests, tasks, campaigns and the choice of a wave solver."""
import numpy as np
from matplotlib.patches import FancyBboxPatch, Polygon, Rectangle

from style import BLUE, GREEN, GREY, INK, ORANGE, PURPLE, RED, SKY, arrow, drawing, label


def _box(axes, x, y, width, height, text, colour=GREY, size=8.5, fill="white"):
    axes.add_patch(FancyBboxPatch((x - width / 2, y - height / 2), width, height, zorder=3,
                                  boxstyle="round,pad=0.02,rounding_size=0.08", facecolor=fill,
                                  edgecolor=colour, lw=1.3))
    label(axes, x, y, text, size=size)


def _fits(axes, x0, x1, y0, y1):
    axes.set_xlim(x0, x1)
    axes.set_ylim(y0, y1)


def tasks():
    """A request becomes a job, tasks and packs, and agents do them."""
    figure, (axes,) = drawing(9.6, 4.2)
    _box(axes, 0.9, 3.6, 1.6, 0.75, "request\n(YAML)", BLUE)
    _box(axes, 3.1, 3.6, 1.6, 0.75, "job\nin kaname-server", BLUE)
    arrow(axes, (1.72, 3.6), (2.27, 3.6))
    label(axes, 1.99, 3.82, "submit", GREY, 7.5)
    axes.add_patch(Rectangle((4.35, 1.88), 5.6, 2.32, facecolor="#f4f4f4", edgecolor="none"))
    label(axes, 9.83, 4.05, "tasks of the job", GREY, ha="right")
    _box(axes, 5.0, 3.1, 0.95, 0.6, "mesh", GREEN)
    arrow(axes, (3.92, 3.5), (4.5, 3.2))
    for k in range(2):
        y = 3.6 - 0.95 * k
        arrow(axes, (5.5, 3.1), (6.05, y))
        axes.add_patch(Rectangle((6.08, y - 0.36), 2.04, 0.72, facecolor="white",
                                 edgecolor=ORANGE, lw=1.3, ls="--"))
        for n in range(4):
            _box(axes, 6.35 + 0.5 * n, y, 0.36, 0.4, f"{4 * k + n + 1}", ORANGE, 8, "#fdf3dd")
        arrow(axes, (8.15, y), (8.65, 3.1))
    label(axes, 7.1, 4.05, "pack: four sources, one solve", size=8)
    _box(axes, 9.2, 3.1, 1.0, 0.6, "package", GREEN)
    _box(axes, 9.2, 1.35, 1.3, 0.6, "dataset\ngreens.h5", BLUE)
    arrow(axes, (9.2, 2.78), (9.2, 1.67))
    label(axes, 7.1, 2.05, "source: one thing that moves the ground", size=8)
    for k, (x, name) in enumerate(((2.0, "kaname-agent on your machine"),
                                   (5.7, "kaname-agent in a batch job"))):
        axes.add_patch(Rectangle((x - 1.65, 0.1), 3.3, 1.35, facecolor="#f1f6fa", edgecolor=SKY))
        label(axes, x, 1.25, name, BLUE, 8)
        _box(axes, x, 0.6, 2.6, 0.55, "kaname-compute\ndoes the numbers", PURPLE, 8)
        arrow(axes, (x + (0.7 if k == 0 else 0.2), 1.48), ((4.8, 1.88) if k == 0 else (6.6, 1.88)),
              GREY, 1.2, "<|-|>")
    label(axes, 3.0, 1.85, "agents ask for tasks and bring results;\nthe server calls them workers",
          GREY, 8, ha="right")
    _fits(axes, 0.0, 10.1, 0.0, 4.3)
    return figure


def _face(axes, corners, colour, alpha):
    axes.add_patch(Polygon(corners, facecolor=colour, alpha=alpha, edgecolor=INK, lw=0.6))


def campaign():
    """A campaign of three axes as a cube of members."""
    figure, (axes,) = drawing(6.6, 3.6)
    right, up, back = np.array([1.0, 0.0]), np.array([0.0, 0.62]), np.array([0.42, 0.3])
    shape = (4, 3, 3)
    for i in range(shape[0]):
        for j in range(shape[1]):
            at = i * right + j * up
            chosen = (i, j) == (2, 1)
            _face(axes, [at, at + right, at + right + up, at + up], ORANGE if chosen else BLUE,
                  0.8 if chosen else 0.18)
    for i in range(shape[0]):
        for k in range(shape[2]):
            at = i * right + shape[1] * up + k * back
            _face(axes, [at, at + right, at + right + back, at + back], BLUE, 0.3)
    for j in range(shape[1]):
        for k in range(shape[2]):
            at = shape[0] * right + j * up + k * back
            _face(axes, [at, at + up, at + up + back, at + back], BLUE, 0.42)
    for i, text in enumerate(("1e18", "3e18", "1e19", "3e19")):
        label(axes, i + 0.5, -0.17, text, size=8)
    label(axes, 2.0, -0.5, "axis viscosity [Pa s]")
    for j, text in enumerate(("25", "30", "35")):
        label(axes, -0.12, 0.62 * (j + 0.5), text, size=8, ha="right")
    label(axes, -0.62, 0.93, "axis thickness [km]", rotation=90)
    for k, text in enumerate(("2 m", "3 m", "4 m")):
        at = shape[0] * right + (k + 0.5) * back
        label(axes, *(at + np.array([0.12, -0.12])), text, size=8, ha="left")
    label(axes, 5.35, 0.15, "axis slip", ha="left")
    arrow(axes, (5.85, 1.9), (2.75, 1.0), RED, 1.1)
    label(axes, 5.55, 2.15, "one member:\nviscosity=1e19,\nthickness=30,slip=2", RED, 8, ha="left")
    label(axes, 5.55, 1.2, "one request, one job,\none dataset", GREY, 8, ha="left")
    _fits(axes, -0.8, 7.3, -0.65, 2.85)
    return figure


def wave_solvers():
    """Which of the three kinds of waves fits a problem."""
    figure, (axes,) = drawing(9.4, 3.5)
    _box(axes, 1.35, 2.2, 2.4, 0.9, "What makes the waves?", INK)
    _box(axes, 4.6, 3.2, 2.5, 0.8, "Stress and friction\non a fault", INK)
    _box(axes, 4.6, 1.2, 2.5, 0.8, "Forces, moment tensors,\ngiven slip", INK)
    arrow(axes, (2.6, 2.4), (3.32, 3.1))
    arrow(axes, (2.6, 2.0), (3.32, 1.3))
    _box(axes, 10.2, 3.2, 3.3, 0.85, "kaname.v1.Rupture\nADER-DG on tetrahedra", RED)
    arrow(axes, (5.9, 3.2), (8.5, 3.2))
    _box(axes, 10.2, 1.75, 3.3, 0.85, "kaname.v1.SeismicWaves\nADER-DG on tetrahedra", BLUE)
    _box(axes, 10.2, 0.55, 3.3, 0.85, "kaname.v1.VoxelWaves\nfinite elements on cubes", GREEN)
    arrow(axes, (5.9, 1.35), (8.5, 1.75))
    arrow(axes, (5.9, 1.05), (8.5, 0.55))
    label(axes, 7.2, 1.97, "the Earth: layers, Q, relief,\nliquids, slip models", BLUE, 8)
    label(axes, 7.1, 0.33, "a block, holes, a grid of\nproperties; damping", GREEN, 8)
    _fits(axes, 0.0, 12.0, -0.05, 3.75)
    return figure


FIGURES = {"tasks": tasks, "campaign": campaign, "wave_solvers": wave_solvers}
