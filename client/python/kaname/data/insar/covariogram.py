# SPDX-License-Identifier: BSD-3-Clause
"""The covariance of a raster's errors by their distance, from pixels outside the deformation.

gamma(h) = 1/2 mean (d(x) - d(x + h))^2 of all pairs of pixels, by three Fourier transforms (Marcotte 1996,
Computers & Geosciences 22, 1175). It does not change with a constant, as the covariance does whose
mean is estimated. The model is

    gamma(h) = nugget + sill (1 - r(h / length)),    C(h) = sill r(h / length),  C(0) = sill + nugget

with r(q) = exp(-q) or spherical, r(q) = 1 - 3/2 q + 1/2 q^3 below 1; both are positive definite in the plane
(Chiles and Delfiner 2012, section 2.5). It is fitted with the weights N / gamma^2 of Cressie (1985).

A plane that was subtracted took variance with it. How much it takes on average of errors like the fitted model's is
added to gamma, and the model fitted again, until it stays. With the plane's orthonormal functions q, g = C q and
A = q.C q, the differences of the residuals of two pixels have half their mean square smaller by

    loss(h) = dq . mean(g(x + h) - g(x)) - 1/2 dq.A dq,    dq = q(x + h) - q(x)
"""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...errors import invalid
from .adjust import fitted_plane
from .raster import Array, Mask, Raster

MODELS = ("exponential", "spherical")
_MOST_PIXELS = 1_500_000  # of the transforms; more are thinned
_BINS = 48
_REACH = 1.0 / 3.0  # of the area's shorter side: longer lags have few pairs that are not of one place
_LENGTHS = 120
_REFINED = 3
_FEWEST_PIXELS = 200
_FEWEST_PAIRS = 50
_LOSS_PIXELS = 10_000  # of the area for what the plane takes, which is smooth
_LOSS_ROUNDS = 12
_LOSS_STAYS = 0.003  # of the length and the sill from one round to the next


@dataclass(frozen=True)
class Empirical:
    """``lag_m`` [bin] mean distance, ``gamma`` [bin] half the mean squared difference in the square of
    the raster's unit, ``pairs`` [bin]; ``variance`` of all values; ``thinned``: each so many pixels.
    Where a plane was subtracted ``there`` [row][column] are pixels, ``step`` [m] apart, that stand for the area."""

    lag_m: Array
    gamma: Array
    pairs: Array
    variance: float
    thinned: int = 1
    there: Mask | None = None
    step: tuple[float, float] = (1.0, 1.0)


@dataclass(frozen=True)
class Covariogram:
    """C(h) of errors: ``sill`` and ``nugget`` in the square of the raster's unit, ``length_m``.

    The nugget is of single pixels and independent between them.
    """

    model: str
    sill: float
    length_m: float
    nugget: float = 0.0
    empirical: Empirical | None = None

    def __post_init__(self) -> None:
        if self.model not in MODELS:
            invalid("covariogram.model", f"must be {' or '.join(MODELS)}, got '{self.model}'")
        for field, value in (("sill", self.sill), ("nugget", self.nugget)):
            if not (np.isfinite(value) and value >= 0.0):
                invalid(f"covariogram.{field}", f"must be >= 0, got {value:g}")
        if not (np.isfinite(self.length_m) and self.length_m > 0.0):
            invalid("covariogram.length_m", f"must be > 0, got {self.length_m:g}")

    def correlation(self, distance_m: npt.ArrayLike) -> Array:
        """Returns r of distances, which is 1 at 0; without the nugget."""
        return correlation(self.model, np.asarray(distance_m, dtype=np.float64) / self.length_m)

    def gamma(self, distance_m: npt.ArrayLike) -> Array:
        """Returns half the mean squared difference at distances above 0."""
        return self.nugget + self.sill * (1.0 - self.correlation(distance_m))


def correlation(model: str, q: Array) -> Array:
    """Returns r(q)."""
    if model == "exponential":
        return np.exp(-q)
    near = np.minimum(q, 1.0)
    return 1.0 - 1.5 * near + 0.5 * near**3


