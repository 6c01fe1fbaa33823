# SPDX-License-Identifier: BSD-3-Clause
"""Observations as rows: one per station, component and epoch."""
from __future__ import annotations

import csv
import os
import pathlib
from dataclasses import dataclass
from typing import Any, Mapping

import numpy as np
import numpy.typing as npt

from ..dataset import JULIAN_YEAR_S, Dataset
from ..errors import Error, invalid

Array = npt.NDArray[np.float64]

COMPONENTS = ("east", "north", "up")
OF_KIND = {"gnss": COMPONENTS, "gnss_acoustic": ("east", "north"), "ocean_bottom_pressure": ("up",)}
_METRES = {"m": 1.0, "cm": 1e-2, "mm": 1e-3}
_SECONDS = {"s": 1.0, "days": 86400.0, "years": JULIAN_YEAR_S}
_FIELDS = ("name", "kind", "file", "rows", "quantity", "unit", "components", "epoch_s", "since_s",
           "sigma_east_m", "sigma_north_m", "sigma_up_m", "sigma_scale", "nuisance",
           "match_distance_m")
_MATCH_M = 200.0
_DEGREE_M = 111195.0  # of a great circle


@dataclass(frozen=True)
class Rows:
    """Of one set. Arrays are [row]; ``place`` is the station's index in the dataset; ``since`` is
    NaN where the motion counts from before all slip."""

    name: str
    station: tuple[str, ...]
    place: npt.NDArray[np.int64]
    component: npt.NDArray[np.int64]
    epoch: Array
    since: float
    observed: Array
    sigma: Array
    offset: bool


def unsupported(item: Mapping[str, Any]) -> str | None:
    """What of a set's fields only the program `kaname invert` knows; None: nothing."""
    for key, value in item.items():
        if key not in _FIELDS:
            return str(key)
    if item.get("kind", "gnss") not in OF_KIND:
        return f"kind: {item['kind']}"
    if item.get("quantity", "displacement") != "displacement":
        return f"quantity: {item['quantity']}"
    if set(item.get("nuisance", ())) - {"offset"}:
        return f"nuisance: {item['nuisance']}"
    return None


def as_item(data: Any, number: int) -> dict[str, Any]:
    """A set as a mapping of the request's fields: a path, such a mapping, or columns."""
    if isinstance(data, (str, os.PathLike)):
        return {"file": os.fspath(data)}
    if not isinstance(data, Mapping):
        invalid(f"data[{number}]", f"must be a path, columns or fields of a set, got {type(data)}")
    if "station" in data:
        return {"rows": dict(data)}
    if ("file" in data) == ("rows" in data):
        invalid(f"data[{number}]", "must have exactly one of file and rows")
    return dict(data)


def columns_of(item: Mapping[str, Any]) -> dict[str, list[str]]:
    """Texts by column, of a csv file (lines that begin with # are passed over) or of `rows`."""
    if "rows" in item:
        columns = {key: [str(v) for v in np.asarray(values).ravel().tolist()]
                   for key, values in item["rows"].items()}
        if len({len(values) for values in columns.values()}) > 1:
            invalid("rows", "must have as many values in each column, got "
                            f"{ {k: len(v) for k, v in columns.items()} }")
        return columns
    path = pathlib.Path(item["file"])
    try:
        with path.open(newline="", encoding="utf-8") as file:
            lines = [line for line in file if line.strip() and not line.startswith("#")]
    except OSError as error:
        raise Error("NotFound", f"{path} cannot be read: {error}") from error
    reader = csv.DictReader(lines, skipinitialspace=True)
    rows = list(reader)
    return {key.strip(): [(row[key] or "").strip() for row in rows]
            for key in reader.fieldnames or ()}


