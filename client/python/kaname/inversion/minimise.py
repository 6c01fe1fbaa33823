# SPDX-License-Identifier: BSD-3-Clause
"""A quadratic problem with bounds and weights on absolute values, to its optimality conditions."""
from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..errors import Error

Array = npt.NDArray[np.float64]

_TOLERANCE = 1e-10  # of the gradient, relative to |g|
_ROUNDS = 500
_SWEEPS = 3


def minimise(hessian: Array, gradient: Array, weight: Array | float = 0.0,
             lower: Array | float = 0.0, upper: Array | float = np.inf,
             start: Array | None = None) -> Array:
    """``min 1/2 x'Hx - g'x + weight'|x|`` with ``lower <= x <= upper``.

    Sweeps of coordinate descent find which amounts are free; Newton steps on these, shortened
    where an amount meets a bound or changes its sign, end it.

    Parameters
    ----------
    hessian : array [n][n], positive semidefinite
    gradient : array [n]
    weight : array [n] or float, >= 0
    lower, upper : array [n] or float; lower <= 0 <= upper is not needed
    start : array [n], optional

    Returns
    -------
    array [n]

    Raises
    ------
    Error
        NotConverged.
    """
    n = gradient.size
    a, low, high = (_full(v, n) for v in (weight, lower, upper))
    x = np.clip(np.zeros(n) if start is None else start, low, high).astype(np.float64)
    if n == 0:
        return x
    slope = hessian @ x - gradient
    tolerance = _TOLERANCE * max(float(np.abs(gradient).max()), 1e-300)
    for _ in range(_ROUNDS):
        for _ in range(_SWEEPS):
            _sweep(hessian, x, slope, a, low, high)
        _newton(hessian, gradient, x, a, low, high)
        slope = hessian @ x - gradient
        if _violation(slope, x, a, low, high) <= tolerance:
            return x
    raise Error("NotConverged", f"the problem of {n} amounts is not solved after {_ROUNDS} rounds: "
                                f"gradient {_violation(slope, x, a, low, high):.3g}, must be "
                                f"{tolerance:.3g}")


def _full(value: Array | float, n: int) -> Array:
    return np.array(np.broadcast_to(np.asarray(value, dtype=np.float64), n))


def _sweep(hessian: Array, x: Array, slope: Array, a: Array, low: Array, high: Array) -> None:
    """Each amount to its best in turn; ``slope`` stays H x - g."""
    for i in range(x.size):
        curvature = hessian[i, i]
        if curvature <= 0.0:
            continue
        # min 1/2 h y^2 - b y + a |y|, then the nearest that the bounds allow.
        b = curvature * x[i] - slope[i]
        best = np.sign(b) * max(abs(b) - a[i], 0.0) / curvature
        best = min(max(best, low[i]), high[i])
        if best != x[i]:
            slope += hessian[:, i] * (best - x[i])
            x[i] = best


def _newton(hessian: Array, gradient: Array, x: Array, a: Array, low: Array, high: Array) -> None:
    """Exact steps on the free amounts; each ends at the optimum of its set or takes one off it."""
    free = (x > low) & (x < high) & ((a == 0.0) | (x != 0.0))
    sign = np.sign(x)
    while free.any():
        at = np.flatnonzero(free)
        right = gradient[at] - a[at] * sign[at] - hessian[np.ix_(at, ~free)] @ x[~free]
        matrix = hessian[np.ix_(at, at)]
        try:
            wanted = np.linalg.solve(matrix, right)
        except np.linalg.LinAlgError:
            wanted = np.linalg.lstsq(matrix, right, rcond=None)[0]
        step = wanted - x[at]
        # With a weight an amount may not pass zero, where the slope jumps.
        least = np.where((a[at] > 0.0) & (sign[at] > 0), np.maximum(low[at], 0.0), low[at])
        most = np.where((a[at] > 0.0) & (sign[at] < 0), np.minimum(high[at], 0.0), high[at])
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.where(step < 0.0, (least - x[at]) / step,
                            np.where(step > 0.0, (most - x[at]) / step, np.inf))
        part = float(room.min(initial=np.inf))
        if part >= 1.0:
            x[at] = wanted
            return
        met = room <= part
        x[at] = np.clip(x[at] + part * step, least, most)
        x[at[met]] = np.where(step[met] < 0.0, least[met], most[met])
        free[at[met]] = False


def _violation(slope: Array, x: Array, a: Array, low: Array, high: Array) -> float:
    """Largest distance of the gradient from what is optimal at x."""
    down = slope + np.where(x > 0.0, a, np.where(x < 0.0, -a, 0.0))
    # At zero every slope within the weight is optimal.
    down = np.where(x == 0.0, np.sign(slope) * np.maximum(np.abs(slope) - a, 0.0), down)
    down = np.where((x <= low) & (down > 0.0), 0.0, down)
    down = np.where((x >= high) & (down < 0.0), 0.0, down)
    return float(np.abs(down).max())
