# SPDX-License-Identifier: BSD-3-Clause
"""Faults as they come out of files: traces, rectangles, triangles and depth on a grid.

Strike is clockwise from north with the dip to its right, depth is positive down from sea level, angles are
degrees, lengths m. Places on the ellipsoid become metres by its two radii of curvature at the place between.
"""
from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, NoReturn, Sequence

import numpy as np
import numpy.typing as npt

from ...errors import Error, Violation, need

Array = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_AXIS_M, _E2 = 6378137.0, 6.69437999014e-3  # WGS84
DEEPEST_M = 1e6
_LONGEST_NAME = 63


def refuse(field: str, rule: str, got: object = None) -> NoReturn:
    """Raises InvalidArgument: ``field: rule, got value``."""
    text = str(got)
    message = rule if got is None else f"{rule}, got {text if len(text) <= 80 else text[:80] + '...'}"
    raise Error("InvalidArgument", f"{field}: {message}", [Violation(field, message)])


def metres_per_degree(lat: Array | float) -> tuple[Array, Array]:
    """Returns metres per degree of longitude and of latitude at latitudes."""
    phi = np.radians(np.asarray(lat, dtype=np.float64))
    w2 = 1.0 - _E2 * np.sin(phi) ** 2
    return (np.radians(1.0) * _AXIS_M / np.sqrt(w2) * np.cos(phi),
            np.radians(1.0) * _AXIS_M * (1.0 - _E2) / w2**1.5)


def to_metres(lon: Array, lat: Array, lon0: Array | float, lat0: Array | float) -> tuple[Array, Array]:
    """Returns metres east and north of a place, by the radii half way to it."""
    east, north = metres_per_degree(0.5 * (np.asarray(lat) + lat0))
    return (((np.asarray(lon) - lon0 + 180.0) % 360.0 - 180.0) * east, (np.asarray(lat) - lat0) * north)


def to_degrees(east_m: Array | float, north_m: Array | float, lon0: float, lat0: float) -> tuple[Array, Array]:
    """Returns the place that lies so far from another one."""
    lat = lat0 + np.asarray(north_m) / metres_per_degree(lat0)[1]
    for _ in range(3):
        lat = lat0 + np.asarray(north_m) / metres_per_degree(0.5 * (lat + lat0))[1]
    return lon0 + np.asarray(east_m) / metres_per_degree(0.5 * (lat + lat0))[0], lat


def name_of(text: str, taken: set[str] | None = None) -> str:
    """Returns a name as requests have it (1 to 63 of a-z 0-9 -), other than those that are taken."""
    plain = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:_LONGEST_NAME - 4].rstrip("-") or "fault"
    name, number = plain, 1
    while taken is not None and name in taken:
        number += 1
        name = f"{plain}-{number}"
    if taken is not None:
        taken.add(name)
    return name


@dataclass(frozen=True)
class Rectangle:
    """A plane as `fault.plane` of a request has it: its place is the middle of the top edge.

    Raises InvalidArgument where a number is none of a rectangle in the Earth.
    """

    name: str
    lon: float
    lat: float
    top_depth_m: float
    strike_deg: float
    dip_deg: float
    length_m: float
    width_m: float
    rake_deg: float | None = None

    def __post_init__(self) -> None:
        for key, low, high in (("lon", -360.0, 360.0), ("lat", -89.0, 89.0), ("top_depth_m", 0.0, DEEPEST_M),
                               ("strike_deg", -360.0, 360.0), ("dip_deg", 1.0, 90.0), ("length_m", 1.0, 1e7),
                               ("width_m", 1.0, 1e7), ("rake_deg", -360.0, 360.0)):
            value = getattr(self, key)
            if value is not None and not (np.isfinite(value) and low <= value <= high):
                refuse(f"{self.name}: {key}", f"must be {low:g} to {high:g}", f"{value:g}")

    @property
    def bottom_depth_m(self) -> float:
        return self.top_depth_m + self.width_m * float(np.sin(np.radians(self.dip_deg)))

    def at(self, along_m: Array | float, down_m: Array | float) -> tuple[Array, Array, Array]:
        """Returns longitude, latitude and depth of places, along strike from the middle and down dip from the top."""
        strike, dip = np.radians(self.strike_deg), np.radians(self.dip_deg)
        across = np.asarray(down_m) * np.cos(dip)
        lon, lat = to_degrees(np.asarray(along_m) * np.sin(strike) + across * np.cos(strike),
                              np.asarray(along_m) * np.cos(strike) - across * np.sin(strike), self.lon, self.lat)
        return lon, lat, self.top_depth_m + np.asarray(down_m) * np.sin(dip)

    def corners(self) -> tuple[Array, Array, Array]:
        """Returns longitudes, latitudes and depths: start and end of the top, end and start of the bottom."""
        half = 0.5 * self.length_m
        return self.at(np.array([-half, half, half, -half]), np.array([0.0, 0.0, self.width_m, self.width_m]))


