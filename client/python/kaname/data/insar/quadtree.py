# SPDX-License-Identifier: BSD-3-Clause
"""Cells of a raster by variance (Jonsson et al. 2002, Bull. Seism. Soc. Am. 92, 1377).

Cells are squares of 2^k pixels. A cell is split in four where the standard deviation of its values is
above a threshold; of the smallest size it stays. Sums of each size are kept, so that one threshold
costs one pass over them, and the threshold of a number of points is found by bisection.
"""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...errors import invalid
from .raster import Array, Raster

Indices = npt.NDArray[np.int64]
_BISECTIONS = 60


@dataclass(frozen=True)
class Cells:
    """Squares of pixels: ``row``, ``column`` of the first pixel and ``size`` [cell] in pixels."""

    row: Indices
    column: Indices
    size: Indices

    def __len__(self) -> int:
        return int(self.row.size)

    def joined(self, other: Cells) -> Cells:
        """Returns these cells and then the others."""
        return Cells(*(np.concatenate(pair) for pair in ((self.row, other.row), (self.column, other.column),
                                                         (self.size, other.size))))

    def chosen(self, which: npt.NDArray[np.bool_]) -> Cells:
        """Returns those cells for which ``which`` [cell] is True."""
        return Cells(self.row[which], self.column[which], self.size[which])

    def split(self) -> Cells:
        """Returns the four quarters of each cell."""
        half = self.size // 2
        return Cells(np.concatenate([self.row, self.row, self.row + half, self.row + half]),
                     np.concatenate([self.column, self.column + half, self.column, self.column + half]),
                     np.tile(half, 4))


class Pyramid:
    """Counts, sums and sums of squares of a raster's values in cells of all sizes from the smallest."""

    def __init__(self, raster: Raster, smallest: int, largest: int, fraction: float) -> None:
        """``smallest`` and ``largest`` are powers of two in pixels; of a cell's pixels at least
        ``fraction`` must have a value, or it gives no point."""
        for field, value in (("smallest", smallest), ("largest", largest)):
            if value < 1 or value & (value - 1):
                invalid(f"{field} cell", f"must be a power of 2 in pixels, got {value}")
        if smallest > largest:
            invalid("smallest cell", f"must be at most the largest, {largest} pixels, got {smallest}")
        if not 0.0 < fraction <= 1.0:
            invalid("fraction", f"must be above 0 and at most 1, got {fraction:g}")
        self.fraction, self.smallest, self.largest = fraction, smallest, largest
        valid = raster.valid
        # Sums of squares keep their digits where values are counted from their mean.
        values = np.where(valid, raster.values - np.nanmean(raster.values), 0.0)
        levels = {}
        arrays = [_padded(a, largest) for a in (valid.astype(np.float64), values, values * values)]
        size = 1
        while size <= largest:
            if size >= smallest:
                levels[size] = self._level(size, *arrays)
            arrays = [a.reshape(a.shape[0] // 2, 2, a.shape[1] // 2, 2).sum(axis=(1, 3)) for a in arrays] \
                if size < largest else arrays
            size *= 2
        self.levels = levels

    def _level(self, size: int, count: Array, total: Array, squares: Array) -> tuple[Array, Array]:
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = total / count
            spread = np.sqrt(np.maximum(squares / count - mean * mean, 0.0))
        return count / size**2, np.where(count > 0, spread, 0.0)

    def cells(self, threshold: float) -> Cells:
        """Returns cells whose values spread by at most ``threshold``, or that are smallest."""
        found = []
        size = self.largest
        alive = np.ones(self.levels[size][0].shape, dtype=bool)
        while True:
            filled, spread = self.levels[size]
            alive &= filled > 0.0
            # A cell that is too empty for a point is split too: parts of it may be full.
            goes_on = alive & ((spread > threshold) | (filled < self.fraction)) & (size > self.smallest)
            row, column = np.nonzero(alive & ~goes_on & (filled >= self.fraction))
            found.append(Cells(row * size, column * size, np.full(row.size, size)))
            if size == self.smallest:
                break
            alive = np.repeat(np.repeat(goes_on, 2, axis=0), 2, axis=1)
            size //= 2
        result = found[0]
        for other in found[1:]:
            result = result.joined(other)
        return result

    def at_most(self, points: int) -> tuple[Cells, float]:
        """Returns the most cells that are no more than ``points``, and their threshold."""
        if points < 4:
            invalid("points", f"must be at least 4, got {points}")
        high = max(float(spread.max()) for _, spread in self.levels.values())
        fewest = self.cells(high)
        if len(fewest) > points:
            invalid("points", f"must be at least {len(fewest)} for the largest cells of {self.largest} pixels, got "
                              f"{points}")
        low = 0.0
        best, threshold = fewest, high
        everything = self.cells(0.0)
        if len(everything) <= points:
            return everything, 0.0
        for _ in range(_BISECTIONS):
            middle = 0.5 * (low + high)
            cells = self.cells(middle)
            if len(cells) > points:
                low = middle
            else:
                high, best, threshold = middle, cells, middle
            if high - low <= 1e-6 * high:
                break
        return best, threshold


def _padded(array: Array, size: int) -> Array:
    rows, columns = (-(-n // size) * size - n for n in array.shape)
    return np.pad(array, ((0, rows), (0, columns)))


def largest_size(raster: Raster, points: int) -> int:
    """Returns the largest cell, a power of 2 in pixels, of which about a quarter of ``points`` fill
    the raster, and that is at most an eighth of its shorter side."""
    filled = float(raster.valid.sum())
    wanted = max(1.0, min(np.sqrt(4.0 * filled / max(points, 4)), min(raster.values.shape) / 8.0))
    return int(2 ** int(np.floor(np.log2(max(wanted, 1.0))) + (1 if wanted > 1.5 else 0)))
