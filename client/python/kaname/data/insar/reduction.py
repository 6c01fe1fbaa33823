# SPDX-License-Identifier: BSD-3-Clause
"""A raster becomes points: errors from the part that does not deform, cells, means, covariance."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import invalid
from . import covariance, quadtree
from .at_stations import Stations, cells_at
from .covariogram import Covariogram, empirical, fit
from .half_space import Plane
from .points import Points, check_name, name_of
from .raster import Array, Mask, Raster
from .resolution import THRESHOLD, cells_by_resolution

_OUTLIER = 3.0  # robust standard deviations beyond which a block is deformation
_BLOCKS = 48  # of the raster's longer side
_MOST_DEFORMED = 0.7
_LEVEL = {"exponential": 0.5, "spherical": 1.0}  # of the longest lag, by which a covariogram must be level
_LIKELY, _FEW = 3.0, 4.0  # standard deviations of a variance estimate of so many independent errors


def reduce(raster: Raster, points: int = 1000, method: str = "variance", *, fault: Plane | None = None,
           at: Stations | None = None, threshold: float | None = None, smallest: int | None = None,
           largest: int | None = None, fraction: float = 0.5, deformation: Mask | None = None,
           model: str = "exponential", covariogram: Covariogram | None = None, name: str | None = None) -> Points:
    """Returns points that stand for a raster.

    Parameters
    ----------
    points : int
        At most so many.
    method : str
        ``variance``: cells whose values spread are split. ``resolution``: cells that see slip of ``fault``
        which no other sees. ``stations``: windows about the stations ``at``.
    threshold : float, optional
        Of the values' standard deviation [m or m/year], or of the part in the resolution (0 to 1); else that
        of ``points``, and 0.05.
    smallest, largest : int, optional
        Sides of cells in pixels, powers of 2; default 1 of up to 40,000 pixels, else 2; and by ``points``.
    fraction : float
        Of a cell's pixels that must have a value.
    deformation : [row][column], optional
        True where the ground deformed: its pixels say nothing of the errors. Default: blocks whose mean is an
        outlier, and their neighbours.
    model, covariogram : optional
        exponential or spherical; a covariogram in place of an estimate.
    """
    notes = list(raster.notes)
    if covariogram is None:
        if deformation is None:
            deformation = outlying(raster)
            notes.append(f"deformation: {100.0 * deformation.mean():.0f} % of the pixels, found by their size")
        found_pairs = empirical(raster, deformation)
        covariogram = fit(found_pairs, model)
        unit = raster.unit
        notes.append(f"errors: {covariogram.model}, sigma {np.sqrt(covariogram.sill):.3g} {unit}, length "
                     f"{covariogram.length_m / 1e3:.3g} km, nugget {np.sqrt(covariogram.nugget):.3g} {unit}")
        if covariogram.length_m > _LEVEL[model] * float(found_pairs.lag_m[-1]):
            notes.append("warning: the errors' covariance does not end within "
                         f"{found_pairs.lag_m[-1] / 1e3:.3g} km; is deformation left in it (--deformation), "
                         "or a ramp (--ramp)?")
    if method == "stations" or at is not None:
        if at is None:
            invalid("at", "must be given for points at stations")
        cells, stations = cells_at(raster, at, fraction)
    else:
        cells = _cells(raster, points, method, fault, threshold, smallest, largest, fraction)
        stations = None
    name = check_name(name or name_of(raster.name))
    found = _means(raster, cells)
    x, y = found.pop("x"), found.pop("y")
    if stations is not None and at is not None:
        index = {station: k for k, station in enumerate(at.station)}
        which = [index[station] for station in stations]
        found["lon"], found["lat"] = at.lon[which], at.lat[which]  # as `invert` finds them
    step = raster.spacing_m
    size_m = cells.size * step[1], cells.size * step[0]
    no_extra = np.zeros(len(cells))
    matrix = covariance.of_cells(cells, x, y, size_m, found["pixels"], covariogram, no_extra)
    curved = found.pop("curved")
    extra = _unresolved(curved, found["pixels"], matrix, covariogram)
    if extra.any():
        notes.append(f"curvature: {int((extra > 0).sum())} cells are larger than their motion is even; their variance is "
                     "larger")
    names = stations or tuple(f"{name}-{k + 1:0{len(str(len(cells)))}d}"[-64:] for k in range(len(cells)))
    return Points(name=name, station=names, covariance=matrix + np.diag(extra), size=cells.size, rate=raster.rate,
                  covariogram=covariogram, cells=cells, notes=tuple(notes), greens=None if at is None else at.greens,
                  **found)


def outlying(raster: Raster) -> Mask:
    """Returns [row][column], True in blocks whose mean is an outlier among all blocks', and beside them.

    Raises InvalidArgument where that is nearly everything: the area must then be given.
    """
    size = max(1, int(np.ceil(max(raster.values.shape) / _BLOCKS)))
    rows, columns = (-(-n // size) for n in raster.values.shape)
    padding = ((0, rows * size - raster.values.shape[0]), (0, columns * size - raster.values.shape[1]))
    valid = np.pad(raster.valid, padding).reshape(rows, size, columns, size).sum(axis=(1, 3))
    total = np.pad(np.where(raster.valid, raster.values, 0.0), padding).reshape(rows, size, columns, size).sum(axis=(1, 3))
    there = valid > 0
    means = np.where(there, total / np.maximum(valid, 1), np.nan)
    middle = np.nanmedian(means)
    robust = 1.4826 * np.nanmedian(np.abs(means - middle))
    wild = there & (np.abs(means - middle) > _OUTLIER * robust)
    grown = np.pad(wild, 2)
    near = np.zeros_like(wild)
    for i in range(5):
        for j in range(5):
            near |= grown[i:i + rows, j:j + columns]
    if (near & there).sum() > _MOST_DEFORMED * there.sum():
        invalid("deformation", "must be given (--deformation W E S N), for it cannot be told from the errors: "
                               f"{100.0 * (near & there).sum() / there.sum():.0f} % of the raster would be")
    mask: Mask = np.repeat(np.repeat(near, size, axis=0), size, axis=1)
    return mask[:raster.values.shape[0], :raster.values.shape[1]]


def _cells(raster: Raster, points: int, method: str, fault: Plane | None, threshold: float | None,
           smallest: int | None, largest: int | None, fraction: float) -> quadtree.Cells:
    if method not in ("variance", "resolution"):
        invalid("method", f"must be variance, resolution or stations, got '{method}'")
    if threshold is not None and not threshold > 0.0:
        invalid("threshold", f"must be > 0, got {threshold:g}")
    if points < 4:
        invalid("points", f"must be at least 4, got {points}")
    smallest = smallest or (1 if raster.values.size <= 40_000 else 2)
    size = largest or max(smallest, quadtree.largest_size(raster, points))
    pyramid = quadtree.Pyramid(raster, smallest, size, fraction)
    while largest is None and len(pyramid.cells(np.inf)) > points and size < max(raster.values.shape):
        size *= 2
        pyramid = quadtree.Pyramid(raster, smallest, size, fraction)
    if method == "resolution":
        if fault is None:
            invalid("fault", "must be given for the reduction by resolution")
        cells = cells_by_resolution(raster, fault, pyramid, points, threshold or THRESHOLD)
    elif threshold is not None:
        cells = pyramid.cells(threshold)
        if len(cells) > points:
            invalid("threshold", f"must leave at most {points} points, got {len(cells)} with {threshold:g} {raster.unit}")
    else:
        cells, _ = pyramid.at_most(points)
    if len(cells) < 4:
        invalid("points", f"must be at least 4 cells that have values, got {len(cells)}")
    return cells


def _means(raster: Raster, cells: quadtree.Cells) -> dict[str, Any]:
    """Returns means of each cell, the spread of its values, and their variance about a plane."""
    x, y = raster.local_m()
    n = len(cells)
    made: dict[str, Any] = {key: np.empty(n) for key in ("lon", "lat", "los", "spread", "curved", "x", "y")}
    made["look"], made["pixels"] = np.empty((n, 3)), np.empty(n, dtype=np.int64)
    for k, (row, column, size) in enumerate(zip(cells.row, cells.column, cells.size)):
        part = (slice(row, row + size), slice(column, column + size))
        values = raster.values[part]
        there = np.isfinite(values)
        values = values[there]
        for key, array in (("lon", raster.lon), ("lat", raster.lat), ("x", x), ("y", y)):
            made[key][k] = array[part][there].mean()
        look = raster.look[(slice(None), *part)][:, there].mean(axis=1)
        made["look"][k] = look / np.sqrt(look @ look)
        made["los"][k], made["spread"][k], made["pixels"][k] = values.mean(), values.std(), values.size
        made["curved"][k] = _about_plane(x[part][there], y[part][there], values)
    made["lon"] = (made["lon"] + 180.0) % 360.0 - 180.0
    return made


def _about_plane(x: Array, y: Array, values: Array) -> float:
    """Returns the variance of values about their plane; 0 of too few."""
    if values.size < 8:
        return 0.0
    scale = max(float(np.ptp(x)), float(np.ptp(y)), 1e-3)
    rows = np.stack([np.ones(x.size), (x - x.mean()) / scale, (y - y.mean()) / scale])
    fitted = np.linalg.lstsq(rows @ rows.T, rows @ values, rcond=None)[0] @ rows
    return float(((values - fitted) ** 2).sum() / (values.size - 3))


def _unresolved(curved: Array, pixels: Array, matrix: Array, covariogram: Covariogram) -> Array:
    """Returns a variance [cell] for motion that is curved within a cell.

    A mean and the value at the middle differ, of a parabola by 5/4 of the variance about a plane. What pixels'
    errors alone make of that variance is their own less that of the mean.
    """
    nugget = covariogram.nugget * (1.0 - 1.0 / pixels)
    correlated = np.maximum(covariogram.sill + covariogram.nugget - np.diag(matrix) - nugget, 0.0)
    # Correlated errors in a cell are a few independent ones, whose variance is known badly.
    doubt = correlated * np.sqrt(2.0 / _FEW) + nugget * np.sqrt(2.0 / pixels)
    surplus = curved - correlated - nugget
    result: Array = np.where(surplus > _LIKELY * doubt, 1.25 * surplus, 0.0)
    return result
