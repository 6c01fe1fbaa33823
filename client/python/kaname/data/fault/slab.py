# SPDX-License-Identifier: BSD-3-Clause
"""Reads Slab2 (Hayes 2018, https://doi.org/10.5066/F7PV6JNV): PREFIX_dep_DATE.grd with PREFIX_str_ and PREFIX_dip_
beside it, and lays patches on an interface. Depths are in km and negative, longitudes 0 to 360."""
from __future__ import annotations

import os
import pathlib
from dataclasses import dataclass
from typing import Any, Sequence

import numpy as np

from ...errors import Error, need
from ..confined import call_apart
from .shapes import Array, DepthGrid, refuse, to_degrees, to_metres

_STEPS = 4  # samples of a patch's spacing at which its reach is looked at
_MOST_TRIED = 60  # places of the first row
_FEW_COLUMNS = 20  # so few are also tried half a spacing further along strike


def read_slab(path: str | os.PathLike[str], bounds: Sequence[float] = ()) -> DepthGrid:
    """Returns the interface. Mean strike and dip are those of the files beside it, else of the depths. A process of its
    own reads, which a damaged file may break down. Raises InvalidArgument, NotFound, Unavailable without GDAL."""
    _, arrays = call_apart("kaname.data.fault.slab:open_grids", str(path), {"file": str(path)})
    return slab_of(pathlib.Path(path), arrays, bounds)


def slab_of(path: pathlib.Path, arrays: dict[str, Array], bounds: Sequence[float] = ()) -> DepthGrid:
    """Returns the interface of the arrays that `open_grids` reads."""
    lon, lat, depth = arrays["lon"][0], arrays["lat"][:, 0], -1e3 * arrays["depth"]
    if not (np.isfinite(lon).all() and np.isfinite(lat).all() and np.abs(lat).max() <= 89.0 and np.abs(lon).max() <= 540.0):
        refuse(f"{path.name}: places", "must be degrees, latitudes within 89")
    order = np.argsort(lat)
    depth = depth[order]
    there = np.isfinite(depth)
    if there.any() and np.nanmedian(depth) < 0.0:
        refuse(f"{path.name}: depths", "must be km and negative below sea level, as Slab2 has them",
               f"{-1e-3 * np.nanmedian(depth):g}")
    if there.any() and np.nanmax(depth) > 1e6:
        refuse(f"{path.name}: depths", "must be at most 1000 km", f"{1e-3 * np.nanmax(depth):g}")
    grid = DepthGrid(path.stem, lon, lat[order], depth, 0.0, 0.0)
    angles = [arrays[key][order] if key in arrays else np.full_like(depth, np.nan) for key in ("strike", "dip")]
    if len(bounds):
        grid, angles = _cut(path.name, grid, angles, bounds)
        there = np.isfinite(grid.depth_m)
    if there.sum() < 16:
        refuse(f"{path.name}: depths", "must be there at 16 nodes", int(there.sum()))
    return DepthGrid(grid.name, grid.lon, grid.lat, grid.depth_m, *_mean(grid, angles))


def open_grids(file: str) -> tuple[dict[str, Any], dict[str, Array]]:
    """Reads depth and, where they are beside it, strike and dip, in the child."""
    from ..insar.grids import open_grid

    path = pathlib.Path(file)
    if not path.is_file():
        raise Error("NotFound", f"{path} is not there")
    grid = open_grid(path, None)
    found = {"lon": grid.lon, "lat": grid.lat, "depth": grid.values}
    for key, word in (("strike", "_str_"), ("dip", "_dip_")):
        beside = path.with_name(path.name.replace("_dep_", word))
        if beside != path and beside.is_file():
            other = open_grid(beside, None)
            if other.values.shape != grid.values.shape:
                refuse(f"{beside.name}: nodes", f"must be the {grid.values.shape[0]} x {grid.values.shape[1]} of {path.name}",
                       " x ".join(map(str, other.values.shape)))
            found[key] = other.values
    return {}, found


def _cut(name: str, grid: DepthGrid, angles: list[Array], bounds: Sequence[float]) -> tuple[DepthGrid, list[Array]]:
    west, east, south, north = bounds
    columns = (grid.lon - west) % 360.0 <= (east - west) % 360.0
    rows = (grid.lat >= south) & (grid.lat <= north)
    if columns.sum() < 2 or rows.sum() < 2:
        refuse("bounds", f"must hold nodes of {name}, which has {grid.lon[0]:g} to {grid.lon[-1]:g} and {grid.lat[0]:g} to "
                         f"{grid.lat[-1]:g} degrees", " ".join(f"{v:g}" for v in bounds))
    part = np.ix_(rows, columns)
    cut = DepthGrid(grid.name, grid.lon[columns], grid.lat[rows], grid.depth_m[part], 0.0, 0.0)
    return cut, [angle[part] for angle in angles]


