# SPDX-License-Identifier: BSD-3-Clause
"""Time series of stations: east, north and up over the epochs."""
import textwrap

import matplotlib.pyplot as plt
import numpy as np

from .common import GREY, INK, YEAR_S, PlotError, unit_for

COMPONENTS = ("east", "north", "up")
MOST_STATIONS = 12  # lines that can be told apart
COLOURS = ("#1f5fa8", "#c2571a", "#2f8f5b", "#8a4fa3", "#b8a11a", "#3aa3b8", "#a83244", "#6b7480",
           "#1b1f24", "#d98fb0", "#7a6a3f", "#5d7f1f")


def draw_series(data, source, stations):
    if len(stations) > MOST_STATIONS:
        raise PlotError(f"--station: at most {MOST_STATIONS} in one picture, got {len(stations)}")
    values = data.displacement(source)[:, stations, :]
    factor, unit = unit_for(float(np.nanmax(np.abs(values), initial=0.0)))
    years = data.epoch_s / YEAR_S
    plt.rcParams.update({"font.size": 10.5, "text.color": INK, "axes.labelcolor": INK})
    figure, panels = plt.subplots(3, 1, sharex=True, constrained_layout=True, figsize=(9.0, 9.0))
    for component, axes in enumerate(panels):
        for k, station in enumerate(stations):
            axes.plot(years, values[:, k, component] / factor, color=COLOURS[k], marker="o",
                      markersize=3.5, linewidth=1.4, label=data.station[station])
        axes.set_ylabel(f"{COMPONENTS[component]} [{unit}{data.unit(source)}]")
        axes.axhline(0.0, color=GREY, linewidth=0.6)
        axes.grid(color="#dedbd3", linewidth=0.6)
        for name, _, times in data.events:
            for time_s in times:
                axes.axvline(time_s / YEAR_S, color=GREY, linewidth=0.9, linestyle="dotted")
                if component == 0:
                    axes.annotate(name, (time_s / YEAR_S, 1.0), xycoords=("data", "axes fraction"),
                                  xytext=(2, 2), textcoords="offset points", fontsize=8,
                                  color=GREY, rotation=20, annotation_clip=True)
    panels[-1].set_xlabel("years after the first event" if data.events else "years after the slip")
    panels[0].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, title="station")
    title = textwrap.shorten(data.title, 80, placeholder=" ...")
    line = textwrap.shorten(data.source_line(source), 90, placeholder=" ...")
    figure.suptitle("\n".join(filter(None, (title, line))), fontsize=13, linespacing=1.35)
    return figure
