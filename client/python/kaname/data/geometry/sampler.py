# SPDX-License-Identifier: BSD-3-Clause
"""Samples of a density of few parameters with several hills, by differential evolution.

Walkers of one ensemble propose steps along differences of others (ter Braak 2006, Stat. Comput. 16, 239), half of
them at a time, so that a step needs nothing of those that move. Ensembles are independent of each other and begin
from draws of the prior; the density is flattened at first (simulated annealing), and walkers that are left on
hills far below the highest are moved there before samples count.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

import numpy as np
import numpy.typing as npt

from ..insar.raster import Array

ENSEMBLES = 2
_WIDE_JUMPS = 0.1  # share of whole differences, which step from hill to hill
_JITTER = 1e-5  # of a parameter's range
Rows = npt.NDArray[np.int64]
Density = Callable[[Array], Array]


@dataclass(frozen=True)
class Samples:
    """Draws of all ensembles.

    Attributes
    ----------
    values : [ensemble][draw][walker][parameter]
    log_density : [ensemble][draw][walker]
    effective, r_hat : [parameter]
        Effective samples of all draws together, and split R-hat between halves of ensembles.
    """

    values: Array
    log_density: Array
    effective: Array
    r_hat: Array
    acceptance: float


class Ensemble:
    """Walkers that follow one density.

    log_density takes [walker][parameter] and returns [walker]; -inf where a model is impossible. ``periods`` has the
    period of each parameter, or 0.
    """

    def __init__(self, log_density: Density, low: Array, high: Array, periods: Array, walkers: int,
                 rng: np.random.Generator) -> None:
        self._density, self._low, self._high, self._periods, self._rng = log_density, low, high, periods, rng
        # The best of many draws, of which most explain nothing.
        draws = low + (high - low) * rng.random((20 * walkers, low.size))
        density = log_density(draws)
        best = np.argsort(density)[::-1][:walkers]
        self.values, self.density = draws[best], density[best]
        self.accepted, self.proposed = 0, 0

    def halves(self) -> tuple[Rows, Rows]:
        """Returns which walkers move first, and which then."""
        order = self._rng.permutation(len(self.values))
        return order[: order.size // 2], order[order.size // 2:]

    def propose(self, moving: Rows, others: Rows) -> tuple[Array, Rows]:
        """Returns a step for each of ``moving``, and which of them lie in the ranges."""
        first = self._rng.integers(others.size, size=moving.size)
        second = (first + self._rng.integers(1, others.size, size=moving.size)) % others.size
        difference = self.values[others[first]] - self.values[others[second]]
        turn = self._periods > 0
        difference[:, turn] -= self._periods[turn] * np.round(difference[:, turn] / self._periods[turn])
        # The best factor of a Gaussian density, 0.4 to 1.2 times, for densities are none.
        size = (0.4 + 0.8 * self._rng.random(moving.size)) * 2.38 / np.sqrt(2.0 * self._low.size)
        size[self._rng.random(moving.size) < _WIDE_JUMPS] = 1.0
        proposal = self.values[moving] + size[:, None] * difference
        proposal += _JITTER * (self._high - self._low) * self._rng.standard_normal(proposal.shape)
        proposal[:, turn] = self._low[turn] + (proposal[:, turn] - self._low[turn]) % self._periods[turn]
        return proposal, np.flatnonzero(((proposal >= self._low) & (proposal <= self._high)).all(axis=1))

    def accept(self, moving: Rows, proposal: Array, density: Array, temperature: float) -> None:
        """Takes steps by the rule of Metropolis."""
        taken = np.log(self._rng.random(moving.size)) < (density - self.density[moving]) / temperature
        self.values[moving[taken]], self.density[moving[taken]] = proposal[taken], density[taken]
        self.accepted, self.proposed = self.accepted + int(taken.sum()), self.proposed + moving.size

    def leave_low_hills(self) -> None:
        """Moves walkers that are left far below the highest hill there; no sample counts before."""
        far = self.density < self.density.max() - 5.0 * self._low.size
        good = np.flatnonzero(~far)
        chosen = self._rng.choice(good, size=int(far.sum()))
        spread = self.values[good].std(axis=0) + _JITTER * (self._high - self._low)
        moved = self.values[chosen] + 0.1 * spread * self._rng.standard_normal((chosen.size, spread.size))
        self.values[far] = np.clip(moved, self._low, self._high)
        self.density[far] = self._density(self.values[far])


def _step(ensembles: list[Ensemble], log_density: Density, temperature: float) -> None:
    """Moves each walker of all ensembles once, with two calls of the density."""
    halves = [e.halves() for e in ensembles]
    for turn in (0, 1):
        steps = [e.propose(half[turn], half[1 - turn]) for e, half in zip(ensembles, halves)]
        found = log_density(np.concatenate([proposal[inside] for proposal, inside in steps]))
        parts = np.split(found, np.cumsum([inside.size for _, inside in steps])[:-1])
        for ensemble, half, (proposal, inside), part in zip(ensembles, halves, steps, parts):
            density = np.full(half[turn].size, -np.inf)
            density[inside] = part
            ensemble.accept(half[turn], proposal, density, temperature)


def sample(log_density: Density, low: Array, high: Array, periods: Array, *, steps: int, wanted: float, seed: int,
           told: Callable[[float, float], None] = lambda _part, _effective: None) -> Samples:
    """Draws until each parameter has ``wanted`` effective samples and R-hat below 1.02, or ``steps`` are made.

    told(part done, least effective samples) is called now and then.
    """
    walkers = 12 * low.size
    warm = max(600, steps // 4)
    ensembles = [Ensemble(log_density, low, high, periods, walkers, rng)
                 for rng in (np.random.Generator(np.random.PCG64(s)) for s in np.random.SeedSequence(seed).spawn(ENSEMBLES))]
    hottest = max(1.0, max(float(e.density.max() - np.median(e.density)) for e in ensembles) / low.size)
    for k in range(warm):
        _step(ensembles, log_density, hottest ** max(0.0, 1.0 - 1.5 * k / warm))
        if k in (2 * warm // 3, 5 * warm // 6):
            for ensemble in ensembles:
                ensemble.leave_low_hills()
        told(0.3 * k / warm, 0.0)
    for ensemble in ensembles:
        ensemble.accepted, ensemble.proposed = 0, 0
    values = np.empty((ENSEMBLES, steps, walkers, low.size))
    density = np.empty((ENSEMBLES, steps, walkers))
    block = max(200, steps // 20)
    done = 0
    effective, r_hat = np.zeros(low.size), np.full(low.size, np.inf)
    while done < steps:
        for _ in range(min(block, steps - done)):
            _step(ensembles, log_density, 1.0)
            for k, ensemble in enumerate(ensembles):
                values[k, done], density[k, done] = ensemble.values, ensemble.density
            done += 1
        effective, r_hat = diagnose(values[:, :done], periods)
        told(0.3 + 0.7 * done / steps, float(effective.min()))
        if effective.min() >= wanted and r_hat.max() < 1.02:
            break
    acceptance = sum(e.accepted for e in ensembles) / max(1, sum(e.proposed for e in ensembles))
    return Samples(values[:, :done], density[:, :done], effective, r_hat, acceptance)


def diagnose(values: Array, periods: Array) -> tuple[Array, Array]:
    """Returns effective samples and split R-hat [parameter] of values [ensemble][draw][walker][parameter].

    The autocorrelation is the mean of walkers' (Goodman and Weare 2010, Comm. App. Math. Comp. Sci. 5, 65), summed up to
    five times its own sum; angles count from their circular mean.
    """
    values = values.copy()
    for k in np.flatnonzero(periods > 0):
        angle = values[..., k] * (2.0 * np.pi / periods[k])
        middle = np.arctan2(np.sin(angle).mean(), np.cos(angle).mean())
        values[..., k] = (angle - middle + np.pi) % (2.0 * np.pi)
    draws = values.shape[1] // 2
    halves = np.concatenate([values[:, :draws], values[:, -draws:]])
    within = halves.var(axis=(1, 2)).mean(axis=0)
    between = halves.mean(axis=(1, 2)).var(axis=0, ddof=1)
    r_hat = np.sqrt(1.0 + between / np.maximum(within, 1e-300))
    size = 2 ** int(np.ceil(np.log2(2 * values.shape[1])))
    centred = values - values.mean(axis=(0, 1, 2))
    effective = np.empty(values.shape[-1])
    for k in range(effective.size):
        spectrum = np.abs(np.fft.rfft(centred[..., k], n=size, axis=1)) ** 2
        covariance = np.fft.irfft(spectrum, axis=1)[:, : values.shape[1]].mean(axis=(0, 2))
        if covariance[0] <= 0.0:
            effective[k] = values[..., k].size
            continue
        time = 2.0 * np.cumsum(covariance / covariance[0]) - 1.0
        window = np.flatnonzero(np.arange(time.size) >= 5.0 * time)
        effective[k] = values[..., k].size / max(1.0, time[window[0] if window.size else -1])
    return effective, r_hat
