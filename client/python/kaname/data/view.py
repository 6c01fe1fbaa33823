# SPDX-License-Identifier: BSD-3-Clause
"""Series and rasters as one small file for the view Data of the page, NAME.view.json (docs/user/view_files.md).

Series are thinned to what a screen shows, with their extremes; a raster becomes a grid of at most 300 x 300 means.

>>> from kaname.data import gnss, view
>>> fits = gnss.fit(gnss.read("unr"), events=["2011-03-11"])
>>> view.write(view.of_series(fits, "unr"), "unr.view.json")
"""
from __future__ import annotations

import json
import os
import pathlib
from typing import TYPE_CHECKING, Any, Mapping

import numpy as np
import numpy.typing as npt

from ..errors import Error

if TYPE_CHECKING:
    from .gnss.fitting import Fit
    from .insar.points import Points
    from .insar.raster import Raster

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Indices = npt.NDArray[np.int64]

VERSION = 1
MOST_SIDE = 300  # rows or columns of a raster's picture
MOST_EPOCHS, FEWEST_EPOCHS, _EPOCHS_OF_ALL = 1000, 200, 100_000  # of a station, and of a file where it has many
_LIMIT_PERCENT = 99.5  # of the values that lie within the ends of the colours
_FILLED = 0.5  # of a mean's pixels that must have a value
_REGULAR = 0.02  # of a step, by which places may be off a regular grid
_LAGS, _LENGTHS = 48, 5.0  # of a covariogram that was given and not estimated
_MM = 1e3


