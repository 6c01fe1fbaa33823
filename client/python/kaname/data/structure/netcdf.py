# SPDX-License-Identifier: BSD-3-Clause
"""Reads 3-D models on longitude, latitude and depth: netCDF of EMC (https://ds.iris.edu/ds/products/emc), classic or
HDF5, and others that name their axes so. Depth is positive down, in km unless its unit is m."""
from __future__ import annotations

import pathlib
from typing import Any

import numpy as np

from ...errors import Error, need
from ..fault.shapes import refuse
from .plans import Array, between_levels

_AXES = {"lon": ("longitude", "lon", "x"), "lat": ("latitude", "lat", "y"), "depth": ("depth", "z", "level")}
_NAMES = {"vp": ("vp", "vpv", "vph", "v_p", "p_velocity"), "vs": ("vs", "vsv", "vsh", "v_s", "s_velocity"),
          "density": ("rho", "density", "dens")}
_SPEEDS = {"km/s": 1e3, "km.s-1": 1e3, "kms-1": 1e3, "m/s": 1.0, "m.s-1": 1.0, "ms-1": 1.0, "": 1e3}
_DENSITIES = {"kg/m3": 1.0, "kg.m-3": 1.0, "kgm-3": 1.0, "kg/m^3": 1.0, "g/cm3": 1e3, "g.cm-3": 1e3, "gcm-3": 1e3,
              "g/cm^3": 1e3, "g/cc": 1e3, "gm/cc": 1e3, "": 1e3}
_LARGEST = 9e4  # from here on a number is missing: EMC writes 99999



def _plain(values: Any) -> Array:
    """Returns numbers with NaN where they are masked."""
    masked: Any = np.ma
    made: Array = masked.filled(masked.asarray(values, dtype=np.float64), np.nan)
    return made


class GridPlan:
    """A regular or irregular grid of longitudes, latitudes and depths [m]."""

    def __init__(self, data: Any, axes: dict[str, Array], flipped: dict[str, bool], variables: dict[str, tuple[Any, float]],
                 order: dict[str, str]) -> None:
        self._data, self._flipped, self._variables, self._order = data, flipped, variables, order
        self.lon, self.lat, self.depth_m = axes["lon"], axes["lat"], axes["depth"]
        self.shape = (self.lat.size, self.lon.size)
        self.values_per_node = 6

    def close(self) -> None:
        self._data.close()

    def reaches(self, depth_m: float) -> bool:
        return bool(self.depth_m[0] - 1e-6 <= depth_m <= self.depth_m[-1] + 1e-6)

    def nodes_at(self, lon: Array, lat: Array) -> tuple[Array, Array]:
        turned = self.lon[0] + (lon - self.lon[0]) % 360.0
        turned = np.where(turned > self.lon[-1], np.where(turned - 360.0 > self.lon[0] - 1e-9, turned - 360.0, turned), turned)

        def index(axis: Array, place: Array) -> Array:
            found: Array = np.interp(place, axis, np.arange(axis.size, dtype=np.float64), left=-1.0, right=axis.size)
            return found

        return index(self.lat, lat), index(self.lon, turned)

    def window(self, rows: slice, columns: slice, depth_m: float) -> Array:
        k, part = between_levels(self.depth_m, depth_m)
        made = np.full((3, rows.stop - rows.start, columns.stop - columns.start), np.nan)
        for number, key in enumerate(("vp", "vs", "density")):
            if key not in self._variables:
                continue
            upper = self._plane(key, k, rows, columns)
            made[number] = upper if part == 0.0 else (1.0 - part) * upper + part * self._plane(key, k + 1, rows, columns)
        return made

    def _plane(self, key: str, level: int, rows: slice, columns: slice) -> Array:
        variable, factor = self._variables[key]
        wanted = {"lat": rows, "lon": columns, "depth": slice(level, level + 1)}
        place = []
        for dimension in variable.dimensions:
            axis = self._order[dimension]
            begin, end = wanted[axis].start, wanted[axis].stop
            size = {"lat": self.lat.size, "lon": self.lon.size, "depth": self.depth_m.size}[axis]
            place.append(slice(size - end, size - begin) if self._flipped[axis] else slice(begin, end))
        with np.errstate(invalid="ignore"):
            values = _plain(variable[tuple(place)])
        names = [self._order[d] for d in variable.dimensions]
        values = values.transpose([names.index(axis) for axis in ("depth", "lat", "lon")])[0]
        values = values[::-1] if self._flipped["lat"] else values
        values = values[:, ::-1] if self._flipped["lon"] else values
        return factor * np.where(np.abs(values) < _LARGEST, values, np.nan)


