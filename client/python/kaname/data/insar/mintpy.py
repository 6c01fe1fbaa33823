# SPDX-License-Identifier: BSD-3-Clause
"""Reads MintPy's HDF5: velocity.h5, timeseries.h5 and the like with geometryGeo.h5 or geometryRadar.h5.

Attributes and signs are those of https://mintpy.readthedocs.io/en/latest/api/attributes/ and
.../api/data_structure/: motion is positive towards the satellite; X_FIRST and Y_FIRST are the outer
corner of the first pixel; azimuthAngle points from the ground to the satellite, anticlockwise from
north. Rasters in radar coordinates have their places in ``latitude`` and ``longitude``.
"""
from __future__ import annotations

import contextlib
import datetime
import pathlib
from typing import Any, Iterator

import h5py
import numpy as np

from ...errors import Error, invalid
from ...plotting.self_contained import open_file
from . import units
from .raster import MOST_PIXELS, Array
from .reading import Found, Reading, constant_look

_NAMES = ("velocity", "timeseries", "displacement", "unwrapPhase", "phase")


def open_raster(file: pathlib.Path, reading: Reading) -> Found:
    """Reads values, places and look. Raises NotFound, InvalidArgument."""
    with _opened(file) as data:
        attributes = _Attributes(file.name, data)
        name = reading.variable or next((n for n in _NAMES if n in data), None)
        if name is None or name not in data or not isinstance(data[name], h5py.Dataset):
            invalid(f"{file.name}: variable", f"must be a dataset of the file ({_listed(data)}), got "
                                              f"'{name or ' or '.join(_NAMES)}'")
        if "wrapphase" in (name.lower(), attributes.text("FILE_TYPE", "").lower()):
            invalid(f"{file.name}: {name}", "must be unwrapped, got wrapPhase")
        values, notes = _values(file.name, data, name, reading)
        # MintPy writes 0 where there is no motion to tell; the one pixel that is the reference goes with them.
        values = _without(_without(values, attributes.number("NO_DATA_VALUE")), 0.0)
        if reading.geometry is None:
            geometry_file = _beside(file, "X_FIRST" in data.attrs)
        else:
            geometry_file = pathlib.Path(reading.geometry)
        places, look = _geometry(file.name, geometry_file, attributes, values.shape, reading)
        if look is None:
            invalid(f"{file.name}: geometry", "must be given (--geometry geometryGeo.h5), or --incidence-deg and "
                                              "--heading-deg")
        unit = data[name].attrs.get("UNIT", attributes.text("UNIT", None))
        side = attributes.number("ANTENNA_SIDE")
        return Found(values, *places, look, _decoded(unit), attributes.number("WAVELENGTH"),
                     attributes.text("ORBIT_DIRECTION", None) or None, side is not None and side > 0, notes)


def open_mask(file: pathlib.Path) -> Array:
    """Reads [row][column] of maskTempCoh.h5, waterMask.h5 and the like."""
    with _opened(file) as data:
        names = [n for n in ("mask", "waterMask", *_names(data)) if n in data
                 and isinstance(data[n], h5py.Dataset) and data[n].ndim == 2]
        if not names:
            invalid(f"{file.name}: mask", f"must be a dataset of rows and columns, got {_listed(data)}")
        return _read(file.name, data[names[0]], ...)


@contextlib.contextmanager
def _opened(file: pathlib.Path) -> Iterator[Any]:
    """Opens a file that holds its values itself; what HDF5 says of damage is InvalidArgument."""
    if not file.is_file():
        raise Error("NotFound", f"{file} is not there")
    try:
        with open_file(file) as data:
            yield data
    except Error:
        raise
    except (OSError, ValueError, RuntimeError, KeyError, TypeError, OverflowError, MemoryError) as error:
        raise Error("InvalidArgument", f"{file}: must be a readable HDF5 file: {error}") from error


