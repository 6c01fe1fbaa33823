# SPDX-License-Identifier: BSD-3-Clause
"""Rows of Green's functions for observations, whitened."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..dataset import Dataset
from ..errors import invalid
from .observations import Rows

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Design:
    """``matrix`` [row][source and nuisance] and ``data`` [row], both over the standard deviations;
    ``n`` sources; ``station`` [row]; ``slices``: rows of each set."""

    matrix: Array
    data: Array
    sigma: Array
    station: tuple[str, ...]
    n: int
    slices: tuple[slice, ...]


def _response(dataset: Dataset, sources: npt.NDArray[np.int64], rows: Rows) -> Array:
    """[row][source] m per m: linear between the dataset's epochs."""
    epochs = dataset.epochs
    wanted = np.concatenate([rows.epoch, [] if np.isnan(rows.since) else [rows.since]])
    outside = (wanted < epochs[0]) | (wanted > epochs[-1])
    if outside.any():
        invalid(f"{rows.name}: epoch", f"must be {epochs[0]:g}..{epochs[-1]:g} s, got "
                                       f"{wanted[outside][0]:g}")
    stations, place = np.unique(rows.place, return_inverse=True)
    upper = np.clip(np.searchsorted(epochs, wanted), 1, max(epochs.size - 1, 1))
    needed = np.unique(np.concatenate([upper - 1, np.minimum(upper, epochs.size - 1)]))
    greens = dataset.greens[sources, needed, stations]  # what is asked for, and nothing more

    def at(time_s: float) -> Array:
        k = int(np.clip(np.searchsorted(epochs, time_s), 1, max(epochs.size - 1, 1)))
        first = int(np.searchsorted(needed, k - 1))
        if epochs.size == 1:
            return np.asarray(greens[:, 0])
        share = (time_s - epochs[k - 1]) / (epochs[k] - epochs[k - 1])
        return np.asarray((1.0 - share) * greens[:, first] + share * greens[:, first + 1])

    response = np.empty((rows.place.size, sources.size))
    for time_s in np.unique(rows.epoch):
        motion = at(float(time_s))
        if not np.isnan(rows.since):
            motion = motion - at(rows.since)
        here = rows.epoch == time_s
        response[here] = motion[:, place[here], rows.component[here]].T
    return response


def make_design(dataset: Dataset, sources: npt.NDArray[np.int64], sets: list[Rows]) -> Design:
    """All sets together; an offset is a column per set and component."""
    blocks, slices, extra, at = [], [], [], 0
    for rows in sets:
        blocks.append(_response(dataset, sources, rows))
        slices.append(slice(at, at + rows.place.size))
        at += rows.place.size
        extra += [(slices[-1], rows, c) for c in np.unique(rows.component) if rows.offset]
    matrix = np.zeros((at, sources.size + len(extra)))
    matrix[:, :sources.size] = np.concatenate(blocks)
    for column, (part, rows, component) in enumerate(extra):
        matrix[part, sources.size + column] = rows.component == component
    sigma = np.concatenate([rows.sigma for rows in sets])
    data = np.concatenate([rows.observed for rows in sets])
    return Design(matrix / sigma[:, None], data / sigma, sigma,
                  tuple(s for rows in sets for s in rows.station), sources.size, tuple(slices))