def of_series(fits: Mapping[str, Fit], title: str) -> dict[str, Any]:
    """Returns the view of fitted series: values in mm, rates in mm/year, times in modified Julian days."""
    most = max(FEWEST_EPOCHS, min(MOST_EPOCHS, _EPOCHS_OF_ALL // max(1, len(fits))))
    return {"kaname_view": VERSION, "kind": "series", "title": title, "unit": "mm",
            "stations": [_station(fit, most) for fit in fits.values()]}


def _station(fit: Fit, most: int) -> dict[str, Any]:
    series, terms = fit.series, fit.terms
    rows = _shown(fit, most)
    steps = [{"name": jump.name, "mjd": jump.day, "earthquake": jump.earthquake, "about": jump.about,
              **_amount(fit, f"step_{jump.name}")} for jump in terms.jumps]
    relaxations = [{"name": jump.name, "law": terms.law, "days": round(days, 4), **_amount(fit, f"{terms.law}_{jump.name}")}
                   for jump, days in zip(terms.relaxing, fit.relaxation_days)]
    rate = _amount(fit, "rate")
    return {
        "id": series.station, "lon_deg": _number(series.lon_deg, 6), "lat_deg": _number(series.lat_deg, 6),
        "epochs": int(series.mjd.size), "epochs_used": int(fit.used.sum()),
        "rate": rate["amount"], "rate_sigma": rate["sigma"], "steps": steps, "relaxations": relaxations,
        "notes": list(fit.notes), "mjd": _numbers(series.mjd[rows], 5),
        "left_out": np.flatnonzero(~fit.used[rows]).tolist(),
        "observed": _columns(series.position_m, rows), "fitted": _columns(fit.model_m, rows),
        "residual": _columns(fit.residual_m, rows)}


def _amount(fit: Fit, name: str) -> dict[str, list[Any]]:
    row = fit.terms.names.index(name)
    return {"amount": _numbers(_MM * fit.value[row], 3), "sigma": _numbers(_MM * fit.sigma[row], 3)}


def _shown(fit: Fit, most: int) -> Indices:
    """Returns the epochs of a view: both ends, both sides of each step, the extremes of the observation, and in bins of
    even width the extremes of each component's residual. Epochs that were left out do not hide others."""
    mjd = fit.series.mjd
    if mjd.size <= most:
        return np.arange(mjd.size)
    out = np.flatnonzero(~fit.used)
    kept = out if out.size <= most // 4 else out[thinned(mjd[out], fit.residual_m[out], most // 4)]
    used = np.flatnonzero(fit.used)
    sides = np.searchsorted(mjd, [jump.day for jump in fit.terms.jumps])
    observed = fit.series.position_m[used]
    edges = np.concatenate([[0, mjd.size - 1], sides[sides > 0] - 1, sides[sides < mjd.size],
                            used[observed.argmin(axis=0)], used[observed.argmax(axis=0)]])
    room = max(most - kept.size - edges.size, most // 4)
    shown: Indices = np.unique(np.concatenate([kept, edges, used[thinned(mjd[used], fit.residual_m[used], room)]]))
    return shown


def thinned(at: Array, values: Array, most: int) -> Indices:
    """Returns which rows of ``values`` [row][column] are the least or the largest of a column in one of the bins of even
    width of ``at`` [row]; they are ``most`` at most, or two for each column."""
    columns = values.shape[1]
    bins = max(1, most // (2 * columns))
    span = float(np.ptp(at)) or 1.0
    number = np.minimum((bins * (at - at.min()) / span).astype(np.int64), bins - 1)
    kept = []
    for column in range(columns):
        order = np.lexsort((values[:, column], number))
        first = np.flatnonzero(np.diff(number[order], prepend=-1))
        kept += [order[first], order[np.append(first[1:], order.size) - 1]]
    rows: Indices = np.unique(np.concatenate(kept))
    return rows


def of_raster(raster: Raster, points: Points) -> dict[str, Any]:
    """Returns the view of a raster and its points: values in mm, of a rate in mm/year, rows from the north."""
    values, edges, note = _picture(raster)
    unit = "mm/year" if raster.rate else "mm"
    limit = _MM * float(np.nanpercentile(np.abs(raster.values), _LIMIT_PERCENT)) or 1.0
    digits = max(0, 3 - int(np.floor(np.log10(limit))))
    look = np.nanmedian(raster.look[:, raster.valid], axis=1)
    outlines = points.outlines(raster)
    whole = np.isfinite(outlines).all(axis=(1, 2))
    return {
        "kaname_view": VERSION, "kind": "raster", "title": points.name, "unit": unit, "source": raster.name,
        "pixels": int(raster.valid.sum()), "look": _numbers(look, 5), "limit": _number(limit, digits + 1),
        "west_deg": _number(edges[0], 8), "east_deg": _number(edges[1], 8), "south_deg": _number(edges[2], 8),
        "north_deg": _number(edges[3], 8), "rows": values.shape[0], "columns": values.shape[1],
        "values": _numbers(_MM * values.ravel(), digits),
        "points": {"id": list(points.station), "lon_deg": _numbers(points.lon, 6), "lat_deg": _numbers(points.lat, 6),
                   "value": _numbers(_MM * points.los, digits), "sigma": _numbers(_MM * points.sigma, digits + 1),
                   "pixels": points.pixels.tolist(),
                   "outline_deg": [_numbers(o.ravel(), 6) if there else None for o, there in zip(outlines, whole)]},
        "covariogram": _covariogram(points), "notes": [*points.notes, note]}


def _covariogram(points: Points) -> dict[str, Any] | None:
    """Returns covariances in mm^2 over km: those observed, which are the variance less gamma, and the model's."""
    model = points.covariogram
    if model is None:
        return None
    found = model.empirical
    lag = np.linspace(0.0, _LENGTHS * model.length_m, _LAGS + 1) if found is None else np.r_[0.0, found.lag_m]
    total = model.sill + model.nugget
    observed = np.full(lag.size, np.nan) if found is None else np.r_[np.nan, total - found.gamma]
    square = _MM**2
    digits = max(0, 4 - int(np.floor(np.log10(max(square * total, 1e-12)))))
    return {"model": model.model, "sill": _number(square * model.sill, digits), "length_km": _number(1e-3 * model.length_m, 5),
            "nugget": _number(square * model.nugget, digits), "lag_km": _numbers(1e-3 * lag, 5),
            "observed": _numbers(square * observed, digits),
            "fitted": _numbers(square * model.sill * model.correlation(lag), digits)}


def _picture(raster: Raster) -> tuple[Array, tuple[float, float, float, float], str]:
    """Returns means [row][column] from the north-west, their outer edges west, east, south, north in degrees, and a note
    of how they were made."""
    steps = _regular_steps(raster)
    if steps is None:
        return _binned(raster)
    lon, lat, values = raster.lon[0], raster.lat[:, 0], raster.values
    values = values[:, ::-1] if steps[0] < 0.0 else values
    values = values if steps[1] < 0.0 else values[::-1]
    step = abs(steps[0]), abs(steps[1])
    each = max(1, -(-max(values.shape) // MOST_SIDE))
    there = np.isfinite(values)
    counts, sums = (_block_sums(a, each) for a in (there.astype(np.float64), np.where(there, values, 0.0)))
    held = _block_sums(np.ones(values.shape), each)
    means = np.where(counts >= _FILLED * held, sums / np.maximum(counts, 1.0), np.nan)
    west, north = float(lon.min()) - 0.5 * step[0], float(lat.max()) + 0.5 * step[1]
    edges = (west, west + each * step[0] * means.shape[1], north - each * step[1] * means.shape[0], north)
    return means, edges, ("the picture has all pixels" if each == 1 else f"the picture has means of {each} x {each} pixels")


def _regular_steps(raster: Raster) -> tuple[float, float] | None:
    """Returns the steps of longitude and latitude; None where places are no regular grid along both."""
    lon, lat = raster.lon, raster.lat
    step = (float(lon[0, -1] - lon[0, 0]) / (lon.shape[1] - 1), float(lat[-1, 0] - lat[0, 0]) / (lat.shape[0] - 1))
    if not (np.isfinite(step).all() and step[0] != 0.0 and step[1] != 0.0):
        return None
    away = (np.abs(lon - (lon[0, 0] + step[0] * np.arange(lon.shape[1]))[None, :]).max() / abs(step[0]),
            np.abs(lat - (lat[0, 0] + step[1] * np.arange(lat.shape[0]))[:, None]).max() / abs(step[1]))
    return step if max(away) < _REGULAR else None


def _block_sums(values: Array, each: int) -> Array:
    rows, columns = (-(-n // each) for n in values.shape)
    padded = np.pad(values, ((0, rows * each - values.shape[0]), (0, columns * each - values.shape[1])))
    found: Array = padded.reshape(rows, each, columns, each).sum(axis=(1, 3))
    return found


def _binned(raster: Raster) -> tuple[Array, tuple[float, float, float, float], str]:
    """Returns the same of places that are no grid, as in radar coordinates: means of the pixels within even boxes."""
    from .insar.raster import EARTH_RADIUS_M

    there = raster.valid
    lon, lat, values = raster.lon[there], raster.lat[there], raster.values[there]
    shrink = float(np.cos(np.radians(raster.centre[1])))
    # Boxes of one and a half pixels and more leave few of them empty between pixels.
    least = 1.5 * max(raster.spacing_m) / np.radians(EARTH_RADIUS_M)
    side = max(least, float(np.ptp(lat)) / (MOST_SIDE - 1), float(np.ptp(lon)) * shrink / (MOST_SIDE - 1))
    step = side / shrink, side
    west, north = float(lon.min()) - 0.5 * step[0], float(lat.max()) + 0.5 * step[1]
    column, row = ((lon - west) / step[0]).astype(np.int64), ((north - lat) / step[1]).astype(np.int64)
    shape = int(row.max()) + 1, int(column.max()) + 1
    number = row * shape[1] + column
    counts = np.bincount(number, minlength=shape[0] * shape[1])
    sums = np.bincount(number, weights=values, minlength=shape[0] * shape[1])
    means = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan).reshape(shape)
    edges = (west, west + step[0] * shape[1], north - step[1] * shape[0], north)
    return means, edges, f"the picture has means of the pixels within {1e-3 * side * np.radians(EARTH_RADIUS_M):.2g} km"


def _number(value: float, digits: int) -> float | None:
    return round(float(value), digits) + 0.0 if np.isfinite(value) else None


def _numbers(values: Array, digits: int) -> list[float | None]:
    """Returns rounded numbers; None of what is missing, for JSON has no NaN."""
    rounded: list[float | None] = (np.round(np.asarray(values, dtype=np.float64), digits) + 0.0).tolist()
    return rounded if np.isfinite(values).all() else [v if there else None for v, there in zip(rounded, np.isfinite(values))]


def _columns(values_m: Array, rows: Indices) -> list[list[float | None]]:
    """Returns [component][epoch] in mm."""
    return [_numbers(_MM * values_m[rows, c], 2) for c in range(3)]


def write(view: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Writes a view. Raises Unavailable where the file cannot be written."""
    try:
        pathlib.Path(path).write_text(json.dumps(view, separators=(",", ":"), allow_nan=False), encoding="utf-8")
    except OSError as error:
        raise Error("Unavailable", f"{path}: cannot be written: {error.strerror}") from error
