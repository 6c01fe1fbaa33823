# SPDX-License-Identifier: BSD-3-Clause
"""Tables of observed motion as `kaname invert` takes them, without a dataset: rows with places of their own."""
from __future__ import annotations

import os
import pathlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import Error, invalid, need
from ...inversion.observations import columns_of
from ..insar.raster import Array, local_m

_UNITS = {"m": 1.0, "cm": 1e-2, "mm": 1e-3}
_RATES = {f"{unit}_{per}": size for unit, size in _UNITS.items() for per in ("per_year", "per_yr")}
_PLACES = {"lon": ("lon_deg", "lon", "longitude"), "lat": ("lat_deg", "lat", "latitude")}
_STATIONS = ("station", "id", "site", "point", "name")
_MOTION = ("east", "north", "up", "los")
_FEWEST = 4


@dataclass(frozen=True)
class Table:
    """A set of observations.

    Attributes
    ----------
    lon, lat : [row] in degrees
    direction : [row][3]
        Unit vector (east, north, up) along which the motion was observed.
    observed : [row] in m, of rates m/year
    whitening : [row][row]
        Inverse of the Cholesky factor of the covariance: whitened errors are independent, of variance 1.
    nuisance : [row][unknown]
        Shape of what is estimated with the source: nothing, an offset, or an offset and two slopes.
    """

    name: str
    station: tuple[str, ...]
    lon: Array
    lat: Array
    direction: Array
    observed: Array
    sigma: Array
    whitening: Array
    nuisance: Array
    rate: bool

    def __len__(self) -> int:
        return int(self.observed.size)

    def to_xarray(self) -> Any:
        """Returns an xarray.Dataset: ``observed`` and ``sigma`` [m, rates m/year] and ``direction`` over row."""
        xarray = need("xarray", "python3-xarray", "to_xarray")
        unit = {"units": "m year-1" if self.rate else "m"}
        return xarray.Dataset(
            {"observed": ("row", self.observed, unit), "sigma": ("row", self.sigma, unit),
             "direction": (("row", "component"), self.direction, {"units": "1"})},
            {"station": ("row", list(self.station)), "lon": ("row", self.lon, {"units": "degrees_east"}),
             "lat": ("row", self.lat, {"units": "degrees_north"}), "component": ["east", "north", "up"]},
            {"title": self.name})


def read_table(path: str | os.PathLike[str], covariance: str | os.PathLike[str] | None = None,
               sigma_m: float | None = None, ramp: bool = False) -> Table:
    """Reads a table of east, north and up, or of motion towards a satellite (`los`, with a look).

    A row of a value's standard deviation is needed, from the table, ``sigma_m`` or ``covariance``.
    Raises InvalidArgument with file, column, value and rule.
    """
    path, covariance = pathlib.Path(path), None if covariance is None else pathlib.Path(covariance)
    columns = columns_of({"file": path})
    name = path.stem
    lon, lat = (_numbers(columns, path, *_one_of(columns, path, names)) for names in _PLACES.values())
    if not (np.isfinite(lon).all() and np.isfinite(lat).all() and (np.abs(lat) <= 90).all()):
        invalid(f"{path}: lon_deg, lat_deg", "must be finite, latitudes -90 to 90")
    ids = next((columns[key] for key in _STATIONS if key in columns), [f"row {k + 1}" for k in range(lon.size)])
    found = [(component, *motion) for component in _MOTION if (motion := _motion(columns, component))]
    if not found:
        invalid(f"{path}: columns", f"must have east, north, up or los with a unit as in east_mm, got {', '.join(columns)}")
    if any(c == "los" for c, *_ in found) and len(found) > 1:
        invalid(f"{path}: columns", "must have los or east, north and up, got both; keep them in two tables")
    if len({rate for *_, rate in found}) > 1:
        invalid(f"{path}: columns", "must be displacements or rates, got both")
    parts = []
    for component, column, unit, rate in found:
        values = unit * _numbers(columns, path, column)
        sigma = _sigma(columns, path, component, unit, 1 if len(found) == 1 else 0)
        stated = np.full(values.size, np.nan) if sigma is None else sigma
        if sigma_m is not None:
            stated = np.where(np.isnan(stated), sigma_m, stated)
        there = np.flatnonzero(np.isfinite(values))
        parts.append((there, np.full(there.size, _MOTION.index(component)), values[there], stated[there]))
    rows, kind, observed, sigmas = (np.concatenate(p) for p in zip(*parts))
    order = np.lexsort((kind, rows))
    rows, kind, observed, sigmas = rows[order], kind[order], observed[order], sigmas[order]
    if rows.size < _FEWEST:
        invalid(f"{path}: rows", f"must have at least {_FEWEST} values, got {rows.size}")
    direction = _look(columns, path)[rows] if found[0][0] == "los" else np.eye(3)[kind]
    root = _root(path, covariance, sigmas, tuple(ids[r] for r in rows))
    nuisance = np.zeros((rows.size, 0))
    if found[0][0] == "los":
        x, y = local_m(lon[rows], lat[rows], float(lon.mean()), float(lat.mean()))
        size = max(float(np.abs(x).max()), float(np.abs(y).max()), 1.0)
        nuisance = np.stack([np.ones(rows.size), x / size, y / size], axis=1)[:, :3 if ramp else 1]
    return Table(name, tuple(ids[r] for r in rows), lon[rows], lat[rows], direction, observed,
                 np.sqrt((root * root).sum(axis=1)), np.linalg.inv(root), nuisance, found[0][3])


