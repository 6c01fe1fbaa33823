# SPDX-License-Identifier: BSD-3-Clause
"""Offsets, velocities and series as tables: those that `kaname invert` takes, and for people."""
from __future__ import annotations

import csv
import os
import pathlib
from dataclasses import dataclass
from typing import Any, Mapping, Sequence

import numpy as np

from ..._shown import file_name_of
from ...errors import Error, invalid, need
from .fitting import Fit
from .rows import Array, date_of
from .series import COMPONENTS, Velocities
from .trajectory import design, relaxation


@dataclass
class Table:
    """Rows that `invert` takes: values [row][3] in m or m/year, and the covariance of all values in
    m^2 or (m/year)^2, in the order east, north, up of the first row, then of the next."""

    station: list[str]
    lon_deg: Array
    lat_deg: Array
    value: Array
    covariance: Array
    per_year: bool
    epoch_days: Array | None = None

    @property
    def sigma(self) -> Array:
        return np.asarray(np.sqrt(self.covariance.diagonal()).reshape(-1, 3))

    def to_xarray(self) -> Any:
        """Returns an xarray.Dataset: ``value`` and ``sigma`` over row and component, ``covariance`` over all values."""
        xarray = need("xarray", "python3-xarray", "to_xarray")
        unit = "m year-1" if self.per_year else "m"
        epoch = {} if self.epoch_days is None else {"epoch_days": ("row", self.epoch_days)}
        return xarray.Dataset(
            {"value": (("row", "component"), self.value, {"units": unit}),
             "sigma": (("row", "component"), self.sigma, {"units": unit}),
             "covariance": (("element", "other_element"), self.covariance)},
            {"station": ("row", self.station), "lon": ("row", self.lon_deg), "lat": ("row", self.lat_deg),
             "component": list(COMPONENTS), **epoch})

    def write(self, path: str | os.PathLike[str]) -> None:
        """The table, in mm or mm/year. A table is one of stations, too."""
        unit = "mm_per_yr" if self.per_year else "mm"
        placed = bool(np.isfinite(self.lon_deg).all())
        header = ["station", *(["lon_deg", "lat_deg"] if placed else []),
                  *(["epoch_days"] if self.epoch_days is not None else []),
                  *(f"{c}_{unit}" for c in COMPONENTS), *(f"{c}_sigma" for c in COMPONENTS)]
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(header)
            for k, station in enumerate(self.station):
                place = [f"{self.lon_deg[k]:.7f}", f"{self.lat_deg[k]:.7f}"] if placed else []
                epoch = [f"{self.epoch_days[k]:g}"] if self.epoch_days is not None else []
                writer.writerow([station, *place, *epoch, *(f"{1e3 * v:.4f}" for v in self.value[k]),
                                 *(f"{1e3 * v:.4f}" for v in self.sigma[k])])

    def write_covariance(self, path: str | os.PathLike[str]) -> None:
        """A line per value, as `covariance` of a set of `invert`."""
        np.savetxt(path, self.covariance, fmt="%.10e", delimiter=",")


def _table(fits: Sequence[Fit], values: Sequence[Array], blocks: Sequence[Array], per_year: bool,
           epochs: Sequence[float] | None = None) -> Table:
    """Rows station by station, each with one block for all epochs."""
    each = 1 if epochs is None else len(epochs)
    n = 3 * each * len(fits)
    covariance = np.zeros((n, n))
    for k, block in enumerate(blocks):
        at = slice(3 * each * k, 3 * each * (k + 1))
        covariance[at, at] = block
    places = np.repeat([[f.series.lon_deg, f.series.lat_deg] for f in fits], each, axis=0)
    return Table([f.series.station for f in fits for _ in range(each)], places[:, 0], places[:, 1],
                 np.concatenate([np.reshape(v, (each, 3)) for v in values]), covariance, per_year,
                 None if epochs is None else np.tile(np.array(epochs, dtype=float), len(fits)))


def offsets(fits: Mapping[str, Fit], event: str) -> Table:
    """The step of one earthquake, of all stations that have it. Raises NotFound where none has."""
    name = f"step_{event[:10]}"
    found = [(fit, fit.block(name)) for fit in fits.values()]
    with_step = [(fit, block) for fit, block in found if block is not None]
    if not with_step:
        raise Error("NotFound", f"offsets: must be a date with data on both sides at a station, got '{event}'")
    return _table([f for f, _ in with_step], [b[0] for _, b in with_step], [b[1] for _, b in with_step], False)


