# SPDX-License-Identifier: BSD-3-Clause
"""A spontaneous rupture: slip and rupture times on its faults, slip rates there, seismograms."""
import textwrap

import matplotlib.pyplot as plt
import numpy as np

from .common import INK, PlotError, open_dataset, texts
from .maps import TITLE_LETTERS
from .waves import Waves, draw_section

MOST_FAULTS = 4   # that a picture has room for, by area
MOST_TRACES = 8   # of slip rate that can be told apart
COLOURS = "YlOrRd"


def is_rupture(path):
    with open_dataset(path) as file:
        return "rupture/triangles" in file


class Fault:
    """One fault in its own coordinates; `group` is the dataset's."""

    def __init__(self, group, index):
        here = np.flatnonzero(group["fault"][:] == index)
        triangles = group["triangles"][:][here]
        points, corners = np.unique(triangles, return_inverse=True)
        self.name = texts(group["fault_name"][:])[index]
        self.triangles = corners.reshape(-1, 3)
        xyz = group["xyz"][:][points]
        a, b, c = (xyz[self.triangles[:, k]] for k in range(3))
        normals = np.cross(b - a, c - a)
        self.areas = 0.5 * np.linalg.norm(normals, axis=1)
        normal = normals.sum(axis=0)
        normal /= np.linalg.norm(normal)
        # Strike is z x n, down dip is strike x n.
        strike = np.cross([0.0, 0.0, 1.0], normal)
        size = np.linalg.norm(strike)
        strike = strike / size if size > 1e-6 else np.array([1.0, 0.0, 0.0])
        along, down = xyz @ strike, xyz @ np.cross(strike, normal)
        self.along = (along - 0.5 * (along.min() + along.max())) / 1e3
        self.down = (down - down.min()) / 1e3
        self.slip = group["slip"][:][here]
        self.time = group["rupture_time"][:][here]

    def at_points(self, values):
        """Means of the triangles about each point; points of triangles without one have none."""
        good = np.isfinite(values) & (values >= 0.0)
        corners, weights = self.triangles[good].ravel(), np.repeat(self.areas[good], 3)
        total = np.bincount(corners, weights, self.along.size)
        some = np.bincount(corners, weights * np.repeat(values[good], 3), self.along.size)
        return np.divide(some, total, out=np.full(self.along.size, np.nan), where=total > 0.0)


class Rupture:
    """What a picture of an open rupture.h5 needs; `path` is the file's name."""

    def __init__(self, file, path, component):
        if "rupture" not in file:
            raise PlotError(f"{path} has no faults")
        self.title = texts([file.attrs["title"]])[0]
        self.magnitude = float(file.attrs["magnitude"])
        group = file["rupture"]
        faults = [Fault(group, k) for k in range(group["fault_name"].shape[0])]
        self.faults = sorted(faults, key=lambda fault: -fault.areas.sum())[:MOST_FAULTS]
        self.rates = None
        if "fault_receivers" in file:
            points = file["fault_receivers"]
            rate = np.hypot(points["slip_rate_strike"][:], points["slip_rate_dip"][:])
            self.rates = (points["time"][:], texts(points["fault_receiver"][:]), rate)
        self.waves = Waves(file, path, None, component)

    @classmethod
    def of_file(cls, path, component):
        with open_dataset(path) as file:
            return cls(file, path, component)


def draw_fault(axes, fault, largest):
    image = axes.tripcolor(fault.along, fault.down, fault.triangles, facecolors=fault.slip,
                           cmap=COLOURS, vmin=0.0, vmax=largest, rasterized=True)
    time = fault.at_points(fault.time)
    reached = np.isfinite(time)
    last = float(np.nanmax(time, initial=0.0))
    if last > 0.0:
        hidden = ~reached[fault.triangles].all(axis=1)
        step = 10.0 ** np.floor(np.log10(last / 5.0))
        step *= next(k for k in (1.0, 2.0, 5.0, 10.0) if last / (step * k) <= 16.0)
        if not hidden.all():
            mesh = plt.matplotlib.tri.Triangulation(fault.along, fault.down, fault.triangles,
                                                    mask=hidden)
            lines = axes.tricontour(mesh, np.where(reached, time, 0.0),
                                    levels=np.arange(step, last + step, step), colors=INK,
                                    linewidths=0.8)
            axes.clabel(lines, fmt="%g s", fontsize=8)
    axes.set_aspect("equal")
    axes.invert_yaxis()
    axes.set_xlabel("along strike [km]")
    axes.set_ylabel("down dip [km]")
    axes.set_title(fault.name, fontsize=11)
    return image


def draw_rates(axes, rates):
    time, names, rate = rates
    for k, name in enumerate(names[:MOST_TRACES]):
        axes.plot(time, rate[k], linewidth=1.0, label=name)
    axes.set_xlabel("time [s]")
    axes.set_ylabel("slip rate [m/s]")
    axes.set_xlim(time[0], time[-1])
    axes.set_ylim(bottom=0.0)
    axes.legend(fontsize=8.5, frameon=False)
    axes.grid(axis="x", color="#dedbd3", linewidth=0.6)


def draw_rupture(rupture):
    plt.rcParams.update({"font.size": 10.5, "text.color": INK, "axes.labelcolor": INK})
    n = len(rupture.faults)
    heights = [float(np.clip(10.0 * np.ptp(fault.down) / np.ptp(fault.along), 1.5, 5.0)) + 0.8
               for fault in rupture.faults]
    above = sum(heights) + 1.6  # the title and the scale of slip
    figure = plt.figure(constrained_layout=True, figsize=(13.0, above + 4.5))
    upper, lower = figure.subfigures(2, 1, height_ratios=(above, 4.5))
    largest = max(float(np.nanmax(fault.slip, initial=0.0)) for fault in rupture.faults)
    maps = upper.subplots(n, 1, squeeze=False, height_ratios=heights)[:, 0]
    for axes, fault in zip(maps, rupture.faults):
        image = draw_fault(axes, fault, largest if largest > 0.0 else 1.0)
    upper.colorbar(image, ax=list(maps), location="bottom", panchor=False, shrink=0.4,
                   aspect=40, label="slip [m]")
    if rupture.rates is not None:
        left, right = lower.subplots(1, 2)
        draw_rates(left, rupture.rates)
    else:
        right = lower.subplots()
    draw_section(right, rupture.waves)
    title = textwrap.shorten(rupture.title, TITLE_LETTERS, placeholder=" ...")
    figure.suptitle(f"{title}\nmagnitude {rupture.magnitude:.2f}, slip and rupture times",
                    fontsize=13, linespacing=1.35)
    return figure
