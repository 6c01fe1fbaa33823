# SPDX-License-Identifier: BSD-3-Clause
"""What lies under the arrows: land, coastlines, depth contours, outlines, axes."""
import csv
import pathlib

import matplotlib
import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, PathPatch, Polygon
from matplotlib.path import Path

from .common import GREY, INK, NOT_FOUND, SEA, PlotError, beside

COAST_FILE = pathlib.Path(__file__).parent / "coast" / "coast.npz"
CONTOURS_KM = (5, 10, 20, 30, 40, 50, 60, 80, 100, 150, 200, 300)
MAX_OUTLINES = 400  # patches; more would only be a grey mesh
LAND, COAST, CONTOUR, PATCH, SLIPS = "#f3efe4", "#8c8471", "#4a7fa5", "#c0a24a", "#ffd54d"


def coast_rings(frame):
    """Rings of land that meet the frame, longitudes moved by turns of 360 degrees to it."""
    with np.load(COAST_FILE) as file:
        sizes, steps = file["size"], file["step"] / float(file["per_degree"])
    for ring in np.split(steps, np.cumsum(sizes)[:-1]):
        ring = np.cumsum(ring, axis=0)
        for turn in (-360.0, 0.0, 360.0):
            x, y = ring[:, 0] + turn, ring[:, 1]
            if (x.max() > frame.west and x.min() < frame.east
                    and y.max() > frame.south and y.min() < frame.north):
                yield np.column_stack([x, y])


def draw_coast(axes, frame, rings, filled):
    """Gives the legend's entry, or none where all is land."""
    codes = np.concatenate([[Path.MOVETO] + [Path.LINETO] * (len(r) - 2) + [Path.CLOSEPOLY]
                            for r in rings])
    land = Path(np.concatenate(rings), codes)
    styles = [{"facecolor": LAND, "edgecolor": "none", "zorder": 0.4, "gid": "land"}] if filled else []
    styles.append({"facecolor": "none", "edgecolor": COAST, "linewidth": 0.8, "zorder": 1.2,
                   "gid": "coast"})
    for style in styles:
        patch = PathPatch(land, **style)
        patch.set_in_layout(False)
        axes.add_artist(patch)  # add_patch would measure a continent
    shown = any(np.any(frame.holds(ring[:, 0], ring[:, 1])) for ring in rings)
    return [Line2D([], [], color=COAST, linewidth=1.2, label="coastline (Natural Earth)")
            ] if shown else []


def read_depth_grid(path):
    """lon [n], lat [m], depth_km [m][n] from rows lon_deg,lat_deg,depth_km."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            lines = [line for line in file if not line.startswith("#")]
        rows = [(float(r["lon_deg"]), float(r["lat_deg"]), float(r["depth_km"] or "nan"))
                for r in csv.DictReader(lines)]
    except FileNotFoundError as error:
        raise PlotError(f"--contours: {path} is not there", NOT_FOUND) from error
    except (OSError, KeyError, ValueError) as error:
        raise PlotError(f"--contours: {path} must have numbers in columns lon_deg, lat_deg, "
                        f"depth_km: {error}") from error
    lon = sorted({r[0] for r in rows})
    lat = sorted({r[1] for r in rows})
    if len(lon) * len(lat) > 4 * len(rows) + 100 or len(rows) < 4:
        raise PlotError(f"--contours: {path} must be a grid of longitudes and latitudes")
    column, row = ({v: i for i, v in enumerate(axis)} for axis in (lon, lat))
    depth = np.full((len(lat), len(lon)), np.nan)
    for x, y, z in rows:
        depth[row[y], column[x]] = abs(z)
    return np.array(lon), np.array(lat), depth


def _grown(inside):
    """Slice of what is inside, with one more at both ends."""
    at = np.flatnonzero(inside)
    return slice(max(at[0] - 1, 0), at[-1] + 2) if at.size else slice(0, 0)


def draw_contours(axes, frame, grid):
    lon, lat, depth = grid
    lon = beside(lon, 0.5 * (frame.west + frame.east))
    order = np.argsort(lon)
    lon, depth = lon[order], depth[:, order]
    columns = _grown((lon > frame.west) & (lon < frame.east))
    rows = _grown((lat > frame.south) & (lat < frame.north))
    part = depth[rows, columns]
    if min(part.shape, default=0) < 2 or not np.any(np.isfinite(part)):
        return []
    levels = [c for c in CONTOURS_KM if np.nanmin(part) < c < np.nanmax(part)]
    if not levels:
        return []
    lines = axes.contour(lon[columns], lat[rows], part, levels=levels, colors=CONTOUR,
                         linewidths=0.9, linestyles="dashed", zorder=1.3)
    axes.clabel(lines, fmt="%g", fontsize=8, colors=CONTOUR)
    return [Line2D([], [], color=CONTOUR, linewidth=1.2, linestyle="dashed",
                   label=f"depth of the interface: {', '.join(f'{c:g}' for c in levels)} km")]


def draw_outlines(axes, data, source):
    """The patches as one grid, and the one that slips."""
    entries = []
    outlines = np.unique(data.outline[np.all(np.isfinite(data.outline), axis=(1, 2))], axis=0)
    if 1 < len(outlines) <= MAX_OUTLINES:
        for outline in outlines:
            axes.add_patch(Polygon(outline, closed=True, fill=False, edgecolor=PATCH,
                                   linewidth=0.7, zorder=1.5))
        name = "slip of each event" if data.events else "patches"
        entries.append(Patch(facecolor="none", edgecolor=PATCH, label=name))
    outline = data.outline[source]
    if np.all(np.isfinite(outline)):
        face = "none" if data.surface else SLIPS
        axes.add_patch(Polygon(outline, closed=True, facecolor=face, alpha=0.5, zorder=1.8))
        axes.add_patch(Polygon(outline, closed=True, fill=False, edgecolor=INK, linewidth=1.4,
                               zorder=2.5))
        entries.append(Patch(facecolor=face, edgecolor=INK, alpha=0.8, label="what slips"))
    return entries


def _degrees(positive, negative):
    return lambda v, _: f"{abs(v):g}°{positive if v >= 0 else negative}"


def _longitude(v, _):
    """Of a map across 180 degrees too, where its sides count on beyond."""
    v = round((v + 180.0) % 360.0 - 180.0, 9)
    return "180°" if v == -180.0 else _degrees("E", "W")(v, _)


def draw_axes(axes, frame, projected):
    axes.set_facecolor(SEA if projected else LAND)
    frame.apply(axes)
    if projected:
        axes.xaxis.set_major_formatter(_longitude)
        axes.yaxis.set_major_formatter(_degrees("N", "S"))
    else:
        axes.set(xlabel="x [km]", ylabel="y [km]")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(matplotlib.ticker.MaxNLocator(5, steps=[1, 2, 5, 10]))
    axes.tick_params(colors=INK, labelsize=9.5)
    for spine in axes.spines.values():
        spine.set_edgecolor(GREY)
