# SPDX-License-Identifier: BSD-3-Clause
"""Figures of faults: the frame, the reference points, patches and their basis functions, layers."""
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Arc, Polygon, Rectangle

from style import (BLUE, CRUST, GREEN, GREY, INK, MANTLE, ORANGE, PURPLE, RED, SLAB, arrow,
                   drawing, label, panel)


def _map(axes):
    strike = np.radians(30.0)
    along, across = np.array([np.sin(strike), np.cos(strike)]), np.array([np.cos(strike),
                                                                       -np.sin(strike)])
    half, reach = 1.5 * along, 0.95 * across
    axes.add_patch(Polygon([-half, half, half + reach, -half + reach], facecolor=ORANGE, alpha=0.25,
                           edgecolor=ORANGE))
    axes.plot(*np.array([-half, half]).T, color=INK, lw=2.5)
    axes.plot(0, 0, "o", color=RED, ms=7, zorder=6)
    label(axes, -0.12, 0.16, "middle of the\ntop edge", RED, ha="right")
    label(axes, *(0.52 * across + 0.1 * along), "hanging\nwall", INK)
    label(axes, *(-0.6 * across + 0.65 * along), "footwall")
    arrow(axes, half, half + 0.75 * along, BLUE, 1.8)
    label(axes, *(half + 0.8 * along + np.array([0.42, -0.12])), "strike", BLUE)
    arrow(axes, half, half + np.array([0.0, 0.95]), GREY)
    label(axes, *(half + np.array([0.0, 1.07])), "north", GREY)
    axes.add_patch(Arc(half, 1.1, 1.1, theta1=60, theta2=90, color=BLUE, lw=1.2))
    label(axes, *(half + np.array([0.16, 0.68])), "30°", BLUE)
    start = -0.9 * along + 0.2 * across
    arrow(axes, start, start + 0.62 * across, GREEN, 1.8)
    label(axes, *(start + 0.68 * across + np.array([0.32, -0.18])), "dips to the\nright", GREEN)
    axes.set_xlim(-1.75, 2.2)
    axes.set_ylim(-2.0, 2.6)
    panel(axes, "a. Map")


def _section(axes):
    dip = np.radians(40.0)
    down = np.array([np.cos(dip), -np.sin(dip)])
    top, width = np.array([0.7, -0.55]), 2.3
    end = top + width * down
    axes.add_patch(Polygon([(0, 0), (3.3, 0), (3.3, -2.6), (0, -2.6)], facecolor=CRUST,
                           edgecolor="none"))
    axes.plot([0, 3.3], [0, 0], color=INK, lw=1.5)
    axes.plot(*np.array([top, end]).T, color=INK, lw=2.5)
    axes.plot(*top, "o", color=RED, ms=7, zorder=6)
    arrow(axes, (0.7, 0), top, RED, 1.2, "<|-|>")
    label(axes, 0.62, -0.28, "top_depth", RED, ha="right", size=8)
    axes.plot([top[0], top[0] + 1.0], [top[1]] * 2, color=GREY, lw=0.8, ls="--")
    axes.add_patch(Arc(top, 1.5, 1.5, theta1=-40, theta2=0, color=GREEN, lw=1.2))
    label(axes, top[0] + 0.93, top[1] - 0.26, "dip", GREEN)
    shift = np.array([-np.sin(dip), -np.cos(dip)]) * 0.22
    arrow(axes, top + shift, end + shift, PURPLE, 1.2, "<|-|>")
    label(axes, *((top + end) / 2 + 2.1 * shift), "width", PURPLE, rotation=-40)
    middle = (top + end) / 2
    up = np.array([np.sin(dip), np.cos(dip)]) * 0.2
    arrow(axes, middle + up + 0.4 * down, middle + up - 0.35 * down, BLUE, 1.8)
    label(axes, 2.45, -0.27, "reverse slip:\nhanging wall moves up", BLUE, size=8)
    label(axes, 2.85, -1.35, "hanging\nwall")
    label(axes, 0.6, -1.9, "footwall")
    axes.set_xlim(-0.25, 3.4)
    axes.set_ylim(-2.75, 0.45)
    label(axes, 0.0, 0.18, "depth 0: sea level", GREY, size=8, ha="left")
    panel(axes, "b. Section, seen along strike")