def open_grid(path: pathlib.Path, names: dict[str, str]) -> list[GridPlan]:
    """Opens a model. ``names`` of variables ``vp``, ``vs``, ``density`` replace the usual ones. Raises InvalidArgument,
    Unavailable without netCDF4's Python."""
    netcdf: Any = need("netCDF4", "python3-netcdf4", f"reading {path.name}")
    try:
        with open(path, "rb") as file:
            if file.read(4) == b"\x89HDF":
                from ...plotting.self_contained import open_file

                open_file(path).close()  # refuses files that lead to others
        data = netcdf.Dataset(str(path), "r")
        known = {name.lower(): name for name in data.variables}
        axes, order, flipped = {}, {}, {}
        for axis, words in _AXES.items():
            name = next((known[word] for word in words if word in known and len(data[known[word]].dimensions) == 1), None)
            if name is None:
                refuse(f"{path.name}: {axis}", f"must be a variable with one axis, named {' or '.join(words)}",
                       ", ".join(list(known)[:12]))
            values = _plain(data[name][:])
            order[data[name].dimensions[0]] = axis
            step = np.diff(values)
            if not values.size or not np.isfinite(values).all() or step.size and not ((step > 0).all() or (step < 0).all()):
                refuse(f"{path.name}: {name}", "must be finite numbers that rise or fall")
            flipped[axis] = bool(step.size and step[0] < 0)
            axes[axis] = values[::-1] if flipped[axis] else values
            if axis == "depth":
                unit = str(getattr(data[name], "units", "km")).strip().lower()
                if str(getattr(data[name], "positive", "down")).lower() == "up":
                    refuse(f"{path.name}: {name}", "must be positive down, got positive: up")
                axes[axis] = axes[axis] * (1.0 if unit in ("m", "meter", "meters", "metre", "metres") else 1e3)
        variables = _variables(path, data, known, names, order)
    except (OSError, RuntimeError, ValueError, AttributeError, IndexError, TypeError, KeyError,
            UnicodeDecodeError) as error:
        raise Error("InvalidArgument", f"{path}: must be a netCDF model: {' '.join(str(error).split())[:200]}") from error
    if axes["lat"][0] < -90.0 or axes["lat"][-1] > 90.0 or axes["lon"][0] < -360.0 or axes["lon"][-1] > 540.0:
        refuse(f"{path.name}: places", "must be longitudes and latitudes in degrees",
               f"{axes['lon'][0]:g} to {axes['lon'][-1]:g} and {axes['lat'][0]:g} to {axes['lat'][-1]:g}")
    return [GridPlan(data, axes, flipped, variables, order)]


def _variables(path: pathlib.Path, data: Any, known: dict[str, str], names: dict[str, str], order: dict[str, str]
               ) -> dict[str, tuple[Any, float]]:
    found = {}
    for key, words in _NAMES.items():
        words = (names[key].lower(),) if names.get(key) else words
        name = next((known[word] for word in words if word in known), None)
        if name is None:
            if names.get(key):
                refuse(f"{path.name}: {key}", f"must be a variable of the file ({', '.join(list(known)[:20])})", names[key])
            continue
        variable = data[name]
        if set(variable.dimensions) != set(order) or len(variable.dimensions) != 3:
            refuse(f"{path.name}: {name}", "must have the axes longitude, latitude and depth", " ".join(variable.dimensions))
        unit = str(getattr(variable, "units", "")).strip().lower().replace(" ", "").replace("**", "").replace("⁻", "-")
        table = _DENSITIES if key == "density" else _SPEEDS
        if unit not in table:
            rule = "must be an absolute value" if "%" in unit or "percent" in unit else f"must have a unit of {', '.join(table)}"
            refuse(f"{path.name}: {name}", rule, f"'{unit}'")
        found[key] = (variable, table[unit])
    if "vp" not in found and "vs" not in found:
        refuse(f"{path.name}: vp, vs", "must be variables of the file, one at least (--vp NAME, --vs NAME)",
               ", ".join(list(known)[:20]))
    return found
