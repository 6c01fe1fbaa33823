# SPDX-License-Identifier: BSD-3-Clause
"""Motion of the ground above a plane fault in an elastic half-space (Okada 1985, Bull. Seism. Soc. Am. 75,
1135, equations 25 to 30)."""
from __future__ import annotations

import os
import pathlib
from dataclasses import dataclass, fields
from typing import Any, Mapping, Union

import numpy as np

from ...errors import invalid
from ...program import load
from .raster import Array, local_m

Scalar = Union[float, Array]
_ALPHA = 0.5  # mu / (lambda + mu) where Poisson's ratio is 1/4
_STEEPEST_DEG = 89.9  # The formulas divide by the cosine of the dip.
_UNITS = {"_deg": ("_deg", 1.0), "_m": ("_m", 1.0), "_km": ("_m", 1e3)}


@dataclass(frozen=True)
class Plane:
    """A rectangle, named as `fault.plane` of a request: its place is the middle of the top edge."""

    centre_lon_deg: float
    centre_lat_deg: float
    top_depth_m: float
    strike_deg: float
    dip_deg: float
    length_m: float
    width_m: float

    def __post_init__(self) -> None:
        for key, low, high in (("centre_lon_deg", -360.0, 360.0), ("centre_lat_deg", -90.0, 90.0),
                               ("top_depth_m", 0.0, 1e6), ("strike_deg", -360.0, 360.0), ("dip_deg", 0.1, 90.0),
                               ("length_m", 1.0, 1e7), ("width_m", 1.0, 1e7)):
            value = getattr(self, key)
            if not (np.isfinite(value) and low <= value <= high):
                invalid(f"fault.{key}", f"must be {low:g} to {high:g}, got {value:g}")

    @classmethod
    def of_mapping(cls, values: Mapping[str, Any]) -> Plane:
        """Returns the plane of these keys; lengths may be in m or km."""
        found: dict[str, float] = {}
        for key, value in values.items():
            for ending, (canonical, factor) in _UNITS.items():
                name = str(key).removesuffix(ending) + canonical
                if str(key).endswith(ending) and name in cls.__dataclass_fields__:
                    if isinstance(value, bool) or not isinstance(value, (int, float)):
                        invalid(f"fault.{key}", f"must be a number, got {value!r}")
                    found[name] = float(value) * factor
        missing = [f.name for f in fields(cls) if f.name not in found]
        if missing:
            invalid(f"fault.{missing[0]}", "must be given")
        return cls(**found)

    @classmethod
    def of_file(cls, path: str | os.PathLike[str]) -> Plane:
        """Reads a YAML file with the plane's keys, or a request that has `fault.plane`."""
        path = pathlib.Path(path)
        data: Any = load(path)
        for key in ("fault", "plane"):
            if isinstance(data, dict) and isinstance(data.get(key), dict):
                data = data[key]
        if not isinstance(data, dict):
            invalid(f"{path.name}: fault", "must be a mapping with centre_lon_deg, strike_deg and so on")
        return cls.of_mapping(data)


def greens(plane: Plane, n_strike: int, n_dip: int, lon: Array, lat: Array, look: Array) -> Array:
    """Returns [point][2 patches] motion along the look [point][3] for slip 1 along strike, then up dip,
    of n_strike x n_dip patches (row by row from the top)."""
    x, y = local_m((lon - plane.centre_lon_deg + 180.0) % 360.0 - 180.0 + plane.centre_lon_deg, lat,
                   plane.centre_lon_deg, plane.centre_lat_deg)
    strike, dip = np.radians(plane.strike_deg), np.radians(min(plane.dip_deg, _STEEPEST_DEG))
    along = x * np.sin(strike) + y * np.cos(strike)
    left = -x * np.cos(strike) + y * np.sin(strike)  # The fault dips to the right of its strike.
    length, width = plane.length_m / n_strike, plane.width_m / n_dip
    columns: list[list[Array]] = [[], []]
    for row in range(n_dip):
        deep = (row + 1) * width
        depth = plane.top_depth_m + deep * np.sin(dip)
        for column in range(n_strike):
            start = -0.5 * plane.length_m + column * length
            both = surface_motion(along - start, left + deep * np.cos(dip), depth, dip, length, width, (0, 1))
            for motion, done in zip(both, columns):
                east = motion[0] * np.sin(strike) - motion[1] * np.cos(strike)
                north = motion[0] * np.cos(strike) + motion[1] * np.sin(strike)
                done.append(east * look[:, 0] + north * look[:, 1] + motion[2] * look[:, 2])
    return np.stack(columns[0] + columns[1], axis=1)


