#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Maps one source of a greens.h5: first and last epoch and the change between them.

Arrows are horizontal motion, colours uplift; the change has scales of its own.

Usage: plot_greens.py greens.h5 --output map.png [--source ID] [--interface slab.csv]
"""
import argparse
import csv
import math
import sys
import textwrap

import h5py
import numpy as np

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.patches import Polygon, Rectangle  # noqa: E402

YEAR_S = 365.25 * 86400.0
DONE = 1
INK, GREY = "#1b1f24", "#6b7480"
CONTOURS_KM = (10, 20, 30, 40, 60, 80)
WIDTH_IN, DPI = 16.0, 100
MAX_ARROW_OF_PANEL = 0.17  # longest arrow, as a part of the panel's width
MIN_ARROW_OF_PANEL = 0.006  # shorter ones are not drawn
KEY_OF_PANEL = 0.085  # height of the strip that holds the arrow's key
SHOWN_FROM = 0.08  # the map holds stations that move by this part of the largest motion
MAX_OUTLINES = 400  # patches; more would only be a grey mesh
TITLE_LETTERS = 120


def fail(message):
    sys.exit(f"plot_greens.py: {message}")


def texts(values):
    return [v.decode() if isinstance(v, bytes) else str(v) for v in values]


class Dataset:
    """What the map needs of a greens.h5."""

    def __init__(self, path):
        try:
            with h5py.File(path, "r") as file:
                if "crs" in file.attrs:
                    fail(f"{path}: has no projection ({file.attrs['crs']}) and so no map")
                self.title = texts([file.attrs.get("title", "")])[0]
                self.source_id = texts(file["source"][:])
                self.patch_id = texts(file["patch_id"][:])
                self.component = texts(file["slip_component"][:])
                self.status = file["status"][:]
                self.source = {k: file[f"patch_{k}"][:] for k in ("lon", "lat", "depth")}
                self.outline_lon = file["outline_lon"][:]
                self.outline_lat = file["outline_lat"][:]
                self.epoch_s = file["epoch"][:]
                self.lon, self.lat = file["station_lon"][:], file["station_lat"][:]
                self._path = path
        except (OSError, KeyError) as error:
            fail(f"{path}: {error}")

    def displacement(self, source):
        """[epoch][station][east, north, up], m per m of slip."""
        with h5py.File(self._path, "r") as file:
            return file["greens"][source]

    def choose(self, wanted):
        done = np.flatnonzero(self.status == DONE)
        if wanted is not None:
            if wanted not in self.source_id:
                fail(f"no source '{wanted}'; the first are {', '.join(self.source_id[:5])}")
            index = self.source_id.index(wanted)
            if self.status[index] != DONE:
                fail(f"source '{wanted}' has no result")
            return index
        if done.size == 0:
            fail("no source has a result")
        # The source closest to the stations says most; dip slip rather than strike slip.
        squeeze = math.cos(math.radians(float(np.mean(self.lat))))
        distance = [np.median(np.hypot((self.lon - self.source["lon"][s]) * squeeze,
                                       self.lat - self.source["lat"][s]))
                    + (0.0 if self.component[s] == "dip_slip" else 1e-3) for s in done]
        return int(done[int(np.argmin(distance))])


def nice_above(value):
    """Smallest of a few round numbers that is not below value."""
    power = 10.0 ** math.floor(math.log10(value)) if value > 0.0 else 1.0
    return next(m * power for m in (1, 1.5, 2, 3, 4, 5, 6, 8, 10) if m * power >= 0.999999 * value)


def nice(value):
    """Largest of 1, 2, 5 times a power of ten that is not above value."""
    if not value > 0.0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return max(m * power for m in (1.0, 2.0, 5.0) if m * power <= value * 1.000001)


def length_text(metres):
    for unit, factor in (("m", 1.0), ("cm", 1e-2), ("mm", 1e-3)):
        if metres >= factor * 0.999999:
            return f"{metres / factor:g} {unit}"
    return f"{metres / 1e-6:g} µm"


def time_text(seconds):
    if seconds <= 0.0:
        return "0"
    years = seconds / YEAR_S
    return f"{years:.3g} years" if years >= 0.1 else f"{seconds / 86400.0:.3g} days"


def read_depth_grid(path):
    """lon [n], lat [m], depth_km [m][n] from rows lon_deg,lat_deg,depth_km."""
    with open(path, newline="", encoding="utf-8") as file:
        lines = [line for line in file if not line.startswith("#")]
    rows = [(float(r["lon_deg"]), float(r["lat_deg"]), float(r["depth_km"] or "nan"))
            for r in csv.DictReader(lines)]
    lon = sorted({r[0] for r in rows})
    lat = sorted({r[1] for r in rows})
    column, row = ({v: i for i, v in enumerate(axis)} for axis in (lon, lat))
    depth = np.full((len(lat), len(lon)), np.nan)
    for x, y, z in rows:
        depth[row[y], column[x]] = abs(z)
    return np.array(lon), np.array(lat), depth


class View:
    """The part of the map that is shown: the patch and the stations that move."""

    def __init__(self, data, source, motions):
        moves = np.zeros(data.lon.size, dtype=bool)
        for motion in motions:
            size = np.hypot(motion[:, 0], motion[:, 1])
            moves |= size > SHOWN_FROM * np.nanmax(size, initial=0.0)
        lon = np.concatenate([data.lon[moves], data.outline_lon[source]])
        lat = np.concatenate([data.lat[moves], data.outline_lat[source]])
        self.squeeze = math.cos(math.radians(float(lat.mean())))
        self._frame(lon, lat)
        # Arrow lengths follow the frame and the frame must hold the arrows: a few rounds settle it.
        for _ in range(4):
            tips = [self.tips(data.lon[moves], data.lat[moves], motion[moves])
                    for motion in motions]
            self._frame(np.concatenate([lon] + [t[0] for t in tips]),
                        np.concatenate([lat] + [t[1] for t in tips]))
        self.inside = ((data.lon > self.west) & (data.lon < self.east)
                       & (data.lat > self.south + KEY_OF_PANEL / (1.0 + KEY_OF_PANEL) * self.height)
                       & (data.lat < self.north))

    def _frame(self, lon, lat):
        """Sides around the points, with a margin, and between 3:4 and 4:3 in shape."""
        width, height = np.ptp(lon) * self.squeeze, np.ptp(lat)
        width, height = max(width, 0.85 * height, 0.2), max(height, 0.75 * width, 0.2)
        width, height = 1.08 * width, 1.08 * height
        x, y = (lon.min() + lon.max()) / 2.0, (lat.min() + lat.max()) / 2.0
        self.width, self.height = width, (1.0 + KEY_OF_PANEL) * height
        self.west, self.east = x - width / self.squeeze / 2.0, x + width / self.squeeze / 2.0
        self.south, self.north = y - height / 2.0 - KEY_OF_PANEL * height, y + height / 2.0

    def arrow_scale(self, motion):
        """Metres of motion per degree of latitude on the map."""
        longest = float(np.nanmax(np.hypot(motion[:, 0], motion[:, 1]), initial=0.0)) or 1.0
        return longest / (MAX_ARROW_OF_PANEL * self.width), longest

    def tips(self, lon, lat, motion):
        scale = self.arrow_scale(motion)[0] if motion.size else 1.0
        return (lon + np.nan_to_num(motion[:, 0]) / scale / self.squeeze,
                lat + np.nan_to_num(motion[:, 1]) / scale)


def grown(indices, size):
    """The run of indices with one more at both ends, within 0..size-1."""
    if indices.size == 0:
        return np.arange(size)
    return np.arange(max(indices[0] - 1, 0), min(indices[-1] + 2, size))


def draw_ground(axes, data, source, view, grid):
    axes.set_facecolor("#f6f4ef")
    axes.grid(color="#dedbd3", linewidth=0.6)
    axes.set_axisbelow(True)
    if grid is not None:
        lon, lat, depth = grid
        # Cut out a little more than the panel, so that labels fall inside.
        columns = np.flatnonzero((lon > view.west) & (lon < view.east))
        rows = np.flatnonzero((lat > view.south) & (lat < view.north))
        cut = np.ix_(grown(rows, lat.size), grown(columns, lon.size))
        lines = axes.contour(lon[cut[1][0]], lat[cut[0][:, 0]], depth[cut],
                             levels=CONTOURS_KM, colors="#9aa5b1", linewidths=0.8,
                             linestyles="dashed", zorder=1)
        axes.clabel(lines, fmt="%d km", fontsize=8, colors=GREY)
    outlines = np.unique(np.stack([data.outline_lon, data.outline_lat], axis=-1), axis=0)
    if len(outlines) <= MAX_OUTLINES:
        for outline in outlines:
            axes.add_patch(Polygon(outline, closed=True, fill=False, edgecolor="#c0a24a",
                                   linewidth=0.6, zorder=1.5))
    outline = np.column_stack([data.outline_lon[source], data.outline_lat[source]])
    axes.add_patch(Polygon(outline, closed=True, facecolor="#ffd54d", alpha=0.55, zorder=2))
    axes.add_patch(Polygon(outline, closed=True, fill=False, edgecolor=INK, linewidth=1.3,
                           zorder=2.5))
    # The aspect makes the panel locally true to angles, so east and north are screen directions.
    axes.set(xlim=(view.west, view.east), ylim=(view.south, view.north), aspect=1.0 / view.squeeze)
    axes.xaxis.set_major_formatter(lambda v, _: f"{abs(v):g}°{'E' if v >= 0 else 'W'}")
    axes.yaxis.set_major_formatter(lambda v, _: f"{abs(v):g}°{'N' if v >= 0 else 'S'}")
    axes.xaxis.set_major_locator(matplotlib.ticker.MaxNLocator(5, steps=[1, 2, 5, 10]))
    axes.yaxis.set_major_locator(matplotlib.ticker.MaxNLocator(5, steps=[1, 2, 5, 10]))
    axes.tick_params(colors=INK, labelsize=9.5)


def draw_motion(axes, data, view, motion, scales, cmap):
    """Dots and arrows; gives the dots back for a colour bar."""
    (arrow_scale, longest), colour = scales
    at, size = view.inside, float(np.clip(6000.0 / max(view.inside.sum(), 1), 10.0, 60.0))
    dots = axes.scatter(data.lon[at], data.lat[at], c=motion[at, 2], s=size, cmap=cmap,
                        vmin=-colour, vmax=colour, edgecolors=INK, linewidths=0.4, zorder=3)
    length = np.hypot(motion[:, 0], motion[:, 1])
    drawn = at & (length > MIN_ARROW_OF_PANEL / MAX_ARROW_OF_PANEL * longest)
    arrows = axes.quiver(data.lon[drawn], data.lat[drawn], motion[drawn, 0], motion[drawn, 1],
                         angles="uv", scale_units="y", scale=arrow_scale, color=INK, width=0.0038,
                         headwidth=3.8, headlength=4.6, headaxislength=4.2, minlength=0.0, zorder=4)
    key = nice(0.8 * longest)
    axes.add_patch(Rectangle((0.0, 0.0), 1.0, KEY_OF_PANEL, transform=axes.transAxes,
                             facecolor="white", edgecolor=GREY, linewidth=0.8, zorder=5))
    tip = 0.03 + MAX_ARROW_OF_PANEL * key / longest
    axes.quiverkey(arrows, tip, KEY_OF_PANEL / 2, key, f"{length_text(key)} per m of slip",
                   labelpos="E", coordinates="axes", color=INK, labelcolor=INK,
                   fontproperties={"size": 10}).set_zorder(6)
    return dots


def colour_limit(motions, at):
    """Next round number above nearly all uplift that is shown."""
    values = np.abs(np.concatenate([motion[at, 2] for motion in motions]))
    values = values[np.isfinite(values)]
    return nice_above(float(np.percentile(values, 97))) if values.size else 1.0


def add_bar(figure, dots, panels, colour, motions, at):
    factor, unit = next(((f, u) for f, u in ((1.0, "m"), (1e-2, "cm"), (1e-3, "mm"))
                         if colour >= f), (1e-6, "µm"))
    outside = np.concatenate([motion[at, 2] for motion in motions])
    low, high = np.nanmin(outside, initial=0.0) < -colour, np.nanmax(outside, initial=0.0) > colour
    extend = {(0, 0): "neither", (1, 0): "min", (0, 1): "max", (1, 1): "both"}[int(low), int(high)]
    bar = figure.colorbar(dots, ax=panels, location="bottom", extend=extend,
                          shrink=0.8 if len(panels) == 1 else 0.55, aspect=24, pad=0.025)
    bar.ax.xaxis.set_major_formatter(lambda v, _: f"{v / factor:g}".replace("-", "−"))
    bar.set_label(f"uplift [{unit} per m of slip]")
    bar.ax.tick_params(labelsize=9.5)


def heading(data, source):
    depth_km = abs(float(data.source["depth"][source])) / 1000.0
    slip = data.component[source].replace("_", " ").replace("rake", "slip at rake")
    line = f"1 m of {slip} on patch {data.patch_id[source]} (outlined), {depth_km:.0f} km deep"
    return textwrap.shorten(data.title, TITLE_LETTERS, placeholder=" ..."), line


def draw(data, source, grid, path):
    displacement = data.displacement(source)
    epochs = [0, len(data.epoch_s) - 1] if len(data.epoch_s) > 1 else [0]
    when = [time_text(float(data.epoch_s[epoch])) for epoch in epochs]
    totals = [displacement[epoch] for epoch in epochs]
    changes = [totals[1] - totals[0]] if len(totals) == 2 else []
    titles = ["at once (coseismic)" if w == "0" else f"after {w}" for w in when]
    titles += [f"change from {when[0]} to {when[1]}"] if changes else []
    view = View(data, source, totals + changes)

    plt.rcParams.update({"font.size": 10.5, "text.color": INK, "axes.labelcolor": INK,
                         "axes.edgecolor": GREY})
    count = len(titles)
    width_in = WIDTH_IN if count > 1 else 0.5 * WIDTH_IN
    panel_in = (width_in - 0.9) / count
    figure, panels = plt.subplots(
        1, count, sharey=True, squeeze=False, constrained_layout=True,
        figsize=(width_in, panel_in * view.height / view.width + 2.1))
    groups = [(totals, panels[0][:len(totals)], "RdBu_r"),
              (changes, panels[0][len(totals):], "PuOr_r")]
    for motions, axes_of_group, cmap in groups:
        if not motions:
            continue
        largest = max(motions, key=lambda motion: view.arrow_scale(motion)[1])
        colour = colour_limit(motions, view.inside)
        for axes, motion in zip(axes_of_group, motions):
            draw_ground(axes, data, source, view, grid)
            dots = draw_motion(axes, data, view, motion, (view.arrow_scale(largest), colour), cmap)
        add_bar(figure, dots, list(axes_of_group), colour, motions, view.inside)
    for axes, title in zip(panels[0], titles):
        axes.set_title(title, fontsize=12)
    name, line = heading(data, source)
    figure.suptitle("\n".join(filter(None, (name, line))), fontsize=14, linespacing=1.35)
    figure.savefig(path, dpi=DPI, pil_kwargs={"optimize": True})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dataset")
    parser.add_argument("--output", required=True)
    parser.add_argument("--source", help="source id; default: the done one closest to the stations")
    parser.add_argument("--interface", help="csv lon_deg,lat_deg,depth_km for depth contours")
    arguments = parser.parse_args()
    data = Dataset(arguments.dataset)
    source = data.choose(arguments.source)
    grid = read_depth_grid(arguments.interface) if arguments.interface else None
    draw(data, source, grid, arguments.output)
    print(f"{arguments.output}: source {data.source_id[source]}, {data.lon.size} stations")


if __name__ == "__main__":
    main()
