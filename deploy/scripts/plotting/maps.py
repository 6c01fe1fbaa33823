# SPDX-License-Identifier: BSD-3-Clause
"""Maps of one source or of a scenario at some epochs: arrows horizontal motion, colours uplift."""
import textwrap

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.lines import Line2D
from matplotlib.tri import Triangulation

from . import ground
from .common import GREY, INK, epoch_title, length_text, nice_above, nice_below, time_text, unit_for
from .frame import LONGEST, SHORTEST, Frame
from .labels import draw_names

PANEL_IN = 6.4
NET = 15  # arrows of the surface along the panel's width
TITLE_LETTERS = 110
MOST_COLUMNS = 3


class Row:
    """Panels with one scale of colours and one of arrows."""

    def __init__(self, titles, motions, fields, colours):
        self.titles, self.motions, self.fields, self.colours = titles, motions, fields, colours


def rows_of(data, source, epochs, changes):
    """A row of the epochs, and with `changes` one of the change from the first to the last."""
    greens = data.displacement(source)
    on_surface = data.surface is not None and data.source_id[source] == "total"
    fields = [data.field(e) if on_surface else None for e in epochs]
    when = [float(data.epoch_s[e]) for e in epochs]
    rows = [Row([epoch_title(w) for w in when], [greens[e] for e in epochs], fields, "RdBu_r")]
    if changes and len(epochs) > 1:
        change = fields[-1] - fields[0] if on_surface else None
        rows.append(Row([f"change from {time_text(when[0])} to {time_text(when[-1])}"],
                        [greens[epochs[-1]] - greens[epochs[0]]], [change], "PuOr_r"))
    return rows


def net_of(data, frame):
    """Surface points nearest to a square net."""
    x, y, _ = data.surface
    at = np.flatnonzero(frame.holds(x, y))
    column = ((x[at] - frame.west) / (frame.east - frame.west) * NET).astype(int)
    line = ((y[at] - frame.south) / (frame.north - frame.south) * NET).astype(int)
    _, first = np.unique(np.column_stack([column, line]), axis=0, return_index=True)
    return at[first]


def colour_limit(data, frame, row):
    """Next round number above nearly all uplift that is shown."""
    shown = frame.holds(data.x, data.y)
    values = [motion[shown, 2] for motion in row.motions]
    if row.fields[0] is not None:
        inside = frame.holds(*data.surface[:2])
        values += [field[inside, 2] for field in row.fields]
    values = np.abs(np.concatenate(values))
    values = values[np.isfinite(values)]
    return (nice_above(float(np.percentile(values, 97))) or 1.0) if values.size else 1.0


def draw_arrows(axes, x, y, motion, scale, colour, width, zorder):
    return axes.quiver(x, y, motion[:, 0], motion[:, 1], angles="uv", scale_units="y", scale=scale,
                       color=colour, width=width, headwidth=3.8, headlength=4.6,
                       headaxislength=4.2, minlength=0.0, zorder=zorder)


def draw_panel(axes, data, source, frame, row, k, scale, limit, grid, coast):
    """Gives what a colour bar needs, the arrows, and the legend's entries."""
    motion, field = row.motions[k], row.fields[k]
    ground.draw_axes(axes, frame, data.projected)
    entries = ground.draw_coast(axes, frame, coast, field is None) if coast else []
    entries += ground.draw_contours(axes, frame, grid) if grid else []
    entries += ground.draw_outlines(axes, data, source)
    if field is not None:
        x, y, faces = data.surface
        axes.tripcolor(Triangulation(x, y, faces), field[:, 2], cmap=row.colours, vmin=-limit,
                       vmax=limit, shading="gouraud", zorder=0.5)
        net = net_of(data, frame)
        draw_arrows(axes, x[net], y[net], field[net], scale, GREY, 0.0026, 3)
        entries.append(Line2D([], [], color=GREY, marker=r"$\rightarrow$", linestyle="none",
                              markersize=13, label="horizontal motion of the surface"))
    at = frame.holds(data.x, data.y)
    size = float(np.clip(6000.0 / max(at.sum(), 1), 12.0, 55.0))
    dots = axes.scatter(data.x[at], data.y[at], c=motion[at, 2], s=size, cmap=row.colours,
                        vmin=-limit, vmax=limit, edgecolors=INK, linewidths=0.5, zorder=3.5)
    length = np.hypot(motion[:, 0], motion[:, 1])
    drawn = at & (length > SHORTEST * frame.width * scale)
    arrows = draw_arrows(axes, data.x[drawn], data.y[drawn], motion[drawn], scale, INK, 0.0036, 4)
    entries += [Line2D([], [], color="white", marker="o", markeredgecolor=INK, linestyle="none",
                       label="station, its colour the uplift"),
                Line2D([], [], color=INK, marker=r"$\rightarrow$", linestyle="none", markersize=13,
                       label="horizontal motion of a station")]
    return dots, arrows, entries


