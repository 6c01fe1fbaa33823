# SPDX-License-Identifier: BSD-3-Clause
"""Maps of the posterior of an inversion's slip: median, both ends, probability of slip; and its
viscosities two by two."""
import textwrap

import matplotlib.pyplot as plt
import numpy as np

from . import ground
from .common import INK, nice_above, open_dataset
from .frame import Box
from .maps import PANEL_IN, TITLE_LETTERS
from .slip import SLIP_COLOURS, draw_patches

ENDS = (0.025, 0.5, 0.975)
PROBABILITY_COLOURS = "viridis"
LETTERS_PER_INCH = 10  # of a title of size 11


class Posterior:
    """Quantiles of slip [end][window][patch], probability [window][patch] of slip above level
    [window], Mw [end][window]; names `theta` of viscosities that were sampled, with draws
    `viscosity` [draw][theta], `viscosity_ends` [end][theta] and `theta_range` [theta][2] in Pa s.
    `open` gives None where the file has no posterior."""

    def __init__(self, group):
        quantiles = group["quantile"][:]
        at = [int(np.argmin(np.abs(quantiles - end))) for end in ENDS]
        self.slip = group["patch_slip"][:][at]
        self.magnitude = group["moment_magnitude"][:][at]
        self.probability, self.level = group["probability"][:], group["level"][:]
        self.theta = [name.decode() for name in group["theta"][:]] if "theta" in group else []
        if self.theta:
            self.viscosity = group["theta_draws"][:].reshape(-1, len(self.theta))
            self.theta_range = group["theta_range"][:]
            self.viscosity_ends = group["viscosity"][:][at]

    @classmethod
    def open(cls, path):
        with open_dataset(path) as file:
            return cls(file["posterior"]) if "posterior" in file else None


def draw_posterior(slip, posterior, grid=None):
    """A figure with a row for each window of `slip` (plotting.slip.Slip): the median, the ends
    between which 95 % of the draws lie, and the probability that there is slip. Where the lower end
    is 0 the upper one is a limit."""
    frame = Box(slip.outline[..., 0].ravel(), slip.outline[..., 1].ravel(), True)
    coast = list(ground.coast_rings(frame))
    plt.rcParams.update({"font.size": 10.5, "text.color": INK, "axes.labelcolor": INK})
    rows = len(slip.windows)
    figure, cells = plt.subplots(
        rows, 4, squeeze=False, constrained_layout=True,
        figsize=(3.2 * PANEL_IN, rows * (0.7 * PANEL_IN * frame.height / frame.width + 0.9) + 0.6))
    for w, row in enumerate(cells):
        unit = "m per year" if slip.rates[w] else "m"
        what = "slip deficit" if slip.rates[w] else "slip"
        largest = nice_above(float(posterior.slip[2, w].max()) or 1.0)
        low, middle, high = posterior.magnitude[:, w]
        panels = ((posterior.slip[1, w], f"{slip.windows[w]}, median: Mw {middle:.2f} "
                   f"({low:.2f} to {high:.2f})", largest, SLIP_COLOURS, f"{what} [{unit}]"),
                  (posterior.slip[0, w], "2.5 % lie below", largest, SLIP_COLOURS,
                   f"{what} [{unit}]"),
                  (posterior.slip[2, w], "97.5 % lie below", largest, SLIP_COLOURS,
                   f"{what} [{unit}]"),
                  (posterior.probability[w], f"more than {posterior.level[w]:g} {unit}", 1.0,
                   PROBABILITY_COLOURS, "probability"))
        for axes, (values, title, most, colours, label) in zip(row, panels):
            ground.draw_axes(axes, frame, True)
            if coast:
                ground.draw_coast(axes, frame, coast, True)
            if grid:
                ground.draw_contours(axes, frame, grid)
            draw_patches(axes, slip.outline, values, label, colours, most)
            axes.set_title(title, loc="left", fontsize=10.5)
    figure.suptitle(textwrap.shorten(f"{slip.title}: posterior of slip", TITLE_LETTERS,
                                     placeholder=" ..."), fontsize=14)
    return figure


def draw_viscosities(title, posterior):
    """A corner plot of the viscosities that were sampled with slip: histograms on the diagonal with
    median and 95 % of the draws, draws of each pair below it. Axes are logarithms to 10."""
    logs, names = np.log10(posterior.viscosity), posterior.theta
    n = len(names)
    plt.rcParams.update({"font.size": 10.5, "text.color": INK, "axes.labelcolor": INK})
    figure, cells = plt.subplots(n, n, squeeze=False, constrained_layout=True,
                                 figsize=(2.4 * n + 1.2, 2.4 * n + 0.8))
    for row in range(n):
        for column in range(n):
            axes = cells[row, column]
            if column > row:
                axes.set_visible(False)
                continue
            if column == row:
                axes.hist(logs[:, row], bins=30, color="#20639b")
                low, middle, high = np.log10(posterior.viscosity_ends[:, row])
                for value, style in ((low, ":"), (middle, "-"), (high, ":")):
                    axes.axvline(value, color="#d1495b", linestyle=style)
                axes.set_yticks([])
                axes.set_title(f"{names[row]}: {10**middle:.3g} Pa s\n"
                               f"({10**low:.3g} to {10**high:.3g})", fontsize=9.5, loc="left")
            else:
                axes.plot(logs[:, column], logs[:, row], ".", markersize=2, alpha=0.4,
                          color="#20639b")
                if column == 0:
                    axes.set_ylabel(f"log10 {names[row]} [Pa s]")
            if row == n - 1:
                axes.set_xlabel(f"log10 {names[column]} [Pa s]")
    shortened = textwrap.shorten(f"{title}: viscosities", TITLE_LETTERS, placeholder=" ...")
    figure.suptitle(textwrap.fill(shortened, int(LETTERS_PER_INCH * figure.get_figwidth())),
                    fontsize=11)
    return figure