def empirical(raster: Raster, deformation: Mask | None = None, ramp: bool = True, reach_m: float | None = None
              ) -> Empirical:
    """Returns gamma of the pixels outside ``deformation`` [row][column].

    ``ramp``: a plane that is fitted there is subtracted first. ``reach_m``: the longest lag; else a
    third of the shorter side. Raises InvalidArgument where too few pixels are left.
    """
    there = raster.valid if deformation is None else raster.valid & ~deformation
    if there.sum() < _FEWEST_PIXELS:
        invalid("deformation", f"must leave at least {_FEWEST_PIXELS} pixels to learn the errors from, leaves "
                               f"{int(there.sum())} of {int(raster.valid.sum())}")
    values = raster.values - (fitted_plane(raster, there)[0] if ramp else 0.0)
    step = raster.spacing_m
    thin = max(1, int(np.ceil(np.sqrt(there.size / _MOST_PIXELS))))
    values, there = values[::thin, ::thin], there[::thin, ::thin]
    step = (step[0] * thin, step[1] * thin)
    sides = [step[axis] * (int(np.ptp(np.flatnonzero(there.any(axis=1 - axis)))) + 1) for axis in (0, 1)]
    reach = reach_m or _REACH * min(sides)
    bin_width = max(reach / _BINS, min(step))
    pairs, squares, distance = _pair_sums(values, there, step, reach)
    number = (distance / bin_width).astype(np.int64).ravel()
    kept = (distance.ravel() > 0.0) & (distance.ravel() <= reach) & (pairs.ravel() >= 0.5)
    sums = [np.bincount(number[kept], weights=array.ravel()[kept]) for array in (pairs, squares, pairs * distance)]
    enough = sums[0] >= _FEWEST_PAIRS
    count, total, away = (s[enough] for s in sums)
    if count.size < 4:
        invalid("deformation", f"must leave pairs of pixels at 4 distances to learn the errors from, leaves {count.size}")
    few = max(1, int(np.ceil(np.sqrt(there.size / _LOSS_PIXELS)))) if ramp else 1
    return Empirical(away / count, np.maximum(total / count, 0.0), count.astype(np.float64), float(values[there].var()), thin,
                     there[::few, ::few] if ramp else None, (step[0] * few, step[1] * few))


def _pair_sums(values: Array, there: Mask, step: tuple[float, float], reach: float) -> tuple[Array, Array, Array]:
    """Returns [lag][lag] numbers of pairs, sums of half their squared differences and distances; of
    lags of half a plane, for the other half has the same pairs."""
    most = [min(n - 1, int(reach / s)) for n, s in zip(values.shape, step)]
    shape = [_fast(n + m + 1) for n, m in zip(values.shape, most)]
    mask = there.astype(np.float64)
    level = float(values[there].mean())
    value = np.where(there, values - level, 0.0)
    one, first, second = (np.fft.rfft2(a, shape) for a in (mask, value, value * value))
    pairs = np.rint(np.fft.irfft2(one.conj() * one, shape))
    squares = np.fft.irfft2((second.conj() * one).real - first.conj() * first, shape)
    rows = np.r_[0:most[0] + 1, shape[0] - most[0]:shape[0]]
    columns = np.r_[0:most[1] + 1]
    lag = np.fft.fftfreq(shape[0], 1.0 / shape[0])[rows]
    distance = np.hypot(lag[:, None] * step[0], columns[None, :] * step[1])
    part = np.ix_(rows, columns)
    return pairs[part], squares[part], distance


def _fast(n: int) -> int:
    """Returns the least number from n on that has no prime factor above 5."""
    while True:
        rest = n
        for factor in (2, 3, 5):
            while rest % factor == 0:
                rest //= factor
        if rest == 1:
            return n
        n += 1


def fit(found: Empirical, model: str = "exponential") -> Covariogram:
    """Returns the model that fits best, with what a plane took of gamma given back."""
    if model not in MODELS:
        invalid("model", f"must be {' or '.join(MODELS)}, got '{model}'")
    made = _fit(found, found.gamma, model)
    for _ in range(_LOSS_ROUNDS):
        if found.there is None:
            break
        before = made
        lag, loss = plane_loss(made, found.there, found.step)
        made = _fit(found, found.gamma + np.maximum(np.interp(found.lag_m, lag, loss), 0.0), model)
        if max(abs(made.length_m / before.length_m - 1.0), abs(made.sill - before.sill) / (made.sill + made.nugget)) < _LOSS_STAYS:
            break
    return made


