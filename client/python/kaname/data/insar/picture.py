# SPDX-License-Identifier: BSD-3-Clause
"""A picture of a raster, its points and the covariogram of its errors."""
from __future__ import annotations

import pathlib
from typing import Any

import numpy as np

from ...errors import need
from .points import Points
from .raster import Raster

need("matplotlib", "python3-matplotlib", "a picture")

import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.collections import PolyCollection  # noqa: E402

_MOST_DRAWN = 800  # rows or columns of the raster's picture
_INK, _GREY, _BLUE = "#222222", "#777777", "#0072b2"


def draw(raster: Raster, points: Points) -> Any:
    """Returns a matplotlib.figure.Figure of three panels."""
    figure, axes = plt.subplots(1, 3, figsize=(12.5, 4.2), constrained_layout=True)
    unit = "mm/year" if raster.rate else "mm"
    limit = 1e3 * float(np.nanpercentile(np.abs(raster.values), 99.5)) or 1.0
    thin = max(1, int(np.ceil(max(raster.values.shape) / _MOST_DRAWN)))
    part = (slice(None, None, thin), slice(None, None, thin))
    style = {"cmap": "RdBu_r", "vmin": -limit, "vmax": limit}
    lon, lat, values = raster.lon[part], raster.lat[part], 1e3 * raster.values[part]
    if np.isfinite(lon).all() and np.isfinite(lat).all():
        axes[0].pcolormesh(lon, lat, values, shading="nearest", rasterized=True, **style)
    else:
        axes[0].scatter(lon, lat, c=values, s=1, rasterized=True, **style)
    axes[0].set_title(f"{raster.name}: {int(raster.valid.sum()):,} pixels", loc="left")
    cells = PolyCollection(points.outlines(raster), array=1e3 * points.los, edgecolor=_GREY, linewidth=0.25,
                           cmap="RdBu_r", rasterized=True)
    cells.set_clim(-limit, limit)
    axes[1].add_collection(cells)
    axes[1].set_title(f"{len(points):,} points", loc="left")
    figure.colorbar(cells, ax=axes[:2], label=f"towards the satellite [{unit}]", shrink=0.85, extend="both")
    look = np.nanmedian(raster.look[:2, raster.valid], axis=1)
    axes[1].annotate("", xy=(0.06 + 0.1 * look[0], 0.9 + 0.1 * look[1]), xytext=(0.06, 0.9),
                     xycoords="axes fraction", arrowprops={"arrowstyle": "-|>", "color": _INK})
    axes[1].annotate("to the satellite", (0.07, 0.83), xycoords="axes fraction", fontsize=8, color=_INK)
    box = [float(f(a)) for a in (raster.lon[raster.valid], raster.lat[raster.valid]) for f in (np.min, np.max)]
    for one in axes[:2]:
        one.set_aspect(1.0 / np.cos(np.radians(raster.centre[1])))
        one.set_xlim(*box[:2])
        one.set_ylim(*box[2:])
        one.set_xlabel("longitude [°]")
    axes[0].set_ylabel("latitude [°]")
    _covariogram(axes[2], points, unit)
    return figure


def save(raster: Raster, points: Points, path: pathlib.Path) -> None:
    """Writes the picture to a file and closes it."""
    figure = draw(raster, points)
    figure.savefig(path, dpi=130)
    plt.close(figure)


def _covariogram(axes: Any, points: Points, unit: str) -> None:
    model = points.covariogram
    if model is None:
        axes.axis("off")
        return
    found = model.empirical
    end = float(found.lag_m[-1]) if found is not None else 5.0 * model.length_m
    distance = np.linspace(0.0, end, 300)
    total = model.sill + model.nugget
    if found is not None:
        axes.plot(1e-3 * found.lag_m, 1e6 * (total - found.gamma), "o", ms=3.5, color=_GREY, label="pixels off the "
                  "deformation")
    label = (f"{model.model}: {1e3 * np.sqrt(model.sill):.3g} {unit}, {1e-3 * model.length_m:.3g} km\n"
             f"nugget {1e3 * np.sqrt(model.nugget):.3g} {unit}")
    axes.plot(1e-3 * distance, 1e6 * model.sill * model.correlation(distance), color=_BLUE, label=label)
    axes.plot([0.0], [1e6 * total], "s", color=_BLUE, ms=5)
    axes.axhline(0.0, color=_GREY, lw=0.6)
    axes.set_xlabel("distance [km]")
    square = f"({unit})²" if "/" in unit else f"{unit}²"
    axes.set_ylabel(f"covariance of errors [{square}]")
    axes.legend(frameon=False, fontsize=8)
    axes.set_title("covariogram", loc="left")
