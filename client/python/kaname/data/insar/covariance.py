# SPDX-License-Identifier: BSD-3-Clause
"""The covariance of cells' means, from the covariogram of pixels.

C_ij = 1/(A_i A_j) int int C(|x - y|) dx dy over both cells, with each cell as a square lattice of samples. With
A the matrix of means of samples and R their correlation, C = sill A R A' is positive definite for any samples.
"""
from __future__ import annotations

import numpy as np

from ...errors import invalid
from .covariogram import Covariogram, correlation
from .quadtree import Cells
from .raster import Array

_MOST_SAMPLES = 30_000
# Samples of a side. A sample's correlation with itself is 1, where its part of the cell has less: with 3 the
# difference of neighbours has 3 % too much variance.
_LEAST_ROOT, _MOST_ROOT = 3, 8
_BLOCK = 512
_SELF = 64


def of_cells(cells: Cells, x: Array, y: Array, size_m: tuple[Array, Array], pixels: Array, covariogram: Covariogram,
             extra: Array) -> Array:
    """Returns [cell][cell] of the cells' means.

    ``x``, ``y`` [cell] in m of the middles; ``size_m`` [cell] sides to the east and north; ``pixels`` [cell]
    share the nugget; ``extra`` [cell] is a variance of its own. Raises InvalidArgument where the result
    is not positive definite.
    """
    root = _roots(np.maximum(*size_m), covariogram.length_m)
    sample_x, sample_y, owner, count = _samples(x, y, size_m, root)
    side = (size_m[0] / root, size_m[1] / root)
    n = len(cells)
    means = np.zeros((n, n))
    starts = np.flatnonzero(np.r_[True, np.diff(owner) > 0])
    for first in range(0, n, _BLOCK):
        last = min(first + _BLOCK, n)
        a, b = starts[first], (starts[last] if last < n else owner.size)
        # Samples of earlier cells are done: the matrix is symmetric.
        some = slice(a, owner.size)
        block = np.empty((b - a, n - first))
        for row in range(a, b, 256):
            rows = slice(row, min(row + 256, b))
            away = np.hypot(sample_x[rows, None] - sample_x[None, some], sample_y[rows, None] - sample_y[None, some])
            block[row - a:rows.stop - a] = np.add.reduceat(covariogram.correlation(away), starts[first:] - a, axis=1)
        means[first:last, first:] = np.add.reduceat(block, starts[first:last] - a, axis=0)
    means = np.triu(means) + np.triu(means, 1).T
    # A sample stands for its part of the cell, whose pixels lie apart: less than 1 is right, and counts where
    # parts are larger than the errors' length.
    own = np.where(np.maximum(*side) > covariogram.length_m, _self_correlation(covariogram, side, size_m, pixels), 1.0)
    lower = (means - np.diag(count * (1.0 - own))) / np.outer(count, count)
    noise = np.diag(covariogram.nugget / pixels + extra)
    for correlations in (lower, means / np.outer(count, count)):
        matrix: Array = covariogram.sill * correlations + noise
        if _is_positive(matrix):
            return matrix
    invalid("covariance", "must be positive definite, is not with sill "
                          f"{covariogram.sill:.4g}, length {covariogram.length_m:.4g} m and nugget {covariogram.nugget:.4g}; "
                          "give the errors' size by --noise-sigma-m, --noise-length-km and --noise-nugget-m")


def _is_positive(matrix: Array) -> bool:
    try:
        factor = np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        return False
    # As `invert` has it, a variance that is left of less than rounding is none.
    return bool((np.diag(factor) ** 2 > 1e-10 * np.diag(matrix)).all())


def _roots(size_m: Array, length_m: float) -> Array:
    """Returns samples of a side [cell]: two a length, 3 to 8, fewer where all would be too many."""
    for most in range(_MOST_ROOT, 0, -1):
        root = np.clip(np.ceil(2.0 * size_m / length_m), min(_LEAST_ROOT, most), most)
        if (root**2).sum() <= _MOST_SAMPLES:
            break
    result: Array = root
    return result


def _samples(x: Array, y: Array, size_m: tuple[Array, Array], root: Array) -> tuple[Array, Array, Array, Array]:
    """Returns places of samples, the cell that each belongs to, and their number [cell]."""
    parts_x, parts_y, owner = [], [], []
    for k, side in enumerate(root.astype(np.int64)):
        offsets = (np.arange(side) + 0.5) / side - 0.5
        parts_x.append(x[k] + size_m[0][k] * np.repeat(offsets, side))
        parts_y.append(y[k] + size_m[1][k] * np.tile(offsets, side))
        owner.append(np.full(side * side, k))
    return np.concatenate(parts_x), np.concatenate(parts_y), np.concatenate(owner), root**2


def _self_correlation(covariogram: Covariogram, side: tuple[Array, Array], size_m: tuple[Array, Array], pixels: Array
                      ) -> Array:
    """Returns the mean correlation of two pixels of one sample's part [cell].

    Offsets of two even places in a square have the density (1 - |u|)(1 - |v|); pixels that are the
    same one add 1 for each.
    """
    u = (np.arange(_SELF) + 0.5) / _SELF
    weight = np.outer(1.0 - u, 1.0 - u)
    weight /= weight.sum()
    shapes, back = np.unique(np.round(np.stack(side), 3), axis=1, return_inverse=True)
    found = np.empty(shapes.shape[1])
    for k, (a, b) in enumerate(shapes.T):
        away = np.hypot(a * u[:, None], b * u[None, :]) / covariogram.length_m
        found[k] = float((weight * correlation(covariogram.model, away)).sum())
    mean = found[back.ravel()]
    inside = np.maximum(pixels * (side[0] * side[1]) / (size_m[0] * size_m[1]), 1.0)  # of one part
    result: Array = 1.0 / inside + (1.0 - 1.0 / inside) * mean
    return result
