#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Maps a scenario's dataset: motion at its first epoch, at its last, and the change between them.

Colours are uplift of the whole surface, arrows horizontal motion at stations (black) and on a net of
surface points (grey); each panel has scales of its own.

Usage: plot_scenario.py scenario.h5 --output map.png [--width KM]
"""
import argparse
import sys
import textwrap

import h5py
import numpy as np

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.tri import Triangulation  # noqa: E402

YEAR_S = 365.25 * 86400.0
INK, GREY = "#1b1f24", "#6b7480"
NET = 15  # arrows of the surface along the panel's width
LONGEST = 0.13  # arrow, as a part of the panel's width
KM_PER_DEGREE = 111.2


def fail(message):
    sys.exit(f"plot_scenario.py: {message}")


def texts(values):
    return [v.decode() if isinstance(v, bytes) else str(v) for v in values]


def round_below(value):
    """Largest of 1, 2, 5 times a power of ten that is not above value."""
    power = 10.0 ** np.floor(np.log10(value)) if value > 0.0 else 1.0
    return max(m * power for m in (1.0, 2.0, 5.0) if m * power <= value * 1.000001)


class Scenario:
    def __init__(self, path):
        try:
            with h5py.File(path, "r") as file:
                if "events" not in file:
                    fail(f"{path}: holds no scenario; plot_greens.py maps unit sources")
                if "surface" not in file or "lon" not in file["surface"]:
                    fail(f"{path}: holds no motion of the surface on the globe")
                rows = texts(file["source"][:])
                total = rows.index("total")
                self.title = texts([file.attrs.get("title", "")])[0]
                self.epoch_s = file["epoch"][:]
                self.lon, self.lat = file["station_lon"][:], file["station_lat"][:]
                self.station = texts(file["station"][:])
                self.motion = file["greens"][total]
                self.outline = np.column_stack([file["outline_lon"][total],
                                                file["outline_lat"][total]])
                surface = file["surface"]
                self.x, self.y = surface["lon"][:], surface["lat"][:]
                self.faces = surface["faces"][:, :3]
                self.field = surface["displacement"][:]
                events = file["events"]
                self.events = [f"{name} Mw {mw:.2f}" for name, mw in
                               zip(texts(events["name"][:]), events["moment_magnitude"][:])]
        except (OSError, KeyError, ValueError) as error:
            fail(f"{path}: {error}")


def when(seconds):
    return "at once" if seconds == 0.0 else f"after {seconds / YEAR_S:.3g} years"


def box_of(data, width_km):
    """West, east, south, north around the slip's middle."""
    lon, lat = data.outline[:, 0].mean(), data.outline[:, 1].mean()
    squeeze = np.cos(np.radians(lat))
    if width_km is None:
        slip = max(np.ptp(data.outline[:, 0]) * squeeze, np.ptp(data.outline[:, 1]))
        width_km = 3.5 * slip * KM_PER_DEGREE
    half = 0.5 * width_km / KM_PER_DEGREE
    return lon - half / squeeze, lon + half / squeeze, lat - half, lat + half, squeeze


def net_of(data, box):
    """Surface points nearest to a square net."""
    west, east, south, north, _ = box
    inside = (data.x > west) & (data.x < east) & (data.y > south) & (data.y < north)
    column = ((data.x - west) / (east - west) * NET).astype(int)
    row = ((data.y - south) / (north - south) * NET).astype(int)
    first = {}
    for k in np.flatnonzero(inside):
        first.setdefault((column[k], row[k]), k)
    return np.array(sorted(first.values()), dtype=int)


def arrows(axes, lon, lat, motion, scale, colour, width):
    return axes.quiver(lon, lat, motion[:, 0], motion[:, 1], angles="uv", scale_units="y",
                       scale=scale, color=colour, width=width, headwidth=3.6, headlength=4.5,
                       headaxislength=4.0, minlength=0.0, zorder=3)


def draw_panel(figure, axes, data, box, net, field, motion, title):
    west, east, south, north, squeeze = box
    inside = ((data.x > west) & (data.x < east) & (data.y > south) & (data.y < north))
    limit = float(np.nanpercentile(np.abs(field[inside, 2]), 99.5)) or 1.0
    colours = axes.tripcolor(Triangulation(data.x, data.y, data.faces), field[:, 2],
                             cmap="RdBu_r", vmin=-limit, vmax=limit, shading="gouraud")
    shown = ((data.lon > west) & (data.lon < east) & (data.lat > south) & (data.lat < north))
    longest = float(np.nanpercentile(np.hypot(field[net, 0], field[net, 1]), 98)) or 1.0
    scale = longest / (LONGEST * (north - south))
    arrows(axes, data.x[net], data.y[net], field[net], scale, GREY, 0.0028)
    black = arrows(axes, data.lon[shown], data.lat[shown], motion[shown], scale, INK, 0.0042)
    axes.plot(data.lon[shown], data.lat[shown], "o", color=INK, markersize=3, zorder=4)
    for k in np.flatnonzero(shown):
        axes.annotate(data.station[k], (data.lon[k], data.lat[k]), xytext=(4, -9),
                      textcoords="offset points", fontsize=7.5, color=INK, zorder=5)
    axes.plot(*np.vstack([data.outline, data.outline[:1]]).T, color="#8a6d1a", linewidth=1.2)
    key = round_below(longest)
    axes.quiverkey(black, LONGEST + 0.03, 0.04, key, f"{key:g} m", labelpos="E", color=INK,
                   fontproperties={"size": 10})
    axes.set(xlim=(west, east), ylim=(south, north), aspect=1.0 / squeeze)
    axes.set_title(title, fontsize=12)
    axes.xaxis.set_major_formatter(lambda v, _: f"{v:g}°E")
    axes.yaxis.set_major_formatter(lambda v, _: f"{v:g}°N")
    bar = figure.colorbar(colours, ax=axes, location="bottom", shrink=0.8, aspect=26, pad=0.06)
    bar.set_label("uplift [m]")


def draw(data, width_km, path):
    box = box_of(data, width_km)
    net = net_of(data, box)
    last = len(data.epoch_s) - 1
    panels = [(data.field[0], data.motion[0], when(data.epoch_s[0]))]
    if last > 0:
        panels += [(data.field[last], data.motion[last], when(data.epoch_s[last])),
                   (data.field[last] - data.field[0], data.motion[last] - data.motion[0],
                    f"change, {when(data.epoch_s[last])}")]
    figure, axes = plt.subplots(1, len(panels), squeeze=False, constrained_layout=True,
                                figsize=(5.6 * len(panels), 7.0))
    for one, (field, motion, title) in zip(axes[0], panels):
        draw_panel(figure, one, data, box, net, field, motion, title)
    events = textwrap.shorten("; ".join(data.events), 150, placeholder=" ...")
    figure.suptitle(f"{data.title}\n{events}", fontsize=13)
    figure.savefig(path, dpi=100, pil_kwargs={"optimize": True})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dataset")
    parser.add_argument("--output", required=True)
    parser.add_argument("--width", type=float, help="km of the map; default from the slip")
    arguments = parser.parse_args()
    data = Scenario(arguments.dataset)
    draw(data, arguments.width, arguments.output)
    print(f"{arguments.output}: {', '.join(data.events)}")


if __name__ == "__main__":
    main()