def plane_loss(model: Covariogram, there: Mask, step: tuple[float, float]) -> tuple[Array, Array]:
    """Returns lags [m] and how much of gamma a plane takes there on average, of errors with this covariance on the
    pixels ``there``."""
    rows, columns = there.shape
    y, x = np.meshgrid(step[0] * np.arange(rows), step[1] * np.arange(columns), indexing="ij")
    centre = float(x[there].mean()), float(y[there].mean())
    basis = np.stack([np.ones(int(there.sum())), x[there] - centre[0], y[there] - centre[1]], axis=1)
    orthonormal, triangle = np.linalg.qr(basis)
    slopes = np.linalg.inv(triangle)[1:]  # dq = (dx, dy) slopes
    shape = [_fast(2 * n) for n in there.shape]
    away = [s * np.abs(np.fft.fftfreq(n, 1.0 / n)) for n, s in zip(shape, step)]
    distance = np.hypot(away[0][:, None], away[1][None, :])
    covariance = model.sill * model.correlation(distance)
    covariance[0, 0] += model.nugget
    kernel = np.fft.rfft2(covariance)
    q = np.zeros((3, rows, columns))
    q[:, there] = orthonormal.T
    g = np.fft.irfft2(np.fft.rfft2(q, shape) * kernel, shape)[:, :rows, :columns]
    a = np.einsum("iyx,jyx->ij", q, g)
    one = np.fft.rfft2(there.astype(np.float64), shape)
    held = np.fft.rfft2(np.where(there, g, 0.0), shape)
    pairs = np.rint(np.fft.irfft2(one.conj() * one, shape))
    rise = np.fft.irfft2(one.conj() * held - held.conj() * one, shape)
    lag_y, lag_x = np.meshgrid(*(s * np.fft.fftfreq(n, 1.0 / n) for n, s in zip(shape, step)), indexing="ij")
    dq = lag_x * slopes[0][:, None, None] + lag_y * slopes[1][:, None, None]
    total = (dq * rise).sum(axis=0) - 0.5 * pairs * np.einsum("iyx,ij,jyx->yx", dq, a, dq)
    kept = (pairs > 0.5) & (distance > 0.0)
    number = (distance[kept] / max(step)).astype(np.int64)
    sums = [np.bincount(number, weights=w[kept]) for w in (pairs, pairs * distance, total)]
    there_are = sums[0] > 0.0
    count, lag, taken = (s[there_are] for s in sums)
    return np.concatenate([[0.0], lag / count]), np.concatenate([[0.0], taken / count])


def _fit(found: Empirical, gamma: Array, model: str) -> Covariogram:
    """Returns the model of ``gamma``; its length is searched on a grid that is refined, sill and nugget are linear and
    not negative."""
    scale = float(gamma.max())
    if not scale > 0.0:
        invalid("covariogram", "must have values that differ outside the deformation, got none")
    gamma = gamma / scale
    # The weights are of a smooth gamma: bins whose gamma is small by chance do not lead.
    weight = found.pairs / np.maximum(gamma, 0.05) ** 2
    for _ in range(3):
        length, sill, nugget = _search(found.lag_m, gamma, weight, model)
        fitted = nugget + sill * (1.0 - correlation(model, found.lag_m / length))
        weight = found.pairs / np.maximum(fitted, 0.01) ** 2
    return Covariogram(model, sill * scale, length, nugget * scale, found)


def _search(lag: Array, gamma: Array, weight: Array, model: str) -> tuple[float, float, float]:
    """Returns length, sill and nugget of the least misfit."""
    low, high = 0.5 * float(lag[0]), 2.0 * float(lag[-1])
    best = (np.inf, low, 0.0, 0.0)
    for _ in range(_REFINED):
        lengths = np.geomspace(low, high, _LENGTHS)
        shapes = 1.0 - correlation(model, lag[None, :] / lengths[:, None])
        misfit, sill, nugget = _amounts(shapes, gamma, weight)
        k = int(np.argmin(misfit))
        if misfit[k] < best[0]:
            best = float(misfit[k]), float(lengths[k]), float(sill[k]), float(nugget[k])
        ratio = (high / low) ** (2.0 / _LENGTHS)
        low, high = best[1] / ratio, best[1] * ratio
    return best[1:]


def _amounts(shapes: Array, gamma: Array, weight: Array) -> tuple[Array, Array, Array]:
    """Returns misfit, sill and nugget of gamma = nugget + sill shape, neither below 0, for shapes [length][bin]."""
    w0, w1, w2 = float(weight.sum()), shapes @ weight, (shapes * shapes) @ weight
    g0, g1 = float(weight @ gamma), shapes @ (weight * gamma)
    determinant = w0 * w2 - w1 * w1
    free = determinant > 1e-12 * w0 * w2
    sill = np.where(free, (w0 * g1 - w1 * g0) / np.where(free, determinant, 1.0), 0.0)
    nugget = (g0 - sill * w1) / w0
    nugget = np.where(sill < 0.0, g0 / w0, nugget)
    sill = np.maximum(sill, 0.0)
    sill = np.where(nugget < 0.0, g1 / np.where(w2 > 0.0, w2, 1.0), sill)
    nugget = np.maximum(nugget, 0.0)
    left = gamma - nugget[:, None] - sill[:, None] * shapes
    return (left * left) @ weight, sill, nugget
