# SPDX-License-Identifier: BSD-3-Clause
"""Cells of a raster by the resolution of a fault (Lohman and Simons 2005, Geochem. Geophys. Geosyst. 6, Q01007).

With G the motion of the cells' middles for slip of patches, L their Laplacian and k a weight, the matrix

    N = G (G'G + k L'L)^-1 G'

gives a datum's part in its own prediction on its diagonal. A cell whose part is large is alone in seeing some
slip and is split in four; where neighbours see the same, nothing is gained by more of them.
"""
from __future__ import annotations

import numpy as np

from .half_space import Plane, greens
from .quadtree import Cells, Pyramid
from .raster import Array, Raster

_PATCH_ROWS = 8
_MOST_COLUMNS = 24
_ROUGHNESS = 1e-3  # of the trace of G'G that the Laplacian has
THRESHOLD = 0.05  # of the diagonal above which a cell is split


def cells_by_resolution(raster: Raster, plane: Plane, pyramid: Pyramid, points: int, threshold: float) -> Cells:
    """Returns at most ``points`` cells, none of which has a part above ``threshold`` where they suffice."""
    n_dip = _PATCH_ROWS
    n_strike = int(np.clip(round(n_dip * plane.length_m / plane.width_m), 2, _MOST_COLUMNS))
    roughness = _laplacian(n_strike, n_dip)
    cells = pyramid.cells(np.inf)
    weight = None
    while True:
        middle = _middles(raster, cells)
        motion = greens(plane, n_strike, n_dip, *middle)
        normal = motion.T @ motion
        if weight is None:
            weight = _ROUGHNESS * np.trace(normal) / np.trace(roughness)
        part = np.einsum("ij,ij->i", motion, np.linalg.solve(normal + weight * roughness, motion.T).T)
        splittable = (part > threshold) & (cells.size > pyramid.smallest)
        room = (points - len(cells)) // 3
        if not splittable.any() or room < 1:
            return cells
        order = np.argsort(np.where(splittable, part, -np.inf))[::-1]
        # A round splits a part of them, for the parts of the others change with it.
        count = min(room, int(splittable.sum()), max(16, len(cells) // 4))
        chosen = np.zeros(len(cells), dtype=bool)
        chosen[order[:count]] = True
        quarters = _filled(raster, cells.chosen(chosen).split(), pyramid.fraction)
        cells = cells.chosen(~chosen).joined(quarters)


def _laplacian(n_strike: int, n_dip: int) -> Array:
    """Returns L'L of both components on the patches; beyond the edges slip is 0."""
    def second(n: int) -> Array:
        return 2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)

    one = np.kron(second(n_dip), np.eye(n_strike)) + np.kron(np.eye(n_dip), second(n_strike))
    return np.kron(np.eye(2), one.T @ one)


def _middles(raster: Raster, cells: Cells) -> tuple[Array, Array, Array]:
    """Returns longitude, latitude and look of the valid pixel that is nearest to each cell's middle."""
    places = np.empty(len(cells), dtype=np.int64), np.empty(len(cells), dtype=np.int64)
    valid = raster.valid
    for k, (row, column, size) in enumerate(zip(cells.row, cells.column, cells.size)):
        rows, columns = np.nonzero(valid[row:row + size, column:column + size])
        half = 0.5 * (size - 1)
        nearest = int(np.argmin((rows - half) ** 2 + (columns - half) ** 2))
        places[0][k], places[1][k] = row + rows[nearest], column + columns[nearest]
    return raster.lon[places], raster.lat[places], raster.look[(slice(None), *places)].T


def _filled(raster: Raster, cells: Cells, fraction: float) -> Cells:
    """Returns the cells that have enough values for a point."""
    valid = raster.valid
    part = np.array([valid[r:r + s, c:c + s].sum() / s**2 for r, c, s in zip(cells.row, cells.column, cells.size)])
    return cells.chosen(part >= fraction)