def to_xarray(planes: Sequence[Rectangle]) -> Any:
    """Returns an xarray.Dataset of planes: ``strike``, ``dip``, ``rake`` [degrees], ``length``, ``width`` [m] over plane, and
    ``lon``, ``lat`` [degrees], ``depth`` [m] over plane and corner: start and end of the top, end and start of the bottom.
    """
    xarray = need("xarray", "python3-xarray", "to_xarray")
    corners = np.array([plane.corners() for plane in planes]).reshape(-1, 3, 4)
    numbers = {"strike": ("strike_deg", "degree"), "dip": ("dip_deg", "degree"), "rake": ("rake_deg", "degree"),
               "length": ("length_m", "m"), "width": ("width_m", "m")}
    values = {key: np.array([getattr(plane, name) for plane in planes], dtype=np.float64) for key, (name, _) in numbers.items()}
    variables: dict[str, Any] = {key: ("plane", values[key], {"units": unit}) for key, (_, unit) in numbers.items()}
    for k, (key, about) in enumerate((("lon", {"units": "degrees_east"}), ("lat", {"units": "degrees_north"}),
                                      ("depth", {"units": "m", "positive": "down"}))):
        variables[key] = (("plane", "corner"), corners[:, k], about)
    return xarray.Dataset(
        variables, {"plane": [plane.name for plane in planes], "corner": ["top_start", "top_end", "bottom_end", "bottom_start"]})


@dataclass(frozen=True)
class Trace:
    """A line on the ground above a fault, with its dip and depths."""

    name: str
    lon: Array
    lat: Array
    dip_deg: float
    top_m: float
    bottom_m: float
    dip_direction_deg: float | None = None
    rake_deg: float | None = None

    def rectangles(self, tolerance_m: float = 2000.0, taken: set[str] | None = None) -> list[Rectangle]:
        """Returns a plane for each straight part; points of the line lie within ``tolerance_m`` of the parts. Names
        differ from those in ``taken``, and join them.

        The line is that of the fault at sea level. Where the fault begins deeper its top edge lies down dip.
        """
        taken = set() if taken is None else taken
        if not 1.0 <= self.dip_deg <= 90.0:
            refuse(f"{self.name}: dip", "must be 1 to 90 degrees", f"{self.dip_deg:g}")
        if not 0.0 <= self.top_m < self.bottom_m <= DEEPEST_M:
            refuse(f"{self.name}: depths", "must be the upper and a larger lower one, 0 to 1000 km",
                   f"{1e-3 * self.top_m:g} and {1e-3 * self.bottom_m:g} km")
        lon, lat = self._towards_dip()
        kept = simplified(*to_metres(lon, lat, float(lon[0]), float(lat[0])), tolerance_m)
        made = []
        cot = np.cos(np.radians(self.dip_deg)) / np.sin(np.radians(self.dip_deg))
        for a, b in zip(kept[:-1], kept[1:]):
            east, north = to_metres(lon[b], lat[b], float(lon[a]), float(lat[a]))
            length, strike = float(np.hypot(east, north)), float(np.arctan2(east, north))
            middle = to_degrees(0.5 * east, 0.5 * north, float(lon[a]), float(lat[a]))
            across = self.top_m * cot
            place = to_degrees(across * np.cos(strike), -across * np.sin(strike), float(middle[0]), float(middle[1]))
            made.append(Rectangle(name_of(self.name, taken), float(place[0]), float(place[1]), self.top_m,
                                  float(np.degrees(strike)) % 360.0, self.dip_deg, length,
                                  (self.bottom_m - self.top_m) / float(np.sin(np.radians(self.dip_deg))), self.rake_deg))
        return made

    def to_xarray(self) -> Any:
        """Returns an xarray.Dataset: ``lon`` and ``lat`` [degrees] over point, dip and depths as attributes."""
        xarray = need("xarray", "python3-xarray", "to_xarray")
        known = {"dip_direction_deg": self.dip_direction_deg, "rake_deg": self.rake_deg}
        return xarray.Dataset({"lon": ("point", self.lon, {"units": "degrees_east"}),
                               "lat": ("point", self.lat, {"units": "degrees_north"})}, {},
                              {"title": self.name, "dip_deg": self.dip_deg, "top_depth_m": self.top_m,
                               "bottom_depth_m": self.bottom_m,
                               **{key: value for key, value in known.items() if value is not None}})

    def _towards_dip(self) -> tuple[Array, Array]:
        """Returns the line in the sense that has the dip to its right."""
        east, north = to_metres(self.lon[-1], self.lat[-1], float(self.lon[0]), float(self.lat[0]))
        if np.hypot(east, north) < 1.0:
            refuse(f"{self.name}: trace", "must have ends apart, got a closed line")
        if self.dip_direction_deg is None or self.dip_deg > 89.9:
            return self.lon, self.lat
        side = float(np.sin(np.radians(self.dip_direction_deg) - np.arctan2(east, north)))
        if abs(side) < 0.25:
            refuse(f"{self.name}: dip direction", "must lie across the trace, by 15 degrees or more",
                   f"{self.dip_direction_deg:g} degrees with a strike of {np.degrees(np.arctan2(east, north)) % 360:.0f}")
        return (self.lon, self.lat) if side > 0 else (self.lon[::-1], self.lat[::-1])


