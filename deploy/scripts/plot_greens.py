#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Maps one source of a greens.h5: horizontal arrows and vertical colour, first and last epoch.

Usage: plot_greens.py greens.h5 --output map.png [--source ID] [--interface slab.csv]
"""
import argparse
import csv
import math
import sys

import h5py
import numpy as np

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.patches import Polygon  # noqa: E402

YEAR_S = 365.25 * 86400.0
DONE = 1
INK, GREY = "#1b1f24", "#6b7480"
CONTOURS_KM = (10, 20, 30, 40, 60, 80)
MAX_ARROW_OF_PANEL = 0.16  # longest arrow, as a part of the panel's width


def fail(message):
    sys.exit(f"plot_greens.py: {message}")


def texts(values):
    return [v.decode() if isinstance(v, bytes) else str(v) for v in values]


class Dataset:
    """What the map needs of a greens.h5."""

    def __init__(self, path):
        try:
            with h5py.File(path, "r") as file:
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


def nice(value):
    """Largest of 1, 2, 5 times a power of ten that is not above value."""
    if not value > 0.0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return max(m * power for m in (1.0, 2.0, 5.0) if m * power <= value * 1.000001)


def length_text(metres):
    for unit, factor in (("m", 1.0), ("cm", 1e-2), ("mm", 1e-3)):
        if metres >= factor:
            return f"{metres / factor:g} {unit}"
    return f"{metres / 1e-6:g} µm"


def years_text(seconds):
    if seconds <= 0.0:
        return "at once (coseismic)"
    years = seconds / YEAR_S
    return f"after {years:.3g} years" if years >= 0.1 else f"after {seconds / 86400.0:.3g} days"


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


def extent_of(data, source):
    """(west, east, south, north) around stations and patch, not thinner than 1 to 2."""
    lon = np.concatenate([data.lon, data.outline_lon[source]])
    lat = np.concatenate([data.lat, data.outline_lat[source]])
    squeeze = math.cos(math.radians(float(lat.mean())))
    width, height = np.ptp(lon) * squeeze, np.ptp(lat)
    width, height = 1.2 * max(width, 0.7 * height, 0.2), 1.2 * max(height, 0.7 * width, 0.2)
    x, y = (lon.min() + lon.max()) / 2.0, (lat.min() + lat.max()) / 2.0
    return (x - width / squeeze / 2.0, x + width / squeeze / 2.0, y - height / 2.0,
            y + height / 2.0), squeeze


def draw_panel(axes, data, source, motion, scales, grid):
    (west, east, south, north), squeeze = extent_of(data, source)
    arrow_m_per_degree, colour_m = scales
    axes.set_facecolor("#f6f4ef")
    axes.grid(color="#d8d5cd", linewidth=0.6)
    axes.set_axisbelow(True)
    if grid is not None:
        lines = axes.contour(*grid, levels=CONTOURS_KM, colors="#9aa5b1", linewidths=0.8,
                             linestyles="dashed", zorder=1)
        axes.clabel(lines, fmt="%d km", fontsize=7.5, colors=GREY)
    outline = np.column_stack([data.outline_lon[source], data.outline_lat[source]])
    axes.add_patch(Polygon(outline, closed=True, facecolor="#ffd54d", alpha=0.45, zorder=2))
    axes.add_patch(Polygon(outline, closed=True, fill=False, edgecolor=INK, linewidth=1.5, zorder=5))
    size = float(np.clip(9000.0 / max(data.lon.size, 1), 9.0, 70.0))
    dots = axes.scatter(data.lon, data.lat, c=motion[:, 2], s=size, cmap="RdBu_r", vmin=-colour_m,
                        vmax=colour_m, edgecolors=INK, linewidths=0.35, zorder=3)
    # The aspect makes the panel locally true to angles, so east and north are screen directions.
    arrows = axes.quiver(data.lon, data.lat, motion[:, 0], motion[:, 1], angles="uv",
                         scale_units="y", scale=arrow_m_per_degree, color=INK, width=0.0032,
                         headwidth=3.6, headlength=4.5, zorder=4)
    axes.set(xlim=(west, east), ylim=(south, north), aspect=1.0 / squeeze)
    axes.xaxis.set_major_formatter(lambda v, _: f"{abs(v):g}°{'E' if v >= 0 else 'W'}")
    axes.yaxis.set_major_formatter(lambda v, _: f"{abs(v):g}°{'N' if v >= 0 else 'S'}")
    axes.xaxis.set_major_locator(matplotlib.ticker.MaxNLocator(5, steps=[1, 2, 5, 10]))
    axes.yaxis.set_major_locator(matplotlib.ticker.MaxNLocator(5, steps=[1, 2, 5, 10]))
    axes.tick_params(colors=INK, labelsize=9)
    return dots, arrows


def draw(data, source, grid, path):
    displacement = data.displacement(source)
    epochs = [0, len(data.epoch_s) - 1] if len(data.epoch_s) > 1 else [0]
    shown = displacement[epochs]
    (west, east, south, north), squeeze = extent_of(data, source)
    longest = float(np.nanmax(np.hypot(shown[..., 0], shown[..., 1]))) or 1.0
    arrow_m_per_degree = longest / (MAX_ARROW_OF_PANEL * (east - west) * squeeze)
    colour_m = nice(float(np.nanpercentile(np.abs(shown[..., 2]), 98)) * 1.2) or 1.0

    plt.rcParams.update({"font.size": 10, "text.color": INK, "axes.labelcolor": INK,
                         "axes.edgecolor": GREY})
    panel_in = 6.2
    height_in = panel_in * (north - south) / ((east - west) * squeeze) + 1.2
    figure, panels = plt.subplots(1, len(epochs), figsize=(panel_in * len(epochs) + 1.4, height_in),
                                  sharey=True, squeeze=False, constrained_layout=True)
    for axes, epoch in zip(panels[0], epochs):
        dots, arrows = draw_panel(axes, data, source, displacement[epoch],
                                  (arrow_m_per_degree, colour_m), grid)
        axes.set_title(years_text(float(data.epoch_s[epoch])), fontsize=11.5)
        key = nice(0.7 * longest)
        tip = 0.03 + MAX_ARROW_OF_PANEL * key / longest
        axes.quiverkey(arrows, tip, 0.06, key, f"{length_text(key)} per m of slip", labelpos="E",
                       coordinates="axes", color=INK, labelcolor=INK, fontproperties={"size": 9})
    bar = figure.colorbar(dots, ax=panels[0].tolist(), shrink=0.85, pad=0.015, extend="both")
    bar.set_label("uplift [m per m of slip]")
    depth_km = abs(float(data.source["depth"][source])) / 1000.0
    name = f"{data.title}: " if data.title else ""
    slip = data.component[source].replace("_", " ").replace("rake", "slip at rake")
    figure.suptitle(f"{name}1 m of {slip} on "
                    f"patch {data.patch_id[source]}, {depth_km:.0f} km deep", fontsize=13.5,
                    fontweight="bold")
    figure.savefig(path, dpi=150)


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
