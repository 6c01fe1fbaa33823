# SPDX-License-Identifier: BSD-3-Clause
"""White plus power-law noise of a series' means, and its restricted likelihood.

Power-law noise of spectral index kappa is white noise w through the fractional integration of
Hosking 1981 (doi:10.1093/biomet/68.1.165) as Williams 2003 (doi:10.1007/s00190-002-0283-4) has it:

    x_i = sum_k h_k w_(i-k)     h_0 = 1     h_k = h_(k-1) (k - 1 - kappa/2) / k
    J_ij = sum_k h_(i-k) h_(j-k)     variance per step b^2 dt^(-kappa/2), dt in years

Epochs are averaged in bins of days (`bins_of`), which are narrow at steps and wide elsewhere, so
that ten years are some 300 numbers in place of 3,650. The covariance of the bins' means is that of
the daily process, exactly: a bin's part of J is a difference of its running sums.
"""
from __future__ import annotations

import functools
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from .rows import Array
from .series import DAYS_OF_YEAR

INDICES = (-0.4, -0.7, -1.0, -1.3, -1.6, -2.0)  # of maximum likelihood, from the middle outwards
LONGEST = 3700  # steps of a table of J, which takes 110 MB
_ROUND = 370  # lengths of tables are multiples of it
_BINS = 260  # of a series without steps, about
# _FRACTIONS are the shares of power-law noise that are tried first, evenly in their logits.
_FRACTIONS = np.r_[0.0, 1.0 / (1.0 + np.exp(-np.linspace(-9.0, 9.0, 31))), 1.0]


@dataclass(frozen=True)
class Bins:
    """Days [first, last) of each bin, in steps of ``step_days`` since the series' first day; rows
    ``begin`` of the series where each begins, and its number of epochs."""

    first: npt.NDArray[np.int64]
    last: npt.NDArray[np.int64]
    begin: npt.NDArray[np.int64]
    count: Array
    step_days: int

    def mean(self, values: Array) -> Array:
        """Means [bin][...] of [epoch][...]."""
        shape = (-1,) + (1,) * (values.ndim - 1)
        return np.asarray(np.add.reduceat(values, self.begin, axis=0) / self.count.reshape(shape))