def _read(name: str, dataset: Any, key: Any) -> Array:
    if dataset.dtype.kind not in "fiub":
        invalid(f"{name}: {dataset.name}", f"must hold numbers, got type {dataset.dtype}")
    size = 1
    for length in dataset.shape[-2:]:
        size *= length
    if size > MOST_PIXELS:
        invalid(f"{name}: {dataset.name}", f"must have at most {MOST_PIXELS} pixels, got {size}")
    with np.errstate(invalid="ignore"):  # Bytes that are no number of their type are NaN.
        return np.asarray(dataset[key], dtype=np.float64)


def _values(name: str, data: Any, key: str, reading: Reading) -> tuple[Array, tuple[str, ...]]:
    dataset = data[key]
    if dataset.ndim == 2:
        if reading.dates:
            invalid(f"{name}: dates", f"must be left out, for {key} has none, got {' '.join(reading.dates)}")
        return _read(name, dataset, ...), ()
    if dataset.ndim != 3 or "date" not in data:
        invalid(f"{name}: {key}", f"must be [row][column], or [date][row][column] with a dataset date, got shape "
                                  f"{dataset.shape}")
    days = [_day(name, text) for text in np.ravel(data["date"][...])]
    if len(days) != dataset.shape[0]:
        invalid(f"{name}: date", f"must have a day for each of the {dataset.shape[0]} images, got {len(days)}")
    if len(reading.dates) not in (0, 2):
        invalid(f"{name}: dates", f"must be the first and the last day, got {' '.join(reading.dates)}")
    first, last = (_day(name, d) for d in reading.dates or (days[0].strftime("%Y%m%d"), days[-1].strftime("%Y%m%d")))
    for day in (first, last):
        if day not in days:
            near = min(days, key=lambda d: abs((d - day).days))
            invalid(f"{name}: dates", f"must be days of the series, of which {near:%Y%m%d} is the nearest, got "
                                      f"{day:%Y%m%d}")
    if first >= last:
        invalid(f"{name}: dates", f"must be a day and a later one, got {first:%Y%m%d} and {last:%Y%m%d}")
    motion = _read(name, dataset, days.index(last)) - _read(name, dataset, days.index(first))
    return motion, (f"motion from {first:%Y-%m-%d} to {last:%Y-%m-%d}",)


def _day(name: str, value: Any) -> datetime.date:
    text = _decoded(value)
    try:
        if text is None or len(text) != 8:
            raise ValueError
        return datetime.datetime.strptime(text, "%Y%m%d").date()
    except ValueError:
        invalid(f"{name}: date", f"must be a day of the calendar as YYYYMMDD, got '{text}'")


def _geometry(name: str, file: pathlib.Path | None, attributes: _Attributes, shape: tuple[int, ...],
              reading: Reading) -> tuple[tuple[Array, Array], Array | None]:
    """Returns longitudes and latitudes, and the look (None where nothing gives it)."""
    look = constant_look(name, shape, reading)
    places = _grid_places(attributes, shape)
    if file is None:
        if places is None:
            invalid(f"{name}: geometry", "must be given (--geometry geometryRadar.h5), for the raster is in radar "
                                         "coordinates (it has no X_FIRST)")
        return places, look
    with _opened(file) as data:
        if places is None:
            if "longitude" not in data or "latitude" not in data:
                invalid(f"{file.name}: geometry", "must have latitude and longitude, for the raster is in radar "
                                                  f"coordinates, got {_listed(data)}")
            lon, lat = (_same(file.name, data[k], shape) for k in ("longitude", "latitude"))
            missing = (lon == 0) & (lat == 0)
            places = np.where(missing, np.nan, lon), np.where(missing, np.nan, lat)
        if look is None:
            if "incidenceAngle" not in data:
                invalid(f"{file.name}: geometry", f"must have incidenceAngle, got {_listed(data)}")
            incidence = _without(_same(file.name, data["incidenceAngle"], shape), 0.0)
            if "azimuthAngle" in data:
                azimuth = np.where(np.isfinite(incidence), _same(file.name, data["azimuthAngle"], shape), np.nan)
                look = units.look_of_angles(file.name, incidence, azimuth, reading.angles)
            else:
                heading = attributes.number("HEADING")
                if heading is None:
                    invalid(f"{file.name}: geometry", "must have azimuthAngle, or the attribute HEADING")
                look = units.look_of_heading(file.name, incidence, heading)
    return places, look


