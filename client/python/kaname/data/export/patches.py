# SPDX-License-Identifier: BSD-3-Clause
"""Slip on rectangles, from a table of patches (docs/user/slip_models.md) or an inversion's result."""
from __future__ import annotations

import csv
import math
import os
import pathlib
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import Error
from ..fault.shapes import Array, Rectangle, refuse, to_degrees, to_metres

_MOST_BYTES = 256 << 20
_COLUMNS = {"lon_centre_deg": (-360.0, 360.0), "lat_centre_deg": (-89.0, 89.0), "depth_centre_km": (-10.0, 1000.0),
            "length_km": (1e-6, 1e4), "width_km": (1e-6, 1e4), "strike_deg": (-360.0, 360.0), "dip_deg": (0.0, 90.0),
            "rake_deg": (-360.0, 720.0), "slip_m": (0.0, 100.0)}
_OPTIONAL = {"opening_m": (-100.0, 100.0), "rupture_time_s": (0.0, 1e5), "rise_time_s": (0.0, 1e5),
             "moment_Nm": (0.0, 1e26)}


@dataclass(frozen=True)
class SlipPatches:
    """Rectangles that slip; arrays are [patch]. Places are centres; lengths in m, angles in degrees, slip in m of the
    hanging wall along the rake. ``rigidity`` in Pa; ``rupture_s`` and ``rise_s`` are NaN where they are not known."""

    name: str
    patch: tuple[str, ...]
    lon: Array
    lat: Array
    depth_m: Array
    length_m: Array
    width_m: Array
    strike_deg: Array
    dip_deg: Array
    rake_deg: Array
    slip_m: Array
    rigidity: Array
    rupture_s: Array
    rise_s: Array

    @property
    def moment(self) -> Array:
        """Moment of each patch [N m]."""
        moment: Array = self.rigidity * self.length_m * self.width_m * self.slip_m
        return moment

    @property
    def magnitude(self) -> float:
        return (math.log10(max(float(self.moment.sum()), 1e-30)) - 9.1) / 1.5

    def rectangle(self, k: int) -> Rectangle:
        """Returns the patch as a plane, whose place is the middle of the top edge. Where the patch sticks out of the
        ground its top edge is there."""
        strike, dip = np.radians(self.strike_deg[k]), np.radians(self.dip_deg[k])
        up = min(0.5 * float(self.width_m[k]), float(self.depth_m[k]) / max(float(np.sin(dip)), 1e-9))
        lon, lat = to_degrees(-up * np.cos(dip) * np.cos(strike), up * np.cos(dip) * np.sin(strike), float(self.lon[k]),
                              float(self.lat[k]))
        return Rectangle(self.patch[k], float(lon), float(lat), max(0.0, float(self.depth_m[k] - up * np.sin(dip))),
                         float(self.strike_deg[k]) % 360.0, max(1.0, float(self.dip_deg[k])), float(self.length_m[k]),
                         0.5 * float(self.width_m[k]) + up)

    def segments(self) -> list[list[int]]:
        """Returns the patches of each fault and size, as files of several segments have them, in their order."""
        groups: dict[tuple[Any, ...], list[int]] = {}
        for k, name in enumerate(self.patch):
            fault = name.rpartition("/")[0]
            key = (fault, round(float(self.length_m[k]), 3), round(float(self.width_m[k]), 3))
            groups.setdefault(key, []).append(k)
        return [_by_rows(self.patch, group) for group in groups.values()]

    def faults(self) -> list[list[int]]:
        """Returns the patches of each fault, whatever their sizes, in their order."""
        groups: dict[str, list[int]] = {}
        for k, name in enumerate(self.patch):
            groups.setdefault(name.rpartition("/")[0], []).append(k)
        return list(groups.values())

    def place_in_grid(self, group: list[int]) -> Array | None:
        """Returns column and row [patch][2] from names that end in sIIdJJ; None where one has no such name."""
        places = [re.search(r"s(\d+)d(\d+)$", self.patch[k]) for k in group]
        return np.array([[int(p[1]), int(p[2])] for p in places if p], dtype=np.float64) if all(places) else None

    def grid(self, group: list[int]) -> tuple[int, int]:
        """Returns the numbers of columns and rows of a segment, 1 row where its patches are no grid."""
        places = [re.search(r"s(\d+)d(\d+)$", self.patch[k]) for k in group]
        if all(places):
            columns, rows = (max(int(p[i]) for p in places if p) + 1 for i in (1, 2))
            if columns * rows == len(group):
                return columns, rows
        return len(group), 1


def _by_rows(names: tuple[str, ...], group: list[int]) -> list[int]:
    """Returns patches of a grid row by row down dip, others as they are."""
    places = {k: re.search(r"s(\d+)d(\d+)$", names[k]) for k in group}
    if all(places.values()):
        return sorted(group, key=lambda k: (int(places[k][2]), int(places[k][1])))  # type: ignore[index]
    return group