def motion_after(fits: Mapping[str, Fit], event: str, epochs_days: Sequence[float]) -> Table:
    """Step and relaxation of one earthquake, at days after it. Raises InvalidArgument, NotFound."""
    chosen, values, blocks = [], [], []
    for fit in fits.values():
        step = fit.row(f"step_{event[:10]}")
        after = fit.row(f"{fit.terms.law}_{event[:10]}") if fit.terms.law else None
        if step is None or after is None:
            continue
        k = after - (len(fit.terms.names) - len(fit.terms.relaxing))
        jump, tau = fit.terms.relaxing[k], fit.relaxation_days[k]
        weights = np.zeros((len(epochs_days), len(fit.terms.names)))
        weights[:, step] = 1.0
        weights[:, after] = relaxation(jump.day - 0.5 + np.array(epochs_days), jump, fit.terms.law, tau)
        chosen.append(fit)
        values.append(weights @ fit.value)
        parts = [weights @ fit.covariance[c] @ weights.T for c in range(3)]
        roots = [np.linalg.cholesky(part + 1e-12 * np.trace(part) * np.eye(len(part))) for part in parts]
        n = len(epochs_days)
        block = np.empty((n, 3, n, 3))
        for a in range(3):
            for b in range(3):
                block[:, a, :, b] = fit.correlation[a, b] * (roots[a] @ roots[b].T)
        blocks.append(block.reshape(3 * n, 3 * n))
    if not chosen:
        raise Error("NotFound", f"epochs: must be of an earthquake whose relaxation was fitted, got '{event}'")
    return _table(chosen, values, blocks, False, epochs_days)


def velocities(fits: Mapping[str, Fit], tables: Sequence[Velocities] = ()) -> Table:
    """Rates of fits and of files, one row per station. Raises InvalidArgument for one in two."""
    found = [(fit, fit.block("rate")) for fit in fits.values()]
    parts = []
    if found:
        parts.append(_table([f for f, _ in found], [b[0] for _, b in found if b], [b[1] for _, b in found if b], True))
    parts += [Table(t.station, t.lon_deg, t.lat_deg, t.rate_m, t.covariance_m2, True) for t in tables]
    if not parts:
        raise Error("NotFound", "velocities: must be of one or more stations, got 0")
    stations = [name for part in parts for name in part.station]
    for name in stations:
        if stations.count(name) > 1:
            invalid("velocities", f"must have a station once, got '{name}' of two files")
    n = 3 * len(stations)
    covariance, begin = np.zeros((n, n)), 0
    for part in parts:
        size = len(part.covariance)
        covariance[begin:begin + size, begin:begin + size] = part.covariance
        begin += size
    lon, lat, value = (np.concatenate([getattr(p, key) for p in parts]) for key in ("lon_deg", "lat_deg", "value"))
    return Table(stations, lon, lat, value, covariance, True)


def write_series(fit: Fit, path: str | os.PathLike[str]) -> None:
    """Every epoch [mm]: as it was read less the common mode, the model, the residual, and cleaned:
    less seasons and steps of equipment. ``used`` is 0 of outliers."""
    columns = _cleaned(fit)
    parts = {"": fit.series.position_m, "_model": fit.model_m, "_residual": fit.residual_m, "_cleaned": columns}
    header = ["date", "year", "used", *(f"{c}{p}_mm" for p in parts for c in COMPONENTS),
              *(f"{c}_sigma_mm" for c in COMPONENTS)]
    numbers = 1e3 * np.column_stack([*parts.values(), fit.series.sigma_m])
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(",".join(header) + "\n")
        for mjd, year, used, row in zip(fit.series.mjd, fit.series.year, fit.used, numbers):
            file.write(f"{date_of(mjd)},{year:.5f},{int(used)}," + ",".join(f"{v:.3f}" for v in row) + "\n")


def _cleaned(fit: Fit) -> Array:
    columns = design(fit.series.mjd, fit.terms, fit.relaxation_days)
    events = {f"step_{jump.name}" for jump in fit.terms.jumps if jump.earthquake}
    away = [k for k, name in enumerate(fit.terms.names)
            if "annual" in name or (name.startswith("step_") and name not in events)]
    return np.asarray(fit.series.position_m - columns[:, away] @ fit.value[away])


def summary(fit: Fit) -> dict[str, Any]:
    """A station for --json: terms in mm or mm/year."""
    return {"station": fit.series.station, "lon_deg": _plain(fit.series.lon_deg), "lat_deg": _plain(fit.series.lat_deg),
            "epochs": int(fit.series.mjd.size), "used": int(fit.used.sum()),
            "first": str(date_of(fit.series.mjd[0])), "last": str(date_of(fit.series.mjd[-1])),
            "terms": {name: {"mm": (1e3 * fit.value[k]).round(4).tolist(), "sigma_mm": (1e3 * fit.sigma[k]).round(4).tolist()}
                      for k, name in enumerate(fit.terms.names)},
            "relaxation_days": fit.relaxation_days, "noise": dict(zip(COMPONENTS, fit.noise)), "notes": fit.notes}


def _plain(value: float) -> float | None:
    return value if np.isfinite(value) else None


def safe_name(station: str, ending: str) -> pathlib.PurePath:
    """The file of a station, whose name may hold anything."""
    return pathlib.PurePath(file_name_of(station, ending))