def _rake(axes):
    axes.add_patch(Rectangle((-1.6, -1.0), 3.2, 2.0, facecolor=ORANGE, alpha=0.25,
                             edgecolor=ORANGE))
    axes.plot([-1.6, 1.6], [1.0, 1.0], color=INK, lw=2.5)
    for rake, text, at in ((0, "0: left-lateral", (1.02, -0.17)), (90, "90: reverse", (0.0, 0.84)),
                           (180, "180: right-lateral", (-0.98, -0.17)),
                           (-90, "-90: normal", (0.0, -0.87))):
        end = 0.72 * np.array([np.cos(np.radians(rake)), np.sin(np.radians(rake))])
        arrow(axes, (0, 0), end, BLUE, 1.8)
        label(axes, *at, text, BLUE, size=8)
    axes.add_patch(Arc((0, 0), 0.7, 0.7, theta1=4, theta2=86, color=GREY, lw=1))
    label(axes, 0.42, 0.36, "rake", GREY)
    arrow(axes, (-0.5, -1.25), (0.6, -1.25), INK)
    label(axes, 0.95, -1.25, "strike")
    label(axes, 0, 1.17, "top edge", size=8)
    axes.set_xlim(-1.8, 1.8)
    axes.set_ylim(-1.5, 1.45)
    panel(axes, "c. The fault from above: rake is where\n    the hanging wall goes")


def frame():
    """Strike, dip, rake, hanging wall."""
    figure, axes = drawing(9.6, 3.5, 3, [1.0, 1.12, 1.15])
    _map(axes[0])
    _section(axes[1])
    _rake(axes[2])
    return figure


def reference_points():
    """Which point of a rectangle a request or a file names."""
    figure, axes = drawing(9.4, 2.6, 4)
    cases = (("fault.plane", "middle of the top edge\ncentre_lon_deg, top_depth", (0.0, 0.6)),
             ("patches of events,\npatch_csv, srf, rupt", "centre\nlon_deg, depth", (0.0, 0.0)),
             ("relax_flt", "upper corner at the\nstart of strike", (-1.0, 0.6)),
             ("fault.interface.patches", "centre of the first hat\norigin_lon_deg", (-0.75, 0.4)))
    for one, (name, text, point) in zip(axes, cases):
        one.add_patch(Rectangle((-1, -0.6), 2, 1.2, facecolor=ORANGE, alpha=0.25, edgecolor=ORANGE))
        one.plot([-1, 1], [0.6, 0.6], color=INK, lw=2.5)
        if name.startswith("fault.interface"):
            for x in np.linspace(-0.75, 0.75, 4):
                for y in (0.4, 0.0, -0.4):
                    one.plot(x, y, ".", color=GREY, ms=4)
        one.plot(*point, "o", color=RED, ms=8, zorder=6)
        arrow(one, (-0.6, -0.8), (0.6, -0.8), INK)
        label(one, 0.95, -0.8, "strike", size=8)
        label(one, 0, -1.2, text, RED)
        one.set_xlim(-1.3, 1.35)
        one.set_ylim(-1.5, 0.85)
        one.set_title(name, fontsize=9)
    return figure


def _hat(x, centre, spacing, open_left=False, open_right=False):
    t = (x - centre) / spacing
    value = np.clip(1.0 - np.abs(t), 0.0, None)
    value = np.where(open_left & (t < 0), 1.0, value)
    return np.where(open_right & (t > 0), 1.0, value)


def _profile(axes, title, width, centres, opened, mark):
    spacing = centres[1] - centres[0]
    x = np.array([0.0, *centres, width])
    colours = (BLUE, GREEN, PURPLE, ORANGE)
    total = np.zeros_like(x)
    for k, centre in enumerate(centres):
        hat = _hat(x, centre, spacing, opened[0] and k == 0,
                   opened[1] and k == len(centres) - 1)
        total += hat
        axes.plot(x, hat, color=colours[k], lw=1.6)
        axes.fill_between(x, hat, color=colours[k], alpha=0.12)
        axes.plot(centre, 1, "o", color=colours[k], ms=5, clip_on=False)
    axes.plot(x, total, color=GREY, lw=1, ls="--")
    axes.set_title(title, loc="left")
    axes.set_xticks([0, *centres, width], ["0", *mark, "W"], fontsize=8)
    axes.set_yticks([0, 1])
    axes.set_xlim(0, width)
    axes.set_ylim(0, 1.25)