def simplified(x: Array, y: Array, tolerance_m: float) -> list[int]:
    """Returns indices of points of a line from which no other is further than the tolerance (Douglas, Peucker 1973)."""
    kept, open_parts = {0, x.size - 1}, [(0, x.size - 1)]
    while open_parts:
        a, b = open_parts.pop()
        if b - a < 2:
            continue
        chord = np.array([x[b] - x[a], y[b] - y[a]])
        size = float(np.hypot(*chord))
        px, py = x[a + 1:b] - x[a], y[a + 1:b] - y[a]
        away = np.abs(px * chord[1] - py * chord[0]) / size if size > 0.0 else np.hypot(px, py)
        worst = int(np.argmax(away))
        if away[worst] > tolerance_m:
            kept.add(a + 1 + worst)
            open_parts += [(a, a + 1 + worst), (a + 1 + worst, b)]
    return sorted(kept)


@dataclass(frozen=True)
class Triangles:
    """A surface: places [vertex], and three vertices of each triangle [triangle][3]."""

    name: str
    lon: Array
    lat: Array
    depth_m: Array
    vertices: Ints

    def to_xarray(self) -> Any:
        """Returns an xarray.Dataset: ``lon``, ``lat`` [degrees] and ``depth`` [m] over vertex, ``triangles`` with the
        vertices of each over triangle and corner."""
        xarray = need("xarray", "python3-xarray", "to_xarray")
        return xarray.Dataset({"lon": ("vertex", self.lon, {"units": "degrees_east"}),
                               "lat": ("vertex", self.lat, {"units": "degrees_north"}),
                               "depth": ("vertex", self.depth_m, {"units": "m", "positive": "down"}),
                               "triangles": (("triangle", "corner"), self.vertices)}, {}, {"title": self.name})

    def rectangle(self) -> tuple[Rectangle, float]:
        """Returns the plane of least squares that holds the triangles, and their largest distance from it [m]."""
        lon0, lat0 = _middle(self.lon), float(self.lat.mean())
        x, y = to_metres(self.lon, self.lat, lon0, lat0)
        points = np.column_stack([x, y, -self.depth_m])
        normals = np.cross(points[self.vertices[:, 1]] - points[self.vertices[:, 0]],
                           points[self.vertices[:, 2]] - points[self.vertices[:, 0]])
        area = np.linalg.norm(normals, axis=1)
        centres = points[self.vertices].mean(axis=1)
        middle = (area[:, None] * centres).sum(axis=0) / area.sum()
        corners = (points[self.vertices] - middle).reshape(-1, 3)
        normal = np.linalg.eigh((np.repeat(area, 3)[:, None] * corners).T @ corners)[1][:, 0]
        normal = normal if normal[2] >= 0.0 else -normal
        # The fault dips to where its upward normal leans.
        strike = float(np.arctan2(normal[0], normal[1])) - 0.5 * np.pi
        dip = float(np.arccos(min(1.0, normal[2])))
        along = np.array([np.sin(strike), np.cos(strike), 0.0])
        down = np.array([np.cos(dip) * np.cos(strike), -np.cos(dip) * np.sin(strike), -np.sin(dip)])
        a, d = (points - middle) @ along, (points - middle) @ down
        top = middle + 0.5 * (a.min() + a.max()) * along + d.min() * down
        lon, lat = to_degrees(top[0], top[1], lon0, lat0)
        made = Rectangle(name_of(self.name), float(lon), float(lat), max(0.0, float(-top[2])),
                         float(np.degrees(strike)) % 360.0, float(np.degrees(dip)), float(np.ptp(a)), float(np.ptp(d)))
        return made, float(np.abs((points - middle) @ normal).max())