def add_key(axes, arrows, longest, unit):
    """A round arrow above the panel, where it covers nothing."""
    key = nice_below(longest)
    length = LONGEST * key / longest
    axes.quiverkey(arrows, 0.72 - length, 1.025, key, f"{length_text(key)}{unit}", labelpos="E",
                   coordinates="axes", color=INK, labelcolor=INK, fontproperties={"size": 10})


def add_bar(figure, dots, panels, limit, unit, beyond):
    factor, name = unit_for(limit)
    bar = figure.colorbar(dots, ax=panels, location="bottom", extend="both" if beyond else "neither",
                          shrink=0.8 if len(panels) == 1 else 0.55, aspect=26, pad=0.03)
    bar.ax.xaxis.set_major_formatter(lambda v, _: f"{v / factor:g}".replace("-", "−"))
    bar.set_label(f"uplift [{name}{unit}]")
    bar.ax.tick_params(labelsize=9.5)


def beyond_limit(row, limit):
    values = [*row.motions, *(f for f in row.fields if f is not None)]
    return any(np.nanmax(np.abs(v[:, 2]), initial=0.0) > limit for v in values)


def draw_maps(data, source, epochs, changes=True, grid=None, width_km=None):
    """A figure with a panel per epoch, one for the change, and the legend."""
    rows = rows_of(data, source, epochs, changes)
    fields = [row.fields for row in rows] if rows[0].fields[0] is not None else None
    frame = Frame(data, source, [row.motions for row in rows], width_km, fields)
    coast = list(ground.coast_rings(frame)) if data.projected else []
    count = sum(len(row.titles) for row in rows) + 1  # and the legend
    columns = 2 if changes or count <= 2 else min(MOST_COLUMNS, count)
    lines = -(-count // columns)
    plt.rcParams.update({"font.size": 10.5, "text.color": INK, "axes.labelcolor": INK})
    height = PANEL_IN * frame.height / frame.width + 1.3
    figure, cells = plt.subplots(lines, columns, squeeze=False, constrained_layout=True,
                                 figsize=(PANEL_IN * columns + 0.6, height * lines + 0.7))
    cells, entries, named = list(cells.flat), {}, []
    for row, scale, longest in zip(rows, frame.scales, frame.longest):
        limit = colour_limit(data, frame, row)
        panels, cells = cells[:len(row.titles)], cells[len(row.titles):]
        for k, axes in enumerate(panels):
            dots, arrows, found = draw_panel(axes, data, source, frame, row, k, scale, limit, grid,
                                               coast)
            entries.update({entry.get_label(): entry for entry in found})
            axes.set_title(row.titles[k], fontsize=12, loc="left")
            add_key(axes, arrows, longest, data.unit(source))
            named.append((axes, row.motions[k], row.fields[k], scale))
        add_bar(figure, dots, panels, limit, data.unit(source), beyond_limit(row, limit))
    for axes in cells:
        axes.axis("off")
    cells[0].legend(handles=list(entries.values()), loc="center left", fontsize=11, frameon=False,
                    labelspacing=1.1)
    title = textwrap.shorten(data.title, TITLE_LETTERS, placeholder=" ...")
    line = textwrap.shorten(data.source_line(source), TITLE_LETTERS, placeholder=" ...")
    figure.suptitle("\n".join(filter(None, (title, line))), fontsize=14, linespacing=1.35)
    figure.canvas.draw()  # the layout, which the names are measured in
    at = np.flatnonzero(frame.holds(data.x, data.y))
    names, x, y = [data.station[s] for s in at], data.x[at], data.y[at]
    for axes, motion, field, scale in named:
        faint = None
        if field is not None:
            net = net_of(data, frame)
            net_x, net_y = data.surface[0][net], data.surface[1][net]
            faint = (np.column_stack([net_x, net_y]),
                     np.column_stack(frame.tips(net_x, net_y, field[net], scale)))
        draw_names(axes, names, np.column_stack([x, y]),
                   np.column_stack(frame.tips(x, y, motion[at], scale)), faint)
    return figure
