# SPDX-License-Identifier: BSD-3-Clause
"""Slip whose rate varies: a film strip of maps, and the moment rate with its bars."""
import textwrap

import matplotlib.pyplot as plt
import numpy as np

from . import ground
from .common import INK, nice_above, open_dataset
from .frame import Box
from .maps import PANEL_IN, TITLE_LETTERS
from .slip import SLIP_COLOURS, draw_patches

FRAMES, COLUMNS = 12, 4
DAY_S = 86400.0
BARS = 1.96  # standard deviations to 95 % of a normal distribution


class History:
    """Edges of the steps of time [step + 1] in days, rates of patches [step][patch] in m per year,
    moment rate and its standard deviation [step] in N m per year. `open` gives None where the file
    has no history."""

    def __init__(self, group):
        self.edges_days = group["edge"][:] / DAY_S
        self.rate = group["patch_rate"][:]
        self.moment_rate, self.sigma = group["moment_rate"][:], group["moment_rate_sigma"][:]

    @classmethod
    def open(cls, path):
        with open_dataset(path) as file:
            return cls(file["history"]) if "history" in file else None

    def frames(self):
        """First and last step + 1 of each picture: all steps, as evenly as it goes."""
        ends = np.unique(np.round(np.linspace(0, len(self.rate), FRAMES + 1)).astype(int))
        return list(zip(ends[:-1], ends[1:]))

    def mean_rate(self, first, last):
        """Mean rate of patches over some steps."""
        return np.average(self.rate[first:last], axis=0, weights=np.diff(self.edges_days)[first:last])


def draw_history(slip, history):
    """A figure of maps of the mean slip rate, one after the other, in common colours, over the
    moment rate of all steps with 95 % of its distribution without bounds."""
    frame = Box(slip.outline[..., 0].ravel(), slip.outline[..., 1].ravel(), True)
    coast = list(ground.coast_rings(frame))
    plt.rcParams.update({"font.size": 10.5, "text.color": INK, "axes.labelcolor": INK})
    frames = history.frames()
    maps = [history.mean_rate(*steps) for steps in frames]
    largest = nice_above(float(max(m.max() for m in maps)) or 1.0)
    columns = min(COLUMNS, len(frames))
    rows = -(-len(frames) // columns)
    high = 0.8 * PANEL_IN * frame.height / frame.width + 0.5
    figure = plt.figure(figsize=(0.8 * PANEL_IN * columns, rows * high + 3.4), constrained_layout=True)
    grid = figure.add_gridspec(rows + 1, columns, height_ratios=[high] * rows + [2.6])
    for k, (values, (first, last)) in enumerate(zip(maps, frames)):
        axes = figure.add_subplot(grid[k // columns, k % columns])
        ground.draw_axes(axes, frame, True)
        if coast:
            ground.draw_coast(axes, frame, coast, True)
        draw_patches(axes, slip.outline, values, "m per year", SLIP_COLOURS, largest)
        axes.set_title(f"day {history.edges_days[first]:.0f} to {history.edges_days[last]:.0f}",
                       loc="left", fontsize=10.5)
    axes = figure.add_subplot(grid[rows, :])
    axes.stairs(history.moment_rate, history.edges_days, color=INK)
    middle = 0.5 * (history.edges_days[1:] + history.edges_days[:-1])
    axes.errorbar(middle, history.moment_rate, BARS * history.sigma, fmt="none", ecolor=INK,
                  elinewidth=0.7)
    axes.axhline(0.0, color=INK, linewidth=0.5)
    axes.set(xlabel="days", ylabel="moment rate [N m per year]", xlim=history.edges_days[[0, -1]])
    axes.set_title("bars: 95 % by errors and prior, without bounds", loc="left", fontsize=10.5)
    figure.suptitle(textwrap.shorten(f"{slip.title}: slip in time", TITLE_LETTERS,
                                     placeholder=" ..."), fontsize=14)
    return figure
