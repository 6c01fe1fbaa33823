# SPDX-License-Identifier: BSD-3-Clause
"""Slip whose rate varies: a film strip of maps, and the moment rate with its bars."""
import textwrap

import matplotlib.pyplot as plt
import numpy as np

from . import ground
from .common import INK, nice_above, open_dataset, texts
from .frame import Box
from .maps import PANEL_IN, TITLE_LETTERS
from .slip import SLIP_COLOURS, draw_patches

FRAMES, COLUMNS = 12, 4
DAY_S, YEAR_DAYS = 86400.0, 365.25
LONG_DAYS = 3.0 * YEAR_DAYS  # from this length on times are in years
EVENT = "#c2571a"
BARS = 1.96  # standard deviations to 95 % of a normal distribution


class History:
    """Edges of the steps of time [step + 1] and times of sudden slip [event] in `unit` (day, year),
    rates of patches [step][patch] in m per year, moment rate and its standard deviation [step] in N m
    per year. `open` gives None where the file has no history."""

    def __init__(self, file):
        group = file["history"]
        self.edges = group["edge"][:] / DAY_S
        kinds = texts(file["window_kind"][:])
        self.events = file["window_begin"][:][[kind == "step" for kind in kinds]] / DAY_S
        self.unit = "day"
        if np.ptp(self.edges) >= LONG_DAYS:
            self.unit = "year"
            self.edges, self.events = self.edges / YEAR_DAYS, self.events / YEAR_DAYS
        self.rate = group["patch_rate"][:]
        self.moment_rate, self.sigma = group["moment_rate"][:], group["moment_rate_sigma"][:]

    @classmethod
    def open(cls, path):
        with open_dataset(path) as file:
            return cls(file) if "history" in file else None

    def frames(self):
        """First and last step + 1 of each picture: all steps, as evenly as it goes."""
        ends = np.unique(np.round(np.linspace(0, len(self.rate), FRAMES + 1)).astype(int))
        return list(zip(ends[:-1], ends[1:]))

    def mean_rate(self, first, last):
        """Mean rate of patches over some steps."""
        return np.average(self.rate[first:last], axis=0, weights=np.diff(self.edges)[first:last])

    def between(self, first, last):
        """Text of a picture's times."""
        begin, end = np.round(self.edges[[first, last]], 0 if self.unit == "day" else 1) + 0.0
        return f"{self.unit} {begin:g} to {end:g}"  # 0.0 takes the sign of zero


def draw_history(slip, history):
    """A figure of maps of the mean slip rate, one after the other, in common colours, over the
    moment rate of all steps with 95 % of its distribution without bounds, and times of sudden slip."""
    frame = Box(slip.outline[..., 0].ravel(), slip.outline[..., 1].ravel(), True)
    coast = list(ground.coast_rings(frame))
    plt.rcParams.update({"font.size": 10.5, "text.color": INK, "axes.labelcolor": INK})
    frames = history.frames()
    maps = [history.mean_rate(*steps) for steps in frames]
    largest = nice_above(float(max(m.max() for m in maps)) or 1.0)
    columns = min(COLUMNS, len(frames))
    rows = -(-len(frames) // columns)
    high = 0.66 * PANEL_IN * frame.height / frame.width + 0.5
    figure = plt.figure(figsize=(0.8 * PANEL_IN * columns, rows * high + 3.4), constrained_layout=True)
    grid = figure.add_gridspec(rows + 1, columns, height_ratios=[high] * rows + [2.6])
    shown = []
    for k, (values, steps) in enumerate(zip(maps, frames)):
        axes = figure.add_subplot(grid[k // columns, k % columns])
        shown.append(axes)
        ground.draw_axes(axes, frame, True)
        if coast:
            ground.draw_coast(axes, frame, coast, True)
        patches = draw_patches(axes, slip.outline, values, None, SLIP_COLOURS, largest)
        axes.set_title(history.between(*steps), loc="left", fontsize=10.5)
    figure.colorbar(patches, ax=shown, shrink=0.5, pad=0.01, label="slip rate [m per year]")
    axes = figure.add_subplot(grid[rows, :])
    axes.stairs(history.moment_rate, history.edges, color=INK)
    middle = 0.5 * (history.edges[1:] + history.edges[:-1])
    axes.errorbar(middle, history.moment_rate, BARS * history.sigma, fmt="none", ecolor=INK,
                  elinewidth=0.7)
    axes.axhline(0.0, color=INK, linewidth=0.5)
    for event in history.events:
        axes.axvline(event, color=EVENT, linestyle="--", linewidth=1.0)
    axes.set(xlabel=f"{history.unit}s", ylabel="moment rate [N m per year]",
             xlim=history.edges[[0, -1]])
    axes.set_title("bars: 95 % by errors and prior, without bounds"
                   + ("; dashed: sudden slip" if history.events.size else ""), loc="left",
                   fontsize=10.5)
    figure.suptitle(textwrap.shorten(f"{slip.title}: slip in time", TITLE_LETTERS,
                                     placeholder=" ..."), fontsize=14)
    return figure