def read_slip(path: str | os.PathLike[str], mu_pa: float, window: int = 0) -> SlipPatches:
    """Reads a table of patches or inversion.h5. ``mu_pa`` is the rigidity where the file has none. Raises
    InvalidArgument with line, column, value and rule, NotFound."""
    path = pathlib.Path(path)
    if not path.is_file():
        raise Error("NotFound", f"{path} is not there")
    return _of_inversion(path, mu_pa, window) if path.suffix.lower() in (".h5", ".nc") else _of_table(path, mu_pa)


def _of_table(path: pathlib.Path, mu_pa: float) -> SlipPatches:
    if path.stat().st_size > _MOST_BYTES:
        refuse(path.name, f"must have at most {_MOST_BYTES} bytes", path.stat().st_size)
    lines = path.read_bytes().decode("utf-8", "replace").splitlines()
    numbered = [(k, line) for k, line in enumerate(lines, 1) if line.strip() and not line.lstrip().startswith("#")]
    try:
        rows = list(csv.reader(line for _, line in numbered))
    except csv.Error as error:
        refuse(path.name, f"must be a table of comma-separated columns: {error}")
    if len(rows) < 2 or len(rows) != len(numbered):
        refuse(f"{path.name}: rows", "must be a line of names and one or more of numbers", len(rows))
    names = [name.strip() for name in rows[0]]
    values: dict[str, list[float]] = {}
    for name, (low, high) in {**_COLUMNS, **_OPTIONAL}.items():
        metres = name.replace("_km", "_m")
        column, factor = (names.index(name), 1.0) if name in names else (
            (names.index(metres), 1e-3) if metres in names and metres != name else (-1, 1.0))
        if column < 0:
            if name in _COLUMNS:
                refuse(f"{path.name}: {name}", "must be a column; a table of patches has "
                                               f"{', '.join(_COLUMNS)}, got {', '.join(names)[:200]}")
            continue
        values[name] = []
        for (line, _), row in zip(numbered[1:], rows[1:]):
            if len(row) != len(names):
                refuse(f"{path.name}:{line}: columns", f"must be {len(names)}", len(row))
            try:
                value = factor * float(row[column])
            except ValueError:
                value = math.nan
            if not low <= value <= high:
                refuse(f"{path.name}:{line}: {names[column]}", f"must be {low:g} to {high:g}", row[column])
            values[name].append(value)
    v = {name: np.array(column) for name, column in values.items()}
    n = len(rows) - 1
    patch = tuple(row[names.index("patch")].strip() or str(k) for k, row in enumerate(rows[1:], 1)
                  ) if "patch" in names else tuple(str(k + 1) for k in range(n))
    length, width = 1e3 * v["length_km"], 1e3 * v["width_km"]
    rigidity = np.full(n, mu_pa)
    if "moment_Nm" in v:
        potency = length * width * v["slip_m"]
        rigidity = np.where(potency > 0.0, v["moment_Nm"] / np.where(potency > 0.0, potency, 1.0), mu_pa)
    unknown = np.full(n, np.nan)
    return SlipPatches(path.stem, patch, v["lon_centre_deg"], v["lat_centre_deg"], 1e3 * v["depth_centre_km"], length, width,
                       v["strike_deg"], v["dip_deg"], v["rake_deg"], v["slip_m"], rigidity,
                       v.get("rupture_time_s", unknown), v.get("rise_time_s", unknown))


def _of_inversion(path: pathlib.Path, mu_pa: float, window: int) -> SlipPatches:
    from ...inversion.result import Inversion

    found = Inversion.read(path)
    if not 0 <= window < len(found.window):
        refuse("window", f"must be 1 to {len(found.window)}, one of {', '.join(found.window)}", window + 1)
    first, slip, rake = found.slip_vectors(window)
    places = {key: value[first] for key, value in found.places.items()}
    for key in ("patch_lon", "patch_lat", "patch_depth", "patch_area", "strike", "dip", "outline_lon", "outline_lat"):
        if not np.isfinite(places[key]).all():
            refuse(f"{path.name}: {key}", "must be finite for all patches; models without a projection have none")
    east, north = to_metres(places["outline_lon"][:, 1], places["outline_lat"][:, 1], places["outline_lon"][:, 0],
                            places["outline_lat"][:, 0])
    length = np.hypot(east, north)
    n = len(first)
    rigidity = places["rigidity"]
    return SlipPatches(path.stem, tuple(found.source[k].rsplit("/", 1)[0] for k in first), places["patch_lon"],
                       places["patch_lat"], places["patch_depth"], length, places["patch_area"] / length, places["strike"],
                       places["dip"], rake, slip, np.where(np.isfinite(rigidity), rigidity, mu_pa), np.full(n, np.nan),
                       np.full(n, np.nan))
