# SPDX-License-Identifier: BSD-3-Clause
"""Trajectories: which terms a series determines, and their columns.

x(t) = a + v t + seasons + sum_j b_j H(t - t_j) + sum_k c_k f((t - t_k) / tau_k), f = log(1 + s) or
1 - exp(-s) after earthquake k (Bevis and Brown 2014, doi:10.1007/s00190-013-0685-5).
"""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .rows import Array, date_of
from .series import DAYS_OF_YEAR, Series

LEAST_EPOCHS = 5  # on either side of a step
_LEAST_SEASON_YEARS = 1.0
_MIDDLE = 0.5  # of a day, when an earthquake counts as having been


@dataclass(frozen=True)
class Jump:
    """A step: the first whole day after it, and whether the day before it holds both sides, so that
    it is left out. ``asked_for`` ones may relax, and have narrow bins beside them."""

    day: int
    both_sides: bool
    earthquake: bool
    about: str
    asked_for: bool = False

    @property
    def name(self) -> str:
        return str(date_of(self.day - 1 if self.both_sides else self.day))


@dataclass(frozen=True)
class Terms:
    """Names of columns; jumps and relaxations that the series determines, and what it does not."""

    jumps: tuple[Jump, ...]
    relaxing: tuple[Jump, ...]
    seasons: bool
    law: str
    notes: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        seasons = ["annual_sin", "annual_cos", "semiannual_sin", "semiannual_cos"] if self.seasons else []
        return (["position", "rate", *seasons] + [f"step_{j.name}" for j in self.jumps]
                + [f"{self.law}_{j.name}" for j in self.relaxing])


def jump_of_day(mjd: float, earthquake: bool, about: str, asked_for: bool = False) -> Jump:
    """A step that happened some time during a day, whose own solution holds both sides."""
    return Jump(int(np.floor(mjd)) + 1, True, earthquake, about, asked_for)


def terms_of(day: npt.NDArray[np.int64], wanted: list[Jump], law: str) -> Terms:
    """Steps with at least five epochs on either side up to the next step; those that were asked for
    come before other earthquakes, and these before changes of equipment. ``law`` is ``log``, ``exp`` or empty."""
    kept: list[Jump] = []
    notes = []
    for jump in sorted(wanted, key=lambda j: (not j.asked_for, not j.earthquake, j.day)):
        if not day[0] < jump.day <= day[-1]:
            if jump.asked_for:
                notes.append(f"step of {jump.name} left out: no data on one side of it")
            continue
        if any(jump.day == other.day for other in kept):
            continue
        edges = sorted([int(day[0]), *(j.day for j in kept), jump.day, int(day[-1]) + 1])
        counts = [int(np.searchsorted(day, b) - np.searchsorted(day, a)) for a, b in zip(edges, edges[1:])]
        k = edges.index(jump.day)
        if min(counts[k - 1], counts[k]) < LEAST_EPOCHS:
            notes.append(f"step of {jump.name} ({jump.about}) left out: fewer than {LEAST_EPOCHS} epochs "
                         "between it and the next step or the end")
            continue
        kept.append(jump)
    kept.sort(key=lambda j: j.day)
    seasons = (day[-1] - day[0]) / DAYS_OF_YEAR >= _LEAST_SEASON_YEARS
    if not seasons:
        notes.append("seasons left out: the series is shorter than a year")
    relaxing = tuple(j for j in kept if j.asked_for) if law else ()
    return Terms(tuple(kept), relaxing, seasons, law, tuple(notes))


def relaxation(mjd: Array, jump: Jump, law: str, tau_days: float) -> Array:
    """The column of one relaxation, 0 before its earthquake."""
    since = np.maximum(mjd - (jump.day - _MIDDLE), 0.0) / tau_days
    return np.asarray(np.log1p(since) if law == "log" else -np.expm1(-since))


def design(mjd: Array, terms: Terms, tau_days: list[float]) -> Array:
    """Columns [epoch][term], times in years since the middle of the series."""
    t = (mjd - 0.5 * (mjd[0] + mjd[-1])) / DAYS_OF_YEAR
    columns = [np.ones_like(t), t]
    if terms.seasons:
        # Phases count from 1 January 2000, so that stations compare.
        phase = 2 * np.pi * (mjd - 51544.0) / DAYS_OF_YEAR
        columns += [np.sin(phase), np.cos(phase), np.sin(2 * phase), np.cos(2 * phase)]
    day = np.floor(mjd)
    columns += [(day >= jump.day).astype(float) for jump in terms.jumps]
    columns += [relaxation(mjd, jump, terms.law, tau) for jump, tau in zip(terms.relaxing, tau_days)]
    return np.stack(columns, axis=1)


def outliers(series: Series, kept: npt.NDArray[np.bool_], columns: Array, threshold: float) -> npt.NDArray[np.bool_]:
    """Epochs that stay: residuals of least squares, less their median over blocks of 30 epochs, are
    within ``threshold`` times 1.4826 times their median size, in all components. Repeated up to ten
    times, each time with all epochs judged by the fit of those that stayed."""
    stay = kept.copy()
    scale = np.sqrt(np.einsum("rc,rc->c", columns, columns))
    columns = columns / np.where(scale > 0.0, scale, 1.0)
    for _ in range(10):
        a = columns[stay]
        x = np.linalg.lstsq(a.T @ a, a.T @ series.position_m[stay], rcond=1e-13)[0]
        rest = series.position_m - columns @ x
        rest -= _slow_part(rest, stay)
        size = 1.4826 * np.median(np.abs(rest[stay]), axis=0)
        good = kept & (np.abs(rest) <= threshold * np.maximum(size, 1e-9)).all(axis=1)
        if good.sum() < max(columns.shape[1] + 2, 0.5 * kept.sum()) or (good == stay).all():
            break
        stay = good
    return stay


def _slow_part(rest: Array, stay: npt.NDArray[np.bool_]) -> Array:
    """Medians of blocks of 30 epochs, linear between the blocks' middles."""
    rows = np.flatnonzero(stay)
    blocks = np.array_split(rows, max(1, rows.size // 30))
    middle = np.array([block.mean() for block in blocks])
    medians = np.array([np.median(rest[block], axis=0) for block in blocks])
    at = np.arange(len(rest))
    return np.stack([np.interp(at, middle, medians[:, c]) for c in range(rest.shape[1])], axis=1)