def _same(name: str, dataset: Any, shape: tuple[int, ...]) -> Array:
    if not isinstance(dataset, h5py.Dataset) or dataset.shape != shape:
        invalid(f"{name}: {dataset.name}", f"must have the {shape[0]} x {shape[1]} pixels of the values, got shape "
                                           f"{getattr(dataset, 'shape', None)}")
    return _read(name, dataset, ...)


def _grid_places(attributes: _Attributes, shape: tuple[int, ...]) -> tuple[Array, Array] | None:
    """Returns centres of the pixels of a geocoded raster; None of radar coordinates."""
    if not attributes.has("X_FIRST"):
        return None
    first = [attributes.needed(k) for k in ("X_FIRST", "Y_FIRST")]
    step = [attributes.needed(k) for k in ("X_STEP", "Y_STEP")]
    for key, value in zip(("X_STEP", "Y_STEP"), step):
        if value == 0.0:
            invalid(f"{attributes.name}: {key}", "must differ from 0, got 0")
    x = first[0] + (np.arange(shape[1]) + 0.5) * step[0]
    y = first[1] + (np.arange(shape[0]) + 0.5) * step[1]
    if (attributes.text("X_UNIT", "degrees") or "degrees").lower().startswith("m"):
        from . import grids

        code = attributes.text("EPSG", "") or _utm(attributes)
        return grids.unprojected(attributes.name, x, y, code)
    lon, lat = np.meshgrid(x, y)
    return lon, lat


def _utm(attributes: _Attributes) -> str:
    zone = attributes.text("UTM_ZONE", "")
    if not zone or not zone[:-1].isdigit() or zone[-1] not in "NS":
        invalid(f"{attributes.name}: X_UNIT", "must be degrees, or metres with the attribute EPSG or UTM_ZONE (54N), "
                                              f"got UTM_ZONE '{zone}'")
    return str((32600 if zone[-1] == "N" else 32700) + int(zone[:-1]))


def _beside(file: pathlib.Path, geocoded: bool) -> pathlib.Path | None:
    """Returns the geometry that MintPy puts beside the file or in inputs/; None where it is not there."""
    name = "geometryGeo.h5" if geocoded else "geometryRadar.h5"
    names = (name, f"geo_{name}".replace("Geo", "Radar"))
    tried = [folder / n for folder in (file.parent, file.parent / "inputs", file.parent.parent / "inputs") for n in names]
    return next((path for path in tried if path.is_file()), None)


def _without(values: Array, missing: float | None) -> Array:
    return values if missing is None else np.where(values == missing, np.nan, values)


def _listed(data: Any) -> str:
    return ", ".join(_names(data)[:8]) or "no datasets"


def _names(data: Any) -> list[str]:
    """Returns names of the root, without those that are no text."""
    return sorted(name for name in data if isinstance(name, str))


def _decoded(value: Any) -> str | None:
    return None if value is None else value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


class _Attributes:
    """The root's attributes, which MintPy writes as texts."""

    def __init__(self, name: str, data: Any) -> None:
        self.name = name
        self._values = data.attrs

    def has(self, key: str) -> bool:
        return key in self._values

    def text(self, key: str, absent: Any) -> Any:
        return _decoded(self._values[key]) if key in self._values else absent

    def number(self, key: str) -> float | None:
        """Returns a number; None where the attribute is not there or says none."""
        text = self.text(key, None)
        if text is None or text.strip().lower() in ("", "none", "no", "nan"):
            return None
        try:
            return float(text)
        except ValueError:
            invalid(f"{self.name}: {key}", f"must be a number, got '{text}'")

    def needed(self, key: str) -> float:
        value = self.number(key)
        if value is None or not np.isfinite(value):
            invalid(f"{self.name}: {key}", f"must be a number, got {self.text(key, 'none')}")
        return value