@dataclass(frozen=True)
class DepthGrid:
    """Depth of an interface [lat][lon], both ascending; NaN where there is none."""

    name: str
    lon: Array
    lat: Array
    depth_m: Array
    strike_deg: float  # mean, with the dip to its right
    dip_deg: float

    def to_xarray(self) -> Any:
        """Returns an xarray.Dataset of ``depth`` [m] over lat and lon."""
        xarray = need("xarray", "python3-xarray", "to_xarray")
        return xarray.Dataset({"depth": (("lat", "lon"), self.depth_m, {"units": "m", "positive": "down"})},
                              {"lat": ("lat", self.lat, {"units": "degrees_north"}),
                               "lon": ("lon", self.lon, {"units": "degrees_east"})},
                              {"title": self.name, "strike_deg": self.strike_deg, "dip_deg": self.dip_deg})


def _middle(lon: Array) -> float:
    return float(lon[0] + ((lon - lon[0] + 180.0) % 360.0 - 180.0).mean())


def sampled(surface: Triangles, spacing_m: float) -> DepthGrid:
    """Returns the depth of triangles on a regular grid. Refuses triangles that lie above one another or are vertical."""
    lon0 = _middle(surface.lon)
    lon = lon0 + (surface.lon - lon0 + 180.0) % 360.0 - 180.0
    lat = surface.lat
    per_lon, per_lat = (float(v) for v in metres_per_degree(float(lat.mean())))
    x = np.arange(lon.min(), lon.max() + 1e-9, spacing_m / per_lon)
    y = np.arange(lat.min(), lat.max() + 1e-9, spacing_m / per_lat)
    if x.size < 2 or y.size < 2:
        refuse(f"{surface.name}: spacing", f"must be below the surface's extent, got {1e-3 * spacing_m:g} km")
    if x.size * y.size > 25_000_000:
        refuse(f"{surface.name}: spacing", f"must give at most 25e6 nodes, gives {x.size} x {y.size}",
               f"{1e-3 * spacing_m:g} km")
    low, high = np.full((y.size, x.size), np.inf), np.full((y.size, x.size), -np.inf)
    for corner in surface.vertices:
        _add_triangle(low, high, x, y, lon[corner], lat[corner], surface.depth_m[corner])
    there = np.isfinite(low)
    if not there.any():
        refuse(f"{surface.name}: triangles", "must cover nodes of the grid; are they vertical, or is the spacing larger "
                                             "than they are (--spacing-km)?")
    away = np.where(there, high, 0.0) - np.where(there, low, 0.0)
    if away.max() > 0.5 * spacing_m + 1.0:
        row, column = np.unravel_index(int(np.argmax(away)), away.shape)
        refuse(f"{surface.name}: triangles", "must have one depth at each place to be an interface",
               f"{1e-3 * low[row, column]:.3g} and {1e-3 * high[row, column]:.3g} km at {x[column]:.4f} {y[row]:.4f}")
    depth = np.full(low.shape, np.nan)
    depth[there] = 0.5 * (low[there] + high[there])
    strike, dip = _mean_angles(surface)
    return DepthGrid(surface.name, x, y, depth, strike, dip)


def _mean_angles(surface: Triangles) -> tuple[float, float]:
    plane = surface.rectangle()[0]
    return plane.strike_deg, plane.dip_deg


def _add_triangle(low: Array, high: Array, x: Array, y: Array, lon: Array, lat: Array, depth: Array) -> None:
    cross = (lon[1] - lon[0]) * (lat[2] - lat[0]) - (lon[2] - lon[0]) * (lat[1] - lat[0])
    if abs(cross) < 1e-14:
        return
    columns = slice(int(np.searchsorted(x, lon.min() - 1e-9)), int(np.searchsorted(x, lon.max() + 1e-9)))
    rows = slice(int(np.searchsorted(y, lat.min() - 1e-9)), int(np.searchsorted(y, lat.max() + 1e-9)))
    px, py = x[columns][None, :], y[rows][:, None]
    b = ((px - lon[0]) * (lat[2] - lat[0]) - (lon[2] - lon[0]) * (py - lat[0])) / cross
    c = ((lon[1] - lon[0]) * (py - lat[0]) - (px - lon[0]) * (lat[1] - lat[0])) / cross
    inside = (b >= -1e-9) & (c >= -1e-9) & (b + c <= 1.0 + 1e-9)
    here = depth[0] + b * (depth[1] - depth[0]) + c * (depth[2] - depth[0])
    low[rows, columns] = np.where(inside, np.minimum(low[rows, columns], here), low[rows, columns])
    high[rows, columns] = np.where(inside, np.maximum(high[rows, columns], here), high[rows, columns])
