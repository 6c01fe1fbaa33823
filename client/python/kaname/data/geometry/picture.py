# SPDX-License-Identifier: BSD-3-Clause
"""A picture of a fitted source: motion observed and predicted over rectangles of the posterior, and its marginals."""
from __future__ import annotations

import pathlib
from typing import Any

import numpy as np

from ...errors import need
from .fit import Geometry, unwrapped
from .result import unit_of
from .tables import Table

need("matplotlib", "python3-matplotlib", "a picture (else --no-picture)").use("Agg")

import matplotlib.pyplot as plt  # noqa: E402

_INK, _GREY, _BLUE, _RED = "#222222", "#777777", "#0072b2", "#d55e00"
_DRAWN = 60  # rectangles of the posterior
_MOST_PANELS = 8


def save(found: Geometry, path: pathlib.Path) -> None:
    """Writes the picture to a file and closes it."""
    figure = draw(found)
    figure.savefig(path, dpi=130)
    plt.close(figure)


def draw(found: Geometry) -> Any:
    """Returns a matplotlib.figure.Figure: a map, and a panel for each number."""
    names = [n for n in found.samples if n not in ("east_m", "north_m", "strike_slip_m", "dip_slip_m", "moment_n_m")
             and not n.endswith(("lon_deg", "lat_deg")) and not n.startswith("factor_")][:_MOST_PANELS]
    figure = plt.figure(figsize=(12.5, 5.2), constrained_layout=True)
    grid = figure.add_gridspec(2, 8)
    _map(figure, figure.add_subplot(grid[:, :4]), found)
    for k, name in enumerate(names):
        axes = figure.add_subplot(grid[k // 4, 4 + k % 4])
        scale = 1e-3 if unit_of(name) == "m" and not name.endswith(("slip_m", "opening_m")) else 1.0
        unit = {"degree": "°", "m": "km" if scale < 1 else "m", "m3": "m³", "1": ""}.get(unit_of(name), "")
        values = scale * unwrapped(name, found.samples[name])
        axes.hist(values, bins=30, color=_BLUE, alpha=0.75)
        middle = float(np.median(values))
        best = scale * found.best[name]
        if name in ("strike_deg", "rake_deg"):
            best = middle + (best - middle + 180.0) % 360.0 - 180.0
        axes.axvline(best, color=_RED, lw=1.2)
        axes.set_yticks([])
        axes.set_title(name.rsplit("_", 1)[0].replace("_", " ") if "_" in name else name, loc="left", fontsize=9)
        axes.set_xlabel(unit, fontsize=8)
        axes.tick_params(labelsize=7)
        axes.locator_params(axis="x", nbins=3)
        for side in ("top", "right", "left"):
            axes.spines[side].set_visible(False)
    return figure


def _map(figure: Any, axes: Any, found: Geometry) -> None:
    degree = np.pi / 180.0 * 6371.0
    squeeze = np.cos(np.radians(found.reference[1]))

    def km(lon: Any, lat: Any) -> tuple[Any, Any]:
        turn = (np.asarray(lon) - found.reference[0] + 180.0) % 360.0 - 180.0
        return degree * squeeze * turn, degree * (np.asarray(lat) - found.reference[1])

    if found.source.kind == "point":
        axes.plot(1e-3 * found.samples["east_m"][::10], 1e-3 * found.samples["north_m"][::10], ".", color=_BLUE, ms=2,
                  alpha=0.3)
        axes.plot(1e-3 * found.best["east_m"], 1e-3 * found.best["north_m"], "*", color=_RED, ms=12)
    else:
        count = len(found.samples["dip_deg"])
        for k in np.unique(np.linspace(0, count - 1, min(_DRAWN, count)).astype(int)):
            axes.plot(*_outline({n: float(v[k]) for n, v in found.samples.items()}), color=_BLUE, lw=0.5, alpha=0.25)
        outline = _outline(found.best)
        axes.plot(*outline, color=_RED, lw=1.2)
        axes.plot(outline[0][:2], outline[1][:2], color=_RED, lw=2.5, label="top edge, best")
    arrow = 0.0
    longest = max(float(np.abs(t.observed).max()) for t in found.tables)
    for table, predicted, nuisance in zip(found.tables, found.predicted, found.nuisance):
        x, y = km(table.lon, table.lat)
        if table.nuisance.shape[1]:  # towards a satellite
            drawn = axes.scatter(x, y, c=1e3 * (table.observed - nuisance), s=6, cmap="RdBu_r",
                                 vmin=-1e3 * longest, vmax=1e3 * longest)
            figure.colorbar(drawn, ax=axes, shrink=0.6,
                            label=f"{table.name}, towards the satellite [{'mm/year' if table.rate else 'mm'}]")
            continue
        for motion, colour, label, width in ((table.observed, _INK, "observed", 0.005),
                                             (predicted, _RED, "predicted", 0.0028)):
            places, vectors = _horizontal(table, motion, x, y)
            arrow = max(arrow, float(np.hypot(*vectors.T).max(initial=0.0)), 1e-12)
            if len(places):
                axes.quiver(*places.T, *vectors.T, color=colour, width=width, label=label, scale=6.0 * arrow)
    axes.set_aspect("equal")
    axes.set_xlabel(f"east of {found.reference[0]:.3f}° [km]")
    axes.set_ylabel(f"north of {found.reference[1]:.3f}° [km]")
    axes.set_title(f"{found.source.kind} in {found.source.earth}", loc="left")
    if axes.get_legend_handles_labels()[0]:
        handles = dict(zip(*axes.get_legend_handles_labels()[::-1]))
        axes.legend(handles.values(), handles.keys(), frameon=False, fontsize=8, loc="upper left")


def _horizontal(table: Table, motion: Any, x: Any, y: Any) -> tuple[Any, Any]:
    """Returns places [place][2] and horizontal motion [place][2] of rows that share their place."""
    flat = table.direction[:, 2] == 0.0
    places, row = np.unique(np.stack([x, y], axis=1)[flat], axis=0, return_inverse=True)
    vectors = np.zeros((len(places), 2))
    np.add.at(vectors, row.ravel(), table.direction[flat][:, :2] * motion[flat, None])
    return places, vectors


def _outline(one: Any) -> tuple[list[float], list[float]]:
    """Returns the rectangle's corners in km, top edge first, closed."""
    strike, dip = np.radians(one["strike_deg"]), np.radians(one["dip_deg"])
    half = 0.5 * one["length_m"]
    wide = 0.5 * one["width_m"] * np.cos(dip)
    corners = [(-half, -wide), (half, -wide), (half, wide), (-half, wide), (-half, -wide)]
    return ([1e-3 * (one["east_m"] + a * np.sin(strike) + b * np.cos(strike)) for a, b in corners],
            [1e-3 * (one["north_m"] + a * np.cos(strike) - b * np.sin(strike)) for a, b in corners])