def _one_of(columns: dict[str, list[str]], path: pathlib.Path, names: tuple[str, ...]) -> list[str]:
    for name in names:
        if name in columns:
            return [name]
    invalid(f"{path}: {names[0]}", f"must be a column, got {', '.join(columns)}")


def _numbers(columns: dict[str, list[str]], path: pathlib.Path, column: str) -> Array:
    values = np.empty(len(columns[column]))
    for k, text in enumerate(columns[column]):
        try:
            values[k] = float(text) if text not in ("", "-") else np.nan
        except ValueError:
            invalid(f"{path}: row {k + 1}: {column}", f"must be a number, got '{text}'")
    return values


def _motion(columns: dict[str, list[str]], component: str) -> tuple[str, float, bool] | None:
    """Returns the column, its unit in m or m/year and whether it is a rate."""
    for rate, units in ((False, _UNITS), (True, _RATES)):
        for unit, size in units.items():
            if f"{component}_{unit}" in columns:
                return f"{component}_{unit}", size, rate
    return None


def _sigma(columns: dict[str, list[str]], path: pathlib.Path, component: str, unit: float, alone: int) -> Array | None:
    """Returns standard deviations in the value's unit or one of their own."""
    for name in (f"{component}_sigma", f"sigma_{component}", *["sigma"] * alone):
        if name in columns:
            return unit * _numbers(columns, path, name)
        for ending, size in {**_UNITS, **_RATES}.items():
            for whole in (f"{name}_{ending}", f"{component}_{ending}_sigma"):
                if whole in columns:
                    return size * _numbers(columns, path, whole)
    return None


def _look(columns: dict[str, list[str]], path: pathlib.Path) -> Array:
    if all(f"look_{c}" in columns for c in ("east", "north", "up")):
        look = np.stack([_numbers(columns, path, f"look_{c}") for c in ("east", "north", "up")], axis=1)
    elif "incidence_deg" in columns and "heading_deg" in columns:
        incidence, heading = (np.radians(_numbers(columns, path, f"{c}_deg")) for c in ("incidence", "heading"))
        look = np.stack([-np.sin(incidence) * np.cos(heading), np.sin(incidence) * np.sin(heading),
                         np.cos(incidence)], axis=1)
    else:
        invalid(f"{path}: columns", "must have look_east, look_north and look_up, or incidence_deg and heading_deg, "
                                    "beside los")
    length = np.sqrt((look * look).sum(axis=1))
    if not (np.abs(length - 1.0) <= 0.01).all():
        bad = int(np.argmax(~(np.abs(length - 1.0) <= 0.01)))
        invalid(f"{path}: row {bad + 1}: look", f"must have length 1 within 0.01, got {length[bad]:g}")
    return look


def _root(path: pathlib.Path, covariance: pathlib.Path | None, sigma: Array, ids: tuple[str, ...]) -> Array:
    """Returns the Cholesky factor of the covariance."""
    if covariance is not None:
        try:
            matrix = np.loadtxt(covariance, delimiter=",", ndmin=2)
        except OSError as error:
            raise Error("NotFound", f"{covariance} cannot be read: {error}") from error
        except ValueError as error:
            invalid(f"{covariance}", f"must hold numbers separated by commas: {error}")
        if matrix.shape != (sigma.size, sigma.size):
            invalid(f"{covariance}", f"must have {sigma.size} lines of {sigma.size} numbers, as {path} has values, got "
                                     f"{matrix.shape[0]} of {matrix.shape[1]}")
        try:
            return np.linalg.cholesky(0.5 * (matrix + matrix.T))
        except np.linalg.LinAlgError:
            invalid(f"{covariance}", "must be positive definite")
    bad = ~(np.isfinite(sigma) & (sigma > 0.0))
    if bad.any():
        first = int(np.argmax(bad))
        invalid(f"{path}: sigma", f"must be > 0 at {ids[first]}, got {sigma[first]:g}; --sigma-m is that of rows "
                                  "without one")
    return np.diag(sigma)