def patches():
    """A grid of patches, and the hats of its rows."""
    figure, axes = plt.subplot_mosaic([["grid", "buried"], ["grid", "ground"], ["grid", "open"]],
                                      figsize=(9.4, 4.5), gridspec_kw={"width_ratios": [1.15, 1]})
    one = axes["grid"]
    one.set_aspect("equal")
    one.axis("off")
    one.set_title("A plane with n_strike: 4, n_dip: 2, seen from above", loc="left")
    one.add_patch(Rectangle((0, -3), 5, 3, facecolor=ORANGE, alpha=0.15, edgecolor=ORANGE))
    one.plot([0, 5], [0, 0], color=INK, lw=2.5)
    for column in range(4):
        for row in range(2):
            x, y = column + 1, -(row + 1)
            chosen = (column, row) == (1, 0)
            if chosen:
                one.add_patch(Rectangle((x - 1, y - 1), 2, 2, facecolor=BLUE, alpha=0.18,
                                        edgecolor=BLUE, ls="--"))
            one.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor="none", edgecolor=GREY,
                                    lw=0.7))
            one.plot(x, y, "o", color=BLUE if chosen else INK, ms=5)
            label(one, x, y - 0.23, f"s{column:02d}d{row:02d}", BLUE if chosen else INK, 8)
    arrow(one, (0, 0.35), (1.2, 0.35), INK)
    label(one, 1.6, 0.35, "strike")
    arrow(one, (-0.3, 0), (-0.3, -1.2), INK)
    label(one, -0.3, -1.62, "down dip", rotation=90)
    label(one, 2.5, -3.28, "dashed: where the hat s01d00 slips; grey: its patch\n"
          "spacing L/(n_strike + 1) along strike, W/(n_dip + 1) down dip", GREY, 8, va="top")
    one.set_xlim(-0.7, 5.2)
    one.set_ylim(-3.95, 0.65)
    _profile(axes["buried"], "Buried: spacing W/(n_dip + 1)", 4, [1, 2, 3], (False, False),
             ("d00", "d01", "d02"))
    _profile(axes["ground"], "top_depth 0: spacing W/(n_dip + 1/2)", 3.5, [0.5, 1.5, 2.5],
             (True, False), ("d00", "d01", "d02"))
    _profile(axes["open"], "top_depth 0 and open_edges: [bottom]: W/n_dip", 3, [0.5, 1.5, 2.5],
             (True, True), ("d00", "d01", "d02"))
    axes["open"].set_xlabel("distance down dip from the top edge")
    axes["ground"].set_ylabel("slip of each hat [m];  dashed: their sum")
    return figure


def below_interface():
    """Layers above an interface count from sea level, those beneath from the interface."""
    figure, (axes,) = drawing(7.6, 3.1)
    x = np.linspace(0, 10, 81)
    slab = -0.4 - 2.8 / (1 + np.exp(-(x - 6.6) / 1.1)) + 0.03
    bottom = -4.6
    axes.fill_between(x, 0, bottom, color=MANTLE, lw=0)
    axes.fill_between(x, 0, -1.3, color=CRUST, lw=0)
    axes.fill_between(x, slab, bottom, color="#e7eee2", lw=0)
    axes.fill_between(x, slab, slab - 0.75, color="#a9c1dd", lw=0)
    axes.fill_between(x, slab - 0.75, slab - 1.6, color=SLAB, lw=0)
    axes.plot(x, slab, color=RED, lw=2.2)
    axes.plot([0, 10], [0, 0], color=INK, lw=1.5)
    axes.plot(x[slab < -1.3], np.full((slab < -1.3).sum(), -1.3), color=GREY, lw=0.8)
    for down in (0.75, 1.6):
        axes.plot(x, slab - down, color=GREY, lw=0.8)
    label(axes, 8.4, -0.62, "layers[0]: crust")
    label(axes, 8.7, -2.1, "layers[1]: mantle wedge")
    label(axes, 2.2, -0.74, "below_interface[0]: oceanic crust", size=8)
    label(axes, 2.2, -1.52, "below_interface[1]: lithosphere", size=8)
    label(axes, 3.0, -3.4, "below_interface[2]: oceanic mantle")
    arrow(axes, (9.8, 0), (9.8, -1.3), INK, 1.2, "<|-|>")
    label(axes, 10.1, -0.65, "bottom_depth\nfrom sea level", ha="left", size=8)
    k = 61
    arrow(axes, (x[k], slab[k]), (x[k], slab[k] - 1.6), RED, 1.2, "<|-|>")
    label(axes, 7.8, slab[k] - 1.2, "bottom_depth from the interface,\nstraight down", RED, 8,
          ha="left", bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 1})
    label(axes, 3.3, -0.2, "interface", RED, size=8)
    axes.set_xlim(-0.1, 11.6)
    axes.set_ylim(bottom, 0.2)
    return figure


FIGURES = {"frame": frame, "reference_points": reference_points, "patches": patches,
           "below_interface": below_interface}
