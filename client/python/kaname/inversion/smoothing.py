# SPDX-License-Identifier: BSD-3-Clause
"""Roughness of slip on patches that need not be evenly spaced."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..errors import invalid

if TYPE_CHECKING:
    from ..dataset import Dataset

Array = npt.NDArray[np.float64]

_EARTH_M = 6371e3
_GRID_NEIGHBOURS = 4


def centres(dataset: Dataset) -> Array:
    """[source][x, y, z] m of the patches: those of the model, else on a plane about their mean."""
    patches = dataset.patches
    x, y = patches.x, patches.y
    if not np.isfinite(x).all():
        middle = math.radians(float(np.nanmean(patches.lat)))
        x = _EARTH_M * math.cos(middle) * np.radians(patches.lon - np.nanmean(patches.lon))
        y = _EARTH_M * np.radians(patches.lat - np.nanmean(patches.lat))
    return np.column_stack([x, y, -patches.depth])


def laplacian(dataset: Dataset, edges: str = "zero",
              sources: npt.NDArray[np.int64] | None = None) -> Array:
    """The second difference of slip, of uneven distances.

    Row p is ``(2 / E_p) sum_q (x_p - x_q) / e_pq`` over the neighbours q of the same component,
    ``e_pq`` the distance of the centres in space [m] and ``E_p`` the sum of them.

    Parameters
    ----------
    dataset : Dataset
    edges : {"zero", "free"}
        Beyond the patches of a grid there is no slip: where one lacks neighbours (of four) there
        are such without slip, at the mean distance of those that it has. Or nothing.
    sources : array of int, optional
        Rows and columns are these sources; default: all.

    Returns
    -------
    array [source][source], 1/m2
    """
    if edges not in ("zero", "free"):
        invalid("edges", f"must be zero or free, got '{edges}'")
    chosen = np.arange(len(dataset.sources)) if sources is None else np.asarray(sources)
    place = {int(source): row for row, source in enumerate(chosen)}
    xyz, gridded = centres(dataset), dataset.patches.grid_row >= 0
    result = np.zeros((chosen.size, chosen.size))
    for row, source in enumerate(chosen):
        beside = [place[int(q)] for q in dataset.neighbours[source] if int(q) in place]
        if not beside:
            continue
        distance = np.linalg.norm(xyz[chosen[beside]] - xyz[source], axis=1)
        total, missing = float(distance.sum()), 0
        if edges == "zero" and gridded[source]:
            missing = max(0, _GRID_NEIGHBOURS - len(beside))
            total += missing * float(distance.mean())
        result[row, beside] = -2.0 / total / distance
        result[row, row] = 2.0 / total * (float((1.0 / distance).sum())
                                          + missing / float(distance.mean()))
    return result
