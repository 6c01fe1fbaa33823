# SPDX-License-Identifier: BSD-3-Clause
"""Stations dealt to folds, the same here and in the programs."""
from __future__ import annotations

from typing import Iterator, Sequence

import numpy as np
import numpy.typing as npt

_64 = (1 << 64) - 1


def splitmix64(seed: int) -> Iterator[int]:
    """Numbers of 64 bits (Steele, Lea and Flood 2014, doi:10.1145/2660193.2660195)."""
    state = seed & _64
    while True:
        state = (state + 0x9E3779B97F4A7C15) & _64
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _64
        yield z ^ (z >> 31)


def folds_of_stations(stations: Sequence[str], folds: int, seed: int = 1) -> npt.NDArray[np.int64]:
    """The fold of each row.

    The ids, sorted by their UTF-8 bytes, are shuffled from the back (Fisher and Yates) by
    `splitmix64`; the fold of a station is its place modulo ``folds``.

    Parameters
    ----------
    stations : sequence of str
        Station of each row; a station may have several.
    folds : int
        At least 2, at most as many as there are stations.
    seed : int

    Returns
    -------
    array [row] of int
    """
    ids = sorted(set(stations), key=lambda name: name.encode())
    numbers = splitmix64(seed)
    for i in range(len(ids) - 1, 0, -1):
        j = next(numbers) % (i + 1)
        ids[i], ids[j] = ids[j], ids[i]
    fold = {name: place % folds for place, name in enumerate(ids)}
    return np.array([fold[name] for name in stations], dtype=np.int64)