def write_columns(path: pathlib.Path, columns: Mapping[str, Any]) -> None:
    """Columns as a csv file."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*(np.asarray(v).ravel().tolist() for v in columns.values())))


def name_of(item: Mapping[str, Any], number: int) -> str:
    if item.get("name"):
        return str(item["name"])
    return pathlib.Path(item["file"]).stem if "file" in item else f"data{number}"


def _numbers(values: list[str], field: str) -> Array:
    try:
        return np.array([float(v) if v not in ("", "-") else np.nan for v in values])
    except ValueError as error:
        invalid(field, f"must hold numbers: {error}")


def _column(columns: Mapping[str, list[str]], stem: str, units: Mapping[str, float],
            unit: str | None) -> Array | None:
    """A column `stem_UNIT` in SI, or `stem` in `unit`; None where there is none."""
    for suffix, factor in units.items():
        if f"{stem}_{suffix}" in columns:
            return factor * _numbers(columns[f"{stem}_{suffix}"], f"{stem}_{suffix}")
    if stem in columns:
        if unit not in units:
            invalid("unit", f"must be one of {', '.join(units)} for column {stem}, got {unit!r}")
        return units[unit] * _numbers(columns[stem], stem)  # type: ignore[index]
    return None


def _places(columns: Mapping[str, list[str]], dataset: Dataset, reach_m: float, name: str
            ) -> tuple[tuple[str, ...], npt.NDArray[np.int64]]:
    """Stations by id, else by the nearest that lies within reach."""
    if "station" not in columns:
        invalid(f"{name}", f"must have a column station, got {', '.join(columns)}")
    stations = dataset.stations
    known = {station: index for index, station in enumerate(stations.id)}
    lon, lat = (_column(columns, key, {"deg": 1.0}, None) for key in ("lon", "lat"))
    ids, places = [], []
    for row, station in enumerate(columns["station"]):
        index = known.get(station)
        if index is None and lon is not None and lat is not None:
            east = (stations.lon - lon[row]) * np.cos(np.radians(lat[row]))
            away = _DEGREE_M * np.hypot(east, stations.lat - lat[row])
            nearest = int(np.nanargmin(away))
            index = nearest if away[nearest] <= reach_m else None
        if index is None:
            raise Error("NotFound", f"{name}: station '{station}' must be one of the dataset, or "
                                    f"lie within {reach_m:g} m of one")
        ids.append(stations.id[index])
        places.append(index)
    return tuple(ids), np.array(places, dtype=np.int64)


def read_rows(item: Mapping[str, Any], number: int, dataset: Dataset) -> Rows:
    """The rows of a set; motion that is empty or NaN is left out."""
    name = name_of(item, number)
    columns = columns_of(item)
    ids, places = _places(columns, dataset, item.get("match_distance_m") or _MATCH_M, name)
    epoch = _column(columns, "epoch", _SECONDS, "s")
    if epoch is None:
        epoch = np.full(len(ids), float(item.get("epoch_s", 0.0)))
    wanted = item.get("components") or OF_KIND[item.get("kind") or "gnss"]
    parts = []
    for component in wanted:
        values = _column(columns, component, _METRES, item.get("unit"))
        if values is None:
            if item.get("components"):
                invalid(name, f"must have a column for {component}, got {', '.join(columns)}")
            continue
        sigma = _column(columns, f"sigma_{component}", _METRES, item.get("unit"))
        default = item.get(f"sigma_{component}_m", 0.0)
        sigma = np.full(len(ids), default) if sigma is None else np.where(np.isnan(sigma), default,
                                                                          sigma)
        there = np.flatnonzero(np.isfinite(values))
        if (sigma[there] <= 0.0).any():
            bad = there[int(np.argmax(sigma[there] <= 0.0))]
            invalid(f"{name}: sigma_{component}", f"must be > 0, got {sigma[bad]:g} at station "
                                                  f"'{ids[bad]}'")
        parts.append((there, np.full(there.size, COMPONENTS.index(component)), values[there],
                      sigma[there]))
    if not parts:
        invalid(name, f"must have a column of {', '.join(wanted)}, got {', '.join(columns)}")
    rows, component, observed, sigmas = (np.concatenate(values) for values in zip(*parts))
    order = np.lexsort((component, rows))  # as the program: all components of a row, then the next
    rows = rows[order]
    return Rows(name, tuple(ids[r] for r in rows), places[rows], component[order], epoch[rows],
                float(item.get("since_s", np.nan)), observed[order],
                sigmas[order] * (item.get("sigma_scale") or 1.0),
                "offset" in item.get("nuisance", ()))
