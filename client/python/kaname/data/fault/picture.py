# SPDX-License-Identifier: BSD-3-Clause
"""A map of faults: outlines coloured by depth, the file's lines and triangles, and patches."""
from __future__ import annotations

import pathlib
from typing import Any, Sequence

import numpy as np

from ...errors import need
from .shapes import DepthGrid, Rectangle, Trace, Triangles
from .slab import Patches

need("matplotlib", "python3-matplotlib", "a picture")

import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.collections import LineCollection, PolyCollection  # noqa: E402

_INK, _GREY, _RED = "#222222", "#888888", "#d55e00"


def draw(title: str, planes: Sequence[Rectangle] = (), traces: Sequence[Trace] = (), triangles: Triangles | None = None,
         grid: DepthGrid | None = None, patches: Patches | None = None, axes: Any = None) -> Any:
    """Returns a matplotlib.figure.Figure, a new one where no axes are given."""
    if axes is None:
        axes = plt.subplots(figsize=(7.0, 5.2), constrained_layout=True)[1]
    figure = axes.figure
    shown: Any = None
    if grid is not None:
        step = max(1, int(np.ceil(max(grid.depth_m.shape) / 600)))
        part = grid.depth_m[::step, ::step]
        shown = axes.pcolormesh(grid.lon[::step], grid.lat[::step], 1e-3 * part, shading="nearest", cmap="viridis_r",
                                rasterized=True)
    elif triangles is not None:
        corners = np.stack([triangles.lon[triangles.vertices], triangles.lat[triangles.vertices]], axis=-1)
        shown = PolyCollection(corners, array=1e-3 * triangles.depth_m[triangles.vertices].mean(axis=1), edgecolor="white",
                               linewidth=0.2, cmap="viridis_r", rasterized=True)
        axes.add_collection(shown)
    for plane in planes:
        lon, lat, _ = plane.corners()
        axes.fill(lon, lat, facecolor="#0072b2", alpha=0.18)
        axes.plot(np.r_[lon, lon[0]], np.r_[lat, lat[0]], color=_INK, lw=0.9)
        axes.plot(lon[:2], lat[:2], color=_INK, lw=2.4)
    if len(planes) <= 12:
        for plane in planes:
            x, y, _ = (float(v) for v in plane.at(0.0, 0.5 * plane.width_m))
            axes.text(x, y, f"{plane.name}\n{plane.dip_deg:.0f}°, to {1e-3 * plane.bottom_depth_m:.0f} km", fontsize=7,
                      ha="center", va="center", color=_INK)
    for trace in traces:
        axes.plot(trace.lon, trace.lat, color=_RED, lw=1.0)
    if patches is not None and grid is not None:
        axes.add_collection(LineCollection(_lattice(patches, grid), colors=_INK, linewidths=0.5))
    if shown is not None:
        figure.colorbar(shown, ax=axes, label="depth [km]", shrink=0.85)
    axes.autoscale_view()
    axes.margins(0.05)
    low, high = axes.get_ylim()
    axes.set_aspect(1.0 / np.cos(np.radians(0.5 * (low + high))), adjustable="datalim")
    axes.set_xlabel("longitude [°]")
    axes.set_ylabel("latitude [°]")
    axes.set_title(title, loc="left", fontsize=10)
    return figure


def _lattice(patches: Patches, grid: DepthGrid) -> list[Any]:
    """Returns the borders of the patches on the map."""
    from .shapes import to_degrees

    turn = np.radians(patches.strike_deg)
    step = patches.spacing_m, patches.spacing_m * float(np.cos(np.radians(grid.dip_deg)))

    def line(a: Any, c: Any) -> Any:
        a, c = (np.asarray(v, dtype=np.float64) for v in np.broadcast_arrays(a, c))
        lon, lat = to_degrees(a * step[0] * np.sin(turn) + c * step[1] * np.cos(turn),
                              a * step[0] * np.cos(turn) - c * step[1] * np.sin(turn), patches.lon, patches.lat)
        return np.column_stack([lon, lat])

    ends = np.array([-0.5, patches.n_strike - 0.5]), np.array([-0.5, patches.n_dip - 0.5])
    return ([line(k - 0.5, ends[1]) for k in range(patches.n_strike + 1)]
            + [line(ends[0], k - 0.5) for k in range(patches.n_dip + 1)])


def save(figure: Any, path: pathlib.Path) -> None:
    """Writes the picture to a file and closes it."""
    figure.savefig(path, dpi=130)
    plt.close(figure)
