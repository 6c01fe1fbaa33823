#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws a vertical section through a mesh: volumes in colours, elements in the cut, faults thick.

Usage: plot_mesh_section.py MESH.h5 --from=X/Y --to=X/Y --output section.png
           [--depth KM] [--close-up S0/S1/D0/D1] [--title TEXT]

X east and Y north of the region's centre, S along the section and D down (close-ups, up to two), all in
km. Without --from and --to the section runs through the middle of the mesh, west to east.
"""
import argparse
import sys

import numpy as np

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.collections import LineCollection, PolyCollection  # noqa: E402
from matplotlib.patches import Patch, Rectangle  # noqa: E402

from plotting.common import INK, PlotError, open_dataset, texts  # noqa: E402

FAULT, SEA = "#c2271d", "#dcebf5"
COLOURS = ["#7fa36b", "#e7c987", "#d99f6c", "#a9c4d9", "#8aa2c0", "#f0e6d2", "#b9a3c8", "#c9d6a3",
           "#e3b5b0", "#9fcac4"]
FACES = np.array([[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]])
WIDTH = 13.0  # of the picture, inches


def fail(message):
    raise PlotError(message)


class Mesh:
    def __init__(self, path):
        try:
            with open_dataset(path) as file:
                self.xyz = file["xyz"][:] / 1e3
                self.tets = file["tets"][:]
                self.faults = file["fault_faces"][:]
                by, names = (("volume", "volume_names") if "volume" in file
                             else ("material", "material_names"))
                self.part = file[by][:]
                count = int(self.part.max()) + 1
                self.names = (texts(file[names][:]) if names in file
                              else [f"material {k}" for k in range(count)])
        except (OSError, KeyError, ValueError) as error:
            fail(f"{path}: {error}")


class Section:
    """The mesh cut by a vertical plane: polygons, and segments of interfaces, ground and faults.

    Coordinates in the plane are s, along it from `start`, and z."""

    def __init__(self, mesh, start, end):
        along = np.array(end) - start
        self.length = float(np.hypot(*along))
        along = along / self.length
        offset = mesh.xyz[:, :2] - start
        self.s = offset @ along
        # A vertex in the plane counts as beside it.
        self.off = offset @ np.array([-along[1], along[0]]) + 1e-9
        self.z = mesh.xyz[:, 2]
        plus = (self.off > 0.0)[mesh.tets]
        count = plus.sum(axis=1)
        cut = np.flatnonzero((count > 0) & (count < 4))
        shown = cut[np.any((self.s[mesh.tets[cut]] > 0.0)
                           & (self.s[mesh.tets[cut]] < self.length), axis=1)]
        if shown.size == 0:
            fail("the section does not meet the mesh")
        self.polygons = [self.polygon(mesh.tets[t]) for t in shown]
        self.part = mesh.part[shown]
        self.borders, self.rims = self.find_borders(mesh, shown)
        self.fault = self.segments(mesh.faults)

    def point(self, a, b):
        t = (self.off[a] / (self.off[a] - self.off[b]))[..., None]
        return (1.0 - t) * np.stack([self.s[a], self.z[a]], -1) + t * np.stack(
            [self.s[b], self.z[b]], -1)

    def polygon(self, tet):
        above, below = tet[self.off[tet] > 0.0], tet[self.off[tet] <= 0.0]
        if len(above) == 2:
            a, b = above[[0, 0, 1, 1]], below[[0, 1, 1, 0]]
        else:
            a, b = np.broadcast_arrays(above, below) if len(above) == 1 else (above, below[[0] * 3])
        return self.point(a, b)

    def segments(self, faces):
        plus = self.off[faces] > 0.0
        count = plus.sum(axis=1)
        faces, plus, count = (v[(count == 1) | (count == 2)] for v in (faces, plus, count))
        lonely = np.argmax(plus == (count == 1)[:, None], axis=1)  # alone on its side
        rows = np.arange(len(faces))
        apex = faces[rows, lonely]
        return np.stack([self.point(apex, faces[rows, (lonely + k) % 3]) for k in (1, 2)], axis=1)

    def find_borders(self, mesh, tets):
        """Segments of faces between two parts, and of faces that only one tet has."""
        faces = np.sort(mesh.tets[tets][:, FACES].reshape(-1, 3), axis=1)
        part = np.repeat(mesh.part[tets], 4)
        order = np.lexsort(faces.T)
        faces, part = faces[order], part[order]
        same = np.all(faces[1:] == faces[:-1], axis=1)
        between = np.flatnonzero(same & (part[1:] != part[:-1]))
        alone = np.flatnonzero(~np.append(same, False) & ~np.insert(same, 0, False))
        return self.segments(faces[between]), self.segments(faces[alone])


def draw_cut(axes, section, colours, window, weight):
    s0, s1, top, bottom = window
    axes.set_facecolor(SEA)
    axes.add_collection(PolyCollection(
        section.polygons, facecolors=[colours[k] for k in section.part], edgecolors="#2f3a4659",
        linewidths=0.35 * weight))
    axes.add_collection(LineCollection(section.borders, colors=INK, linewidths=0.9 * weight,
                                       capstyle="round"))
    axes.add_collection(LineCollection(section.rims, colors=INK, linewidths=1.1 * weight,
                                       capstyle="round"))
    axes.add_collection(LineCollection(section.fault, colors=FAULT, linewidths=2.6 * weight,
                                       capstyle="round"))
    axes.set(xlim=(s0, s1), ylim=(-bottom, -top), aspect="equal")
    axes.yaxis.set_major_formatter(lambda z, _: f"{0.0 - z:g}")
    axes.set_ylabel("depth [km]")
    axes.tick_params(labelsize=9)


def draw(section, names, depth_km, close_ups, title, path):
    colours = [COLOURS[k % len(COLOURS)] for k in range(len(names))]
    highest = max(float(np.concatenate(section.polygons)[:, 1].max()), 0.0)
    overview = (0.0, section.length, -highest - 0.02 * section.length, depth_km)
    shapes = [(w[3] - w[2]) / (w[1] - w[0]) for w in close_ups]
    usable = WIDTH - 1.2
    heights = [usable * (overview[3] - overview[2]) / section.length + 0.5]
    if close_ups:
        heights.append(usable / len(close_ups) * max(shapes) + 0.5)
    heights.append(0.35)  # the legend's
    figure = plt.figure(figsize=(WIDTH, sum(heights) + 0.6), constrained_layout=True)
    grid = figure.add_gridspec(len(heights), max(1, len(close_ups)), height_ratios=heights)
    main = figure.add_subplot(grid[0, :])
    draw_cut(main, section, colours, overview, 0.8)
    main.set_xlabel("along the section [km]")
    for k, window in enumerate(close_ups):
        axes = figure.add_subplot(grid[1, k])
        draw_cut(axes, section, colours, window, 1.5)
        axes.set_xlabel("along the section [km]")
        main.add_patch(Rectangle((window[0], -window[3]), window[1] - window[0],
                                 window[3] - window[2], fill=False, edgecolor=INK, linewidth=1.4))
        if len(close_ups) > 1:
            letter = "ab"[k]
            main.annotate(letter, (window[0], -window[3]), xytext=(3, 3),
                          textcoords="offset points", fontsize=12, weight="bold", color=INK)
            axes.set_title(letter, loc="left", fontsize=12, weight="bold")
    keys = [Patch(facecolor=colours[k], edgecolor=INK, linewidth=0.6, label=names[k])
            for k in sorted(set(section.part.tolist()))]
    if len(section.fault) > 0:
        keys.append(plt.Line2D([], [], color=FAULT, linewidth=3, label="fault"))
    legend = figure.add_subplot(grid[-1, :])
    legend.axis("off")
    legend.legend(handles=keys, loc="center", ncol=min(len(keys), 8), fontsize=10, frameon=False)
    if title:
        main.set_title(title, fontsize=13)
    figure.savefig(path, dpi=130, pil_kwargs={"optimize": True})


def numbers(text, count, what):
    try:
        values = [float(part) for part in text.split("/")]
    except ValueError:
        values = []
    if len(values) != count or not np.all(np.isfinite(values)):
        fail(f"{what} must be {count} numbers with / between them, got '{text}'")
    return values


def window_of(text):
    s0, s1, top, bottom = numbers(text, 4, "--close-up")
    if not (s1 > s0 and bottom > top):
        fail(f"--close-up must be S0/S1/D0/D1 with S0 < S1 and D0 < D1, got '{text}'")
    return s0, s1, top, bottom


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mesh")
    parser.add_argument("--from", dest="start", metavar="X/Y", help="km east/north; default: west")
    parser.add_argument("--to", dest="end", metavar="X/Y", help="km east/north; default: east")
    parser.add_argument("--output", "-o", required=True)
    parser.add_argument("--depth", type=float, help="km; default: to the bottom")
    parser.add_argument("--close-up", action="append", default=[], metavar="S0/S1/D0/D1")
    parser.add_argument("--title", default="")
    arguments = parser.parse_args()
    if (arguments.start is None) != (arguments.end is None):
        fail("--from and --to go together")
    if len(arguments.close_up) > 2:
        fail(f"at most two --close-up, got {len(arguments.close_up)}")
    windows = [window_of(text) for text in arguments.close_up]
    mesh = Mesh(arguments.mesh)
    if arguments.start is None:
        start, end = (mesh.xyz[:, 0].min(), 0.0), (mesh.xyz[:, 0].max(), 0.0)
    else:
        start = numbers(arguments.start, 2, "--from")
        end = numbers(arguments.end, 2, "--to")
    if np.allclose(start, end):
        fail("--from and --to must differ")
    section = Section(mesh, np.array(start), np.array(end))
    depth = -float(mesh.xyz[:, 2].min()) if arguments.depth is None else arguments.depth
    draw(section, mesh.names, depth, windows, arguments.title, arguments.output)
    print(f"{arguments.output}: {len(section.polygons)} of {len(mesh.tets)} elements")


if __name__ == "__main__":
    try:
        main()
    except PlotError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(error.code)