def _mean(grid: DepthGrid, angles: list[Array]) -> tuple[float, float]:
    """Returns mean strike and dip, with the dip to the right: of the files, else by the gradient of the depths."""
    strike, dip = angles
    there = np.isfinite(strike) & np.isfinite(dip)
    if there.any():
        turn = np.radians(strike[there])
        return (float(np.degrees(np.arctan2(np.sin(turn).mean(), np.cos(turn).mean()))) % 360.0, float(dip[there].mean()))
    north, east = np.gradient(grid.depth_m)
    x, y = to_metres(grid.lon, np.full_like(grid.lon, grid.lat.mean()), float(grid.lon[0]), float(grid.lat.mean()))
    _, z = to_metres(np.full_like(grid.lat, grid.lon[0]), grid.lat, float(grid.lon[0]), float(grid.lat[0]))
    east, north = east / np.gradient(x)[None, :], north / np.gradient(z)[:, None]
    good = np.isfinite(east) & np.isfinite(north)
    if not good.any():
        refuse(f"{grid.name}: depths", "must be there at neighbours")
    e, n = float(east[good].mean()), float(north[good].mean())
    return float(np.degrees(np.arctan2(e, n)) - 90.0) % 360.0, float(np.degrees(np.arctan(np.hypot(e, n))))


@dataclass(frozen=True)
class Patches:
    """A grid of patches on an interface, as `fault.interface.patches` has it: (``lon``, ``lat``) is its first centre."""

    lon: float
    lat: float
    strike_deg: float
    n_strike: int
    n_dip: int
    spacing_m: float
    part: float  # of the interface between the depths that the patches' reach covers

    def to_xarray(self) -> Any:
        """Returns an xarray.Dataset: ``lon``, ``lat`` [degrees] of the first centre, ``strike`` [degrees], ``part``, and
        how far centres lie from it on the interface, ``along`` strike and ``down`` dip [m], as coordinates."""
        xarray = need("xarray", "python3-xarray", "to_xarray")
        return xarray.Dataset(
            {"lon": ((), self.lon, {"units": "degrees_east"}), "lat": ((), self.lat, {"units": "degrees_north"}),
             "strike": ((), self.strike_deg, {"units": "degree"}), "part": ((), self.part, {"units": "1"})},
            {key: (key, self.spacing_m * np.arange(n), {"units": "m"})
             for key, n in (("along", self.n_strike), ("down", self.n_dip))})


def lay_patches(grid: DepthGrid, spacing_m: float, min_depth_m: float, max_depth_m: float) -> Patches:
    """Returns the largest grid of patches of this spacing whose whole reach lies on data between the depths.

    Rows lie so far apart along the interface, in each vertical section across strike, as requests have them. The first
    row is tried at every eighth of a spacing, or at sixty places. Raises InvalidArgument where no patch has room.
    """
    centre = float(grid.lon.mean()), float(grid.lat.mean())
    lon, lat = np.meshgrid(grid.lon, grid.lat)
    x, y = to_metres(lon, lat, *centre)
    good = np.isfinite(grid.depth_m) & (grid.depth_m >= min_depth_m) & (grid.depth_m <= max_depth_m)
    if not good.any():
        refuse(f"{grid.name}: depths", f"must be {1e-3 * min_depth_m:g} to {1e-3 * max_depth_m:g} km somewhere")
    # A node's room for the projection of the request, which is not that of here.
    inner = np.pad(good, 1)
    good = good & inner[:-2, 1:-1] & inner[2:, 1:-1] & inner[1:-1, :-2] & inner[1:-1, 2:]
    if not good.any():
        refuse(f"{grid.name}: nodes", "must be there in blocks of three between the depths, got none")
    turn = np.radians(grid.strike_deg)
    along, across = x * np.sin(turn) + y * np.cos(turn), x * np.cos(turn) - y * np.sin(turn)
    ends = [(float(v[good].min()), float(v[good].max())) for v in (along, across)]
    columns = max(1, int((ends[0][1] - ends[0][0]) / spacing_m))
    if columns * max(1.0, (ends[1][1] - ends[1][0]) / spacing_m) > 50_000:
        refuse("patch_km", "must give at most 50000 patches", f"{1e-3 * spacing_m:g} km")
    best = (0, 0, 0, 0.0, 0.0)
    for shift in (0.0, 0.5) if columns < _FEW_COLUMNS else (0.0,):
        sections = _Sections(grid, good, ends[0][0] + (0.5 + shift) * spacing_m, columns, ends[1], spacing_m, turn, centre)
        for first in np.arange(ends[1][0], ends[1][1], max(spacing_m / 8.0, (ends[1][1] - ends[1][0]) / _MOST_TRIED)):
            n_strike, n_dip, column = _largest(sections.patches(first))
            if n_strike * n_dip > best[0] * best[1]:
                best = n_strike, n_dip, column, sections.along0, float(first)
    n_strike, n_dip, column, along0, first = best
    if n_strike == 0:
        refuse("patch_km", "must be smaller: no patch lies with all its reach on the interface between the depths",
               f"{1e-3 * spacing_m:g} km")
    begin = along0 + column * spacing_m
    place = to_degrees(begin * np.sin(turn) + first * np.cos(turn), begin * np.cos(turn) - first * np.sin(turn), *centre)
    area = float(good.sum()) * abs(float((x[0, 1] - x[0, 0]) * (y[1, 0] - y[0, 0])))
    reach = (n_strike + 1) * (n_dip + 1) * spacing_m**2 * float(np.cos(np.radians(grid.dip_deg)))
    return Patches(float(place[0]), float(place[1]), grid.strike_deg, n_strike, n_dip, spacing_m, min(1.0, reach / area))


