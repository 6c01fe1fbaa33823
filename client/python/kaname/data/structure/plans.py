# SPDX-License-Identifier: BSD-3-Clause
"""Speeds and density of a 3-D model at places, read in pieces: no grid is held as a whole.

A model is a list of plans: grids of nodes seen from above, each with values at any depth that it reaches. Between nodes
values are linear. What is missing is NaN.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, Sequence

import numpy as np
import numpy.typing as npt

from ...errors import need

Array = npt.NDArray[np.float64]

_MOST_VALUES = 4_000_000  # that are held at once


class Plan(Protocol):
    """Nodes [row][column] with values below them."""

    shape: tuple[int, int]
    values_per_node: int  # read for one depth

    def reaches(self, depth_m: float) -> bool:
        """Tells whether there may be values at the depth."""

    def nodes_at(self, lon: Array, lat: Array) -> tuple[Array, Array]:
        """Returns rows and columns of places, with fractions."""

    def close(self) -> None:
        """Closes the file of all plans."""

    def window(self, rows: slice, columns: slice, depth_m: float) -> Array:
        """Returns [vp, vs, density][row][column] at a depth in m/s and kg/m3."""


def sample(plans: Sequence[Plan], lon: npt.ArrayLike, lat: npt.ArrayLike, depth_m: float) -> Array:
    """Returns [vp, vs, density][place] at a depth, of the first plan that has a value."""
    lon, lat = np.broadcast_arrays(np.ravel(lon).astype(np.float64), np.ravel(lat).astype(np.float64))
    found = np.full((3, lon.size), np.nan)
    for plan in plans:
        open_ones = np.flatnonzero(np.isnan(found).all(axis=0))
        if not open_ones.size:
            break
        if plan.reaches(depth_m):
            row, column = plan.nodes_at(lon[open_ones], lat[open_ones])
            inside = ((row >= 0) & (row <= plan.shape[0] - 1) & (column >= 0) & (column <= plan.shape[1] - 1))
            at = open_ones[inside]
            _fill(plan, row[inside], column[inside], depth_m, found, at)
    return found


@dataclass(frozen=True)
class Grid:
    """Values of a model at nodes: ``vp``, ``vs`` [m/s] and ``density`` [kg/m3] are [depth][lat][lon]; NaN where it has none.

    ``lon``, ``lat`` in degrees; ``depth_m`` is positive down from sea level.
    """

    lon: Array
    lat: Array
    depth_m: Array
    vp: Array
    vs: Array
    density: Array

    def to_xarray(self) -> Any:
        """Returns an xarray.Dataset of ``vp``, ``vs`` and ``density`` over depth, lat and lon."""
        xarray = need("xarray", "python3-xarray", "to_xarray")
        axes = ("depth", "lat", "lon")
        return xarray.Dataset(
            {"vp": (axes, self.vp, {"units": "m s-1"}), "vs": (axes, self.vs, {"units": "m s-1"}),
             "density": (axes, self.density, {"units": "kg m-3"})},
            {"depth": ("depth", self.depth_m, {"units": "m", "positive": "down"}),
             "lat": ("lat", self.lat, {"units": "degrees_north"}), "lon": ("lon", self.lon, {"units": "degrees_east"})})


def on_grid(plans: Sequence[Plan], lon: npt.ArrayLike, lat: npt.ArrayLike, depth_m: npt.ArrayLike) -> Grid:
    """Returns the model's values at all nodes of these longitudes, latitudes [degrees] and depths [m]."""
    x, y, z = (np.ravel(axis).astype(np.float64) for axis in (lon, lat, depth_m))
    lon, lat = (axis.ravel() for axis in np.meshgrid(x, y))
    values = np.empty((3, z.size, y.size, x.size))
    for level, depth in enumerate(z):
        values[:, level] = sample(plans, lon, lat, float(depth)).reshape(3, y.size, x.size)
    return Grid(x, y, z, *values)


def _fill(plan: Plan, row: Array, column: Array, depth_m: float, found: Array, at: npt.NDArray[np.int64]) -> None:
    """Puts values of places into ``found``; windows that are too large are halved along their longer side."""
    if not at.size:
        return
    # The last node is the far corner of its cell; a model of one row has that row twice.
    r = np.clip(np.floor(row).astype(np.int64), 0, max(0, plan.shape[0] - 2))
    c = np.clip(np.floor(column).astype(np.int64), 0, max(0, plan.shape[1] - 2))
    rows = slice(int(r.min()), min(plan.shape[0], int(r.max()) + 2))
    columns = slice(int(c.min()), min(plan.shape[1], int(c.max()) + 2))
    high, wide = rows.stop - rows.start, columns.stop - columns.start
    if high * wide * plan.values_per_node > _MOST_VALUES and high * wide > 4:
        key = r if high >= wide else c
        middle = 0.5 * (float(key.min()) + float(key.max()))
        first = key <= middle
        for part in (first, ~first):
            if not first.all() or part is first:
                _fill(plan, row[part], column[part], depth_m, found, at[part])
        return
    values = plan.window(rows, columns, depth_m)
    p, q = row - r, column - c
    r, c = r - rows.start, c - columns.start
    below, right = np.minimum(r + 1, high - 1), np.minimum(c + 1, wide - 1)
    total = np.zeros((3, at.size))
    for i, j, weight in ((r, c, (1 - p) * (1 - q)), (r, right, (1 - p) * q), (below, c, p * (1 - q)), (below, right, p * q)):
        # A node without a value counts where it has weight.
        total += np.where(weight > 1e-9, weight * values[:, i, j], 0.0)
    found[:, at] = total


def between_levels(levels: Array, depth: float) -> tuple[int, float]:
    """Returns the level above a depth and the part of the way to the next one; levels ascend."""
    k = int(np.clip(np.searchsorted(levels, depth, side="right") - 1, 0, max(0, levels.size - 2)))
    if levels.size < 2:
        return 0, 0.0
    return k, float(np.clip((depth - levels[k]) / (levels[k + 1] - levels[k]), 0.0, 1.0))


def completed(values: Array) -> tuple[Array, tuple[str, ...]]:
    """Returns values whose missing properties follow from the others by Brocher (2005, Bull. Seism. Soc. Am. 95, 2081,
    equations 1, 6 and 9; for crust), and which they are."""
    vp, vs, density = values.copy()
    made = []
    if np.isnan(vp).all() and not np.isnan(vs).all():
        v = 1e-3 * vs
        vp = 1e3 * (0.9409 + 2.0947 * v - 0.8206 * v**2 + 0.2683 * v**3 - 0.0251 * v**4)
        made.append("vp")
    if np.isnan(vs).all() and not np.isnan(vp).all():
        v = 1e-3 * vp
        vs = 1e3 * np.maximum(0.0, 0.7858 - 1.2344 * v + 0.7949 * v**2 - 0.1238 * v**3 + 0.0064 * v**4)
        made.append("vs")
    if np.isnan(density).all() and not np.isnan(vp).all():
        v = 1e-3 * vp
        density = 1e3 * (1.6612 * v - 0.4721 * v**2 + 0.0671 * v**3 - 0.0043 * v**4 + 0.000106 * v**5)
        made.append("density")
    return np.stack([vp, vs, density]), tuple(made)