def bins_of(day: npt.NDArray[np.int64], breaks: list[int], fine: list[int], bin_days: int | None) -> Bins:
    """Bins of whole days. None lies on both sides of a break; towards breaks that are ``fine`` they
    narrow to a day (one step). ``bin_days`` is the widest, else span / 260."""
    span = int(day[-1] - day[0]) + 1
    step = -(-span // LONGEST)
    widest = max(1, (bin_days or -(-span // _BINS)) // step)
    at = (day - day[0]) // step
    total = int(at[-1]) + 1
    inner = sorted({-(-(b - int(day[0])) // step) for b in breaks if day[0] < b <= day[-1]})
    narrow = {-(-(b - int(day[0])) // step) for b in fine}
    ends = [0, *inner, total]
    edges = [0]
    for left, right in zip(ends, ends[1:]):
        while edges[-1] < right:
            position = edges[-1]
            width = widest
            if left in narrow:
                width = min(width, 1 + (position - left) // 5)
            if right in narrow:
                width = min(width, max(1, (right - position) // 6))
            edges.append(min(position + width, right))
    edge = np.array(edges)
    begin = np.searchsorted(at, edge[:-1])
    count = np.diff(np.r_[begin, at.size])
    some = count > 0
    return Bins(edge[:-1][some], edge[1:][some], begin[some], count[some].astype(float), step)


# _tables has running sums by spectral index, of the longest series so far.
_tables: dict[float, Array] = {}


def running_sums(index: float, steps: int) -> Array:
    """S[i][j], the sum of J over all rows below i and columns below j, for a series of ``steps`` or
    more. It is kept for the next series."""
    if index not in _tables or len(_tables[index]) <= steps:
        while len(_tables) > len(INDICES):
            del _tables[next(iter(_tables))]
        _tables[index] = _made_sums(index, min(-(-steps // _ROUND) * _ROUND, LONGEST))
    return _tables[index]


def _made_sums(index: float, steps: int) -> Array:
    k = np.arange(1, steps)
    h = np.r_[1.0, np.cumprod((k - 1 - index / 2) / k)]
    sums = np.zeros((steps + 1, steps + 1))
    j = sums[1:, 1:]
    row = np.zeros(steps)
    for i in range(steps):
        # J[i][i + l] = J[i - 1][i - 1 + l] + h_i h_(i + l)
        row = row[:steps - i] + h[i] * h[i:]
        j[i, i:] = row
        j[i:, i] = row
    np.cumsum(j, axis=0, out=j)
    np.cumsum(j, axis=1, out=j)
    return sums


def power_law_of_means(bins: Bins, index: float) -> Array:
    """The covariance [bin][bin] of the bins' means, of power-law noise of variance 1 per step."""
    sums = running_sums(index, int(bins.last[-1]))
    a, b = bins.first, bins.last
    # Most bins end where the next one begins: each edge is looked up once.
    edge, where = np.unique(np.r_[a, b], return_inverse=True)
    table = sums[edge][:, edge]
    low, high = where[:a.size], where[a.size:]
    rows = table[high] - table[low]
    block = rows[:, high] - rows[:, low]
    width = (b - a).astype(float)
    return np.asarray(block / np.outer(width, width))


@dataclass(frozen=True)
class Estimate:
    """Generalised least squares of one component with noise by restricted maximum likelihood.

    ``white_m`` is the standard deviation of an epoch's white noise, ``power_law`` that of the other
    in m / year^(-kappa/4); ``covariance`` is that of the terms.
    """

    value: Array
    covariance: Array
    index: float
    white_m: float
    power_law: float
    likelihood: float


@functools.lru_cache(maxsize=64)
def _upper(p: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Returns rows and columns of the upper triangle."""
    rows, columns = np.triu_indices(p)
    return rows, columns


class Spectrum:
    """The bins' covariance for one spectral index in the basis in which it is diagonal.

    With W the white noise of means (1 / epochs) and W^-1/2 J W^-1/2 = m U diag(l) U', m its mean
    eigenvalue, the covariance is s^2 W^1/2 U diag(1 - f + f l) U' W^1/2 for the share f of
    power-law noise.
    """

    def __init__(self, bins: Bins, index: float, design: Array, data: Array) -> None:
        self.index, self.bins = index, bins
        root = np.sqrt(bins.count)
        eigenvalues, self._basis = np.linalg.eigh(
            power_law_of_means(bins, index) * root[:, None] * root[None, :])
        self.mean = float(eigenvalues.mean())
        self.eigenvalues = np.maximum(eigenvalues / self.mean, 1e-12)
        self._root = root
        self.data = self.rotate(data)
        self.terms_are(design)

    def terms_are(self, design: Array) -> None:
        """Takes other terms for the same data."""
        self.design = self.rotate(design)
        self._shared: tuple[Array, Array, Array] | None = None

    def rotate(self, values: Array) -> Array:
        """Values [bin][column] whitened of W, in the basis."""
        return np.asarray(self._basis.T @ (self._root[:, None] * values))

    def estimates(self, fractions: Array, component: int) -> tuple[Array, Array]:
        """Restricted log likelihood and variance s^2 for each share of power-law noise."""
        a, y = self.design, self.data[:, component]
        n, p = a.shape
        # Normal matrices of the first shares are the same for all components.
        shared = self._shared if fractions is _FRACTIONS else None
        weight, normal, size = shared or self._normals(fractions)
        if fractions is _FRACTIONS:
            self._shared = weight, normal, size
        right = weight @ (a * y[:, None])
        square = weight @ y**2
        x = np.linalg.solve(normal, right[:, :, None])[:, :, 0]
        rest = np.maximum(square - np.einsum("fp,fp->f", right, x), 1e-300)
        variance = rest / (n - p)
        return -0.5 * ((n - p) * np.log(variance) + size), variance

    def _normals(self, fractions: Array) -> tuple[Array, Array, Array]:
        """Returns weights [share][bin], normal matrices and the log determinants of both."""
        a = self.design
        n, p = a.shape
        d = 1.0 - fractions[:, None] + fractions[:, None] * self.eigenvalues
        upper = _upper(p)
        packed = (1.0 / d) @ (a[:, upper[0]] * a[:, upper[1]])
        normal = np.empty((fractions.size, p, p))
        normal[:, upper[0], upper[1]] = packed
        normal[:, upper[1], upper[0]] = packed
        return 1.0 / d, normal, np.log(d).sum(axis=1) + np.linalg.slogdet(normal)[1]

    def values(self, fraction: float, component: int) -> Array:
        """The terms for one share of power-law noise."""
        weight = 1.0 / (1.0 - fraction + fraction * self.eigenvalues)
        normal = (self.design * weight[:, None]).T @ self.design
        return np.asarray(np.linalg.solve(normal, self.design.T @ (weight * self.data[:, component])))

    def best(self, component: int) -> Estimate:
        """The most likely share: among 33, then among 9 twice about the best."""
        grid = _FRACTIONS
        for _ in range(3):
            likelihood, variance = self.estimates(grid, component)
            k = int(np.argmax(likelihood))
            fraction = float(grid[k])
            low, high = grid[max(k - 1, 0)], grid[min(k + 1, grid.size - 1)]
            grid = np.r_[fraction, np.linspace(low, high, 9)]
        return self._at(fraction, float(variance[k]), float(likelihood[k]), component)

    def _at(self, fraction: float, variance: float, likelihood: float, component: int) -> Estimate:
        weight = 1.0 / (1.0 - fraction + fraction * self.eigenvalues)
        inverse = np.linalg.inv((self.design * weight[:, None]).T @ self.design)
        value = inverse @ (self.design.T @ (weight * self.data[:, component]))
        step_years = self.bins.step_days / DAYS_OF_YEAR
        power_law = np.sqrt(variance * fraction / self.mean) / step_years**(-self.index / 4)
        return Estimate(value, variance * inverse, self.index, float(np.sqrt(variance * (1.0 - fraction))),
                        float(power_law), likelihood)


def restricted_fit(bins: Bins, design: Array, data: Array, indices: tuple[float, ...],
                   known: Spectrum | None = None) -> list[Estimate]:
    """The estimate of each component [bin][component]: terms are the mean over the indices tried,
    weighted by their likelihoods, and their covariance has the spread over them; noise is that of
    the most likely index. Of ``indices``, which ascend or descend, the middle ones come first;
    further out is tried while the most likely of a component is the outermost so far. ``known`` is a
    spectrum of these bins and data that is there already."""
    estimates: dict[int, list[Estimate]] = {}
    todo = {k for k in range(len(indices)) if abs(k - (len(indices) - 1) // 2) <= 1}
    while todo:
        for k in sorted(todo):
            if known is not None and known.index == indices[k]:
                spectrum = known
                spectrum.terms_are(design)
            else:
                spectrum = Spectrum(bins, indices[k], design, data)
            estimates[k] = [spectrum.best(component) for component in range(data.shape[1])]
        best = [_best_of(estimates, c) for c in range(data.shape[1])]
        todo = {k for b in best for k in (b - 1, b + 1) if 0 <= k < len(indices)} - set(estimates)
    return [_mean_of([of_index[c] for of_index in estimates.values()]) for c in range(data.shape[1])]


def _best_of(estimates: dict[int, list[Estimate]], component: int) -> int:
    # Likelihoods of two indices compare, for what they leave out is the same in both.
    return max(estimates, key=lambda k: estimates[k][component].likelihood)


def _mean_of(found: list[Estimate]) -> Estimate:
    best = max(found, key=lambda one: one.likelihood)
    weight = np.exp([one.likelihood - best.likelihood for one in found])
    weight /= weight.sum()
    value = np.asarray(sum(w * one.value for w, one in zip(weight, found)))
    covariance = np.asarray(sum(w * (one.covariance + np.outer(one.value - value, one.value - value))
                                for w, one in zip(weight, found)))
    return replace(best, value=value, covariance=covariance)