class _Sections:
    """Vertical sections across strike: depth [section][place], and which places have data between the depths."""

    def __init__(self, grid: DepthGrid, good: Any, along0: float, columns: int, ends: tuple[float, float],
                 spacing_m: float, turn: float, centre: tuple[float, float]) -> None:
        self.along0, self.spacing_m, self.columns = along0, spacing_m, columns
        a = along0 + spacing_m * np.arange(-_STEPS, _STEPS * columns + 1) / _STEPS
        self.across = np.arange(ends[0] - spacing_m, ends[1] + spacing_m, spacing_m / 16.0)
        east = a[:, None] * np.sin(turn) + self.across[None, :] * np.cos(turn)
        north = a[:, None] * np.cos(turn) - self.across[None, :] * np.sin(turn)
        lon, lat = to_degrees(east, north, *centre)
        u, v = ((p - axis[0]) / (axis[1] - axis[0]) for p, axis in ((lon, grid.lon), (lat, grid.lat)))
        self.depth, self.good = np.zeros(u.shape), np.ones(u.shape, dtype=bool)
        column, row = np.floor(u).astype(np.int64), np.floor(v).astype(np.int64)
        for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
            r, c = row + i, column + j
            within = (r >= 0) & (r < grid.lat.size) & (c >= 0) & (c < grid.lon.size)
            r, c = np.clip(r, 0, grid.lat.size - 1), np.clip(c, 0, grid.lon.size - 1)
            self.good &= within & good[r, c]
            weight = (v - row if i else 1.0 - v + row) * (u - column if j else 1.0 - u + column)
            self.depth += weight * np.nan_to_num(grid.depth_m[r, c])
        slope = np.where(self.good, np.gradient(self.depth, self.across, axis=1), 0.0)
        length = np.hypot(1.0, np.clip(slope, -20.0, 20.0))
        self.arc = np.concatenate([np.zeros((a.size, 1)), np.cumsum(0.5 * (length[:, 1:] + length[:, :-1]), axis=1)], axis=1)
        self.arc *= self.across[1] - self.across[0]

    def patches(self, first: float) -> Any:
        """Returns [column][row] whether a patch's reach has data, with the first row's centres at ``first`` across."""
        start = int(np.clip(np.searchsorted(self.across, first), 0, self.across.size - 1))
        rows = max(1, int(np.median(self.arc[:, -1] - self.arc[:, start]) / self.spacing_m))
        down = self.spacing_m * np.arange(-_STEPS, _STEPS * rows + 1) / _STEPS
        inside = np.zeros((self.arc.shape[0], down.size), dtype=bool)
        for k, arc in enumerate(self.arc):
            at = np.searchsorted(arc, arc[start] + down)
            inside[k] = (at > 0) & (at < arc.size) & self.good[k, np.minimum(at, arc.size - 1)]
        # A patch reaches a spacing to each side of its centre.
        missing = np.pad(np.cumsum(np.cumsum(~inside, axis=0), axis=1), ((1, 0), (1, 0)))
        c, r = _STEPS * np.arange(self.columns), _STEPS * np.arange(rows)
        reach = 2 * _STEPS + 1
        return (missing[c + reach][:, r + reach] - missing[c][:, r + reach] - missing[c + reach][:, r] + missing[c][:, r]) == 0


def _largest(fits: Any) -> tuple[int, int, int]:
    """Returns columns, rows and the first column of the largest block of patches that begins in the first row."""
    best = (0, 0, 0)
    for rows in range(1, fits.shape[1] + 1):
        run = 0
        for column, whole in enumerate(fits[:, :rows].all(axis=1)):
            run = run + 1 if whole else 0
            if run * rows > best[0] * best[1]:
                best = run, rows, column - run + 1
    return best