def surface_motion(x: Array, y: Array, depth: Scalar, dip: Scalar, length: Scalar, width: Scalar,
                   components: tuple[int, ...], alpha: float = _ALPHA) -> list[tuple[Array, Array, Array]]:
    """Returns motion along x (strike), y (left of it) and up at x, y for slip 1 of each of ``components`` (0: left
    lateral, 1: thrust, 2: opening) on 0..length and 0..width up from a lower edge at ``depth``. dip in radians; alpha
    is mu / (lambda + mu), or 1 - 2 nu. All may be arrays that broadcast."""
    p = y * np.cos(dip) + depth * np.sin(dip)
    q = y * np.sin(dip) - depth * np.cos(dip)
    xi, eta = (np.stack(np.broadcast_arrays(*four)) for four in ((x, x, x - length, x - length), (p, p - width) * 2))
    parts = _corners(xi, eta, q, dip, components, alpha)
    return [tuple((c[0] - c[1] - c[2] + c[3]) / (2.0 * np.pi) for c in part) for part in parts]  # type: ignore[misc]


def _corners(xi: Array, eta: Array, q: Array, dip: Scalar, components: tuple[int, ...], alpha: float
             ) -> list[tuple[Array, Array, Array]]:
    """Returns what the corners of the rectangle [corner][...] add for each component, but for signs and 1 / (2 pi)."""
    sin, cos = np.sin(dip), np.cos(dip)
    q = np.where(np.abs(q) < 1e-6, 1e-6, q)
    xi = np.where(np.abs(xi) < 1e-6, 1e-6, xi)
    r = np.sqrt(xi * xi + eta * eta + q * q)
    y, d = eta * cos + q * sin, eta * sin - q * cos
    big = np.hypot(xi, q)
    r_eta, r_xi, r_d = (np.maximum(r + v, 1e-9 * r) for v in (eta, xi, d))
    log_eta = np.log(r_eta)
    i4 = alpha / cos * (np.log(r_d) - sin * log_eta)
    i5 = 2.0 * alpha / cos * np.arctan((eta * (big + q * cos) + big * (r + big) * sin) / (xi * (r + big) * cos))
    i3 = alpha * (y / (cos * r_d) - log_eta) + sin / cos * i4
    i1 = -alpha / cos * xi / r_d - sin / cos * i5
    turn = np.arctan(xi * eta / (q * r))
    by_eta, by_xi = q / (r * r_eta), q / (r * r_xi)
    parts = []
    for component in components:
        if component == 0:
            i2 = -alpha * log_eta - i3
            parts.append((-xi * by_eta - turn - i1 * sin, -y * by_eta - q * cos / r_eta - i2 * sin,
                          -d * by_eta - q * sin / r_eta - i4 * sin))
        elif component == 1:
            parts.append((-q / r + i3 * sin * cos, -y * by_xi - cos * turn + i1 * sin * cos,
                          -d * by_xi - sin * turn + i5 * sin * cos))
        else:
            shear = xi * by_eta - turn
            parts.append((q * by_eta - i3 * sin * sin, -d * by_xi - sin * shear - i1 * sin * sin,
                          y * by_xi + cos * shear - i5 * sin * sin))
    return parts
