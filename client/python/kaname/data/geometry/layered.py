# SPDX-License-Identifier: BSD-3-Clause
"""What flat layers change about the motion of the ground: motion in layers less motion in a half-space, of points.

Displacement (U, V) and traction (P, S) of one horizontal wavenumber k obey, with depth times k as the variable,

    U' = (lambda V + P) / (lambda + 2 mu)      V' = S / mu - U      P' = S
    S' = (4 mu (lambda + mu) V - lambda P) / (lambda + 2 mu)        W' = T / mu      T' = mu W

where u_z = U, u_h = V grad / k + W (z x grad) / k, z is down and tractions are divided by k. A layer has two solutions
that fade downwards from its top and two that fade upwards from its bottom, so that no exponential grows (the global
matrix of Chin, Hedstrom and Thigpen 1984, J. Comput. Phys. 54, 18). A source of potency is a jump of U, V, S, W and T
at its depth (Aki and Richards 2002, chapter 7). Sums over wavenumbers are Hankel transforms of order 0, 1 and 2.
"""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...errors import invalid
from ..insar.raster import Array

Rows = npt.NDArray[np.int64]
Singles = npt.NDArray[np.float32]
# The radial functions of a unit of potency, in the order of a table's last axis: azimuthal order 0 of zz and of
# xx + yy, order 1 of 2 xz, order 2 of xx - yy; down, radial, and from order 1 on transverse.
N_FUNCTIONS = 10
_DEPTHS_OF_A_LAYER = 24
_WAVENUMBERS = 400
_DISTANCES = 160
_FADED = 22.0  # exp(-22) is 3e-10


@dataclass(frozen=True)
class Layers:
    """Flat elastic layers from the ground down.

    Attributes
    ----------
    bottoms_m : [layer but the last]
    lambda_pa, mu_pa : [layer]
    """

    bottoms_m: Array
    lambda_pa: Array
    mu_pa: Array

    def __post_init__(self) -> None:
        if len(self.mu_pa) != len(self.bottoms_m) + 1 or len(self.mu_pa) != len(self.lambda_pa):
            invalid("layers", "must have a bottom each, but the last")
        if not (np.all(np.diff(self.bottoms_m, prepend=0.0) > 0) and np.all(self.mu_pa > 0)
                and np.all(3.0 * self.lambda_pa + 2.0 * self.mu_pa > 0)):
            invalid("layers", "must have increasing depths, mu > 0 and lambda > -2/3 mu")

    @property
    def poisson(self) -> float:
        """Poisson's ratio of the uppermost layer."""
        return float(self.lambda_pa[0] / (2.0 * (self.lambda_pa[0] + self.mu_pa[0])))

    def at(self, depth_m: Array) -> Rows:
        """Returns the layer of each depth."""
        return np.searchsorted(self.bottoms_m, depth_m, side="right").astype(np.int64)


@dataclass(frozen=True)
class Table:
    """Radial functions of potency at depths within each layer and at distances, between which it is linear.

    Attributes
    ----------
    depths_m : [depth]
        Those of a layer from its top to its bottom, both included; so an interface has two.
    first : [layer]
        Where the depths of a layer begin.
    reach_m, scale_m : float
        The distances are scale_m sinh(t), t even from 0 to where that is reach_m.
    values : [depth][distance][function]
        m of motion for 1 km^3 of potency; in single precision, which halves the time of a fit.
    """

    layers: Layers
    depths_m: Array
    first: Rows
    reach_m: float
    scale_m: float
    values: Singles

    def of(self, depth_m: Array, distance_m: Array) -> Array:
        """Returns [source][...][function] of sources at depth_m [source], at distance_m [source][...].

        Depths below the table and distances beyond it are those of its ends.
        """
        layer = self.layers.at(depth_m)
        low = self.first[layer]
        high = np.append(self.first[1:], self.depths_m.size)[layer] - 2
        row = np.clip(np.searchsorted(self.depths_m, depth_m, side="right") - 1, low, high)
        down = np.clip((depth_m - self.depths_m[row]) / (self.depths_m[row + 1] - self.depths_m[row]), 0.0, 1.0)
        down = down.astype(self.values.dtype)[:, None, None]
        there = ((1.0 - down) * self.values[row] + down * self.values[row + 1]).reshape(-1, N_FUNCTIONS)
        out = np.arcsinh(np.minimum(distance_m, self.reach_m) / self.scale_m) * (
            (_DISTANCES - 1) / np.arcsinh(self.reach_m / self.scale_m))
        column = np.minimum(out.astype(np.int64), _DISTANCES - 2)
        share = (out - column).astype(self.values.dtype)[..., None]
        at = column + (np.arange(len(depth_m)) * _DISTANCES).reshape(-1, *[1] * (column.ndim - 1))
        found: Array = there[at]
        found += share * (there[at + 1] - found)
        return found


def make_table(layers: Layers, deepest_m: float, reach_m: float, *, less_half_space: bool = True) -> Table:
    """Returns the table of layers less the half-space of the uppermost layer's Poisson's ratio (or of layers alone,
    for sources that are not at the ground)."""
    tops = np.append(0.0, layers.bottoms_m)
    ends = np.append(layers.bottoms_m, max(deepest_m, 1.5 * tops[-1], 1.0))
    # Denser towards the ends of a layer, where the motion changes most with depth.
    within = 0.5 - 0.5 * np.cos(np.linspace(0.0, np.pi, _DEPTHS_OF_A_LAYER))
    depths = np.concatenate([top + (end - top) * within for top, end in zip(tops, ends)])
    layer = np.repeat(np.arange(len(tops)), _DEPTHS_OF_A_LAYER)
    shallow = tops[1] if len(tops) > 1 and less_half_space else float(depths[depths > 0].min())
    wavenumbers = np.geomspace(1e-4 / max(reach_m, ends[-1]), _FADED / shallow, _WAVENUMBERS)
    kernels = _kernels(layers, depths, layer, wavenumbers)
    if less_half_space:
        ratio = layers.lambda_pa[0] / layers.mu_pa[0]
        kernels -= _kernels(Layers(np.empty(0), np.array([ratio]), np.ones(1)), depths, np.zeros_like(layer), wavenumbers)
    scale = 0.3 * shallow
    distances = scale * np.sinh(np.linspace(0.0, np.arcsinh(reach_m / scale), _DISTANCES))
    # Potency in km^3, so that single precision does not run out of small numbers.
    values = (1e9 * _hankel(wavenumbers, kernels, distances)).astype(np.float32)
    return Table(layers, depths, np.arange(len(tops), dtype=np.int64) * _DEPTHS_OF_A_LAYER, reach_m, scale, values)


def _solutions(ratio: float, mu: float) -> Array:
    """Returns [U, V, P, S][solution]: fading down, the part of it that goes with depth, and the two that fade upwards.

    The second is (v2 + z v1) exp(-z), the fourth (w2 + z w1) exp(z); ratio is lambda / mu.
    """
    whole = ratio + 2.0
    system = np.array([[0.0, ratio / whole, 1.0 / (whole * mu), 0.0], [-1.0, 0.0, 0.0, 1.0 / mu], [0.0, 0.0, 0.0, 1.0],
                       [0.0, 4.0 * mu * (ratio + 1.0) / whole, -ratio / whole, 0.0]])
    down, up = np.array([-1.0, 1.0, 2.0 * mu, -2.0 * mu]), np.array([1.0, 1.0, 2.0 * mu, 2.0 * mu])
    second = np.linalg.lstsq(system + np.eye(4), down, rcond=None)[0]
    fourth = np.linalg.lstsq(system - np.eye(4), up, rcond=None)[0]
    return np.stack([down, second, up, fourth], axis=1)


def _downwards(basis: Array, z: Array) -> Array:
    """Returns [...][U, V, P, S][2] of the solutions that fade, at z >= 0 below where they begin."""
    fade = np.exp(-np.minimum(z, 700.0))[..., None]
    return np.stack([fade * basis[:, 0], fade * (basis[:, 1] + z[..., None] * basis[:, 0])], axis=-1)


def _upwards(basis: Array, z: Array) -> Array:
    """Returns the same at z >= 0 above where they begin."""
    fade = np.exp(-np.minimum(z, 700.0))[..., None]
    return np.stack([fade * basis[:, 2], fade * (basis[:, 3] - z[..., None] * basis[:, 2])], axis=-1)


def _kernels(layers: Layers, depths: Array, layer: Rows, k: Array) -> Array:
    """Returns the ground's (U, V) for jumps of U, V and S, and W for jumps of W and T, as potencies make them.

    [k][depth][function]: U and V of zz, of xx + yy, of 2 xz and of xx - yy, then W of 2 xz and of xx - yy.
    """
    count = len(layers.mu_pa)
    mu, ratio = layers.mu_pa / layers.mu_pa[0], layers.lambda_pa / layers.mu_pa
    bases = [_solutions(float(r), float(m)) for r, m in zip(ratio, mu)]
    tops = np.append(0.0, layers.bottoms_m)
    thick = [k * (b - t) for t, b in zip(tops, layers.bottoms_m)]
    size = 4 * count - 2
    matrix, right = np.zeros((k.size, size, size)), np.zeros((k.size, size, 3 * depths.size))
    shear, pull = np.zeros((k.size, 2 * count - 1, 2 * count - 1)), np.zeros((k.size, 2 * count - 1, 2 * depths.size))
    zero = np.zeros(k.size)
    ground = np.zeros((k.size, 2, 3 * depths.size))  # what the source itself gives to the uppermost layer's top
    ground_w = np.zeros((k.size, 2 * depths.size))
    jumps = np.eye(4)[:, [0, 1, 3]]
    for j in range(count):
        columns, last = slice(4 * j, min(4 * j + 4, size)), j == count - 1
        own = slice(2 * j, min(2 * j + 2, 2 * count - 1))
        at_top, at_bottom = [_downwards(bases[j], zero)], []
        w_top, w_bottom = [np.tile([1.0, -mu[j]], (k.size, 1))], []
        if not last:
            at_top.append(_upwards(bases[j], thick[j]))
            at_bottom = [_downwards(bases[j], thick[j]), _upwards(bases[j], zero)]
            fade = np.exp(-np.minimum(thick[j], 700.0))[:, None]
            w_top.append(fade * np.array([1.0, mu[j]]))
            w_bottom = [fade * np.array([1.0, -mu[j]]), np.tile([1.0, mu[j]], (k.size, 1))]
        # Rows: the ground's two tractions, then four conditions of each interface; likewise one and two of shear.
        rows, parts = (slice(0, 2), slice(2, 4)) if j == 0 else (slice(4 * j - 2, 4 * j + 2), slice(0, 4))
        sign = 1.0 if j == 0 else -1.0
        matrix[:, rows, columns] = sign * np.concatenate(at_top, axis=2)[:, parts]
        w_rows, w_parts = (slice(0, 1), slice(1, 2)) if j == 0 else (slice(2 * j - 1, 2 * j + 1), slice(0, 2))
        shear[:, w_rows, own] = sign * np.stack(w_top, axis=2)[:, w_parts]
        if not last:
            matrix[:, 4 * j + 2:4 * j + 6, columns] = np.concatenate(at_bottom, axis=2)
            shear[:, 2 * j + 1:2 * j + 3, own] = np.stack(w_bottom, axis=2)
        for n in np.flatnonzero(layer == j):
            parts_of = np.linalg.solve(bases[j], jumps)  # [solution][jump]
            there = slice(3 * n, 3 * n + 3)
            above = -_upwards(bases[j], k * (depths[n] - tops[j])) @ parts_of[2:]
            right[:, rows, there] -= sign * above[:, parts]
            rise = np.exp(-np.minimum(k * (depths[n] - tops[j]), 700.0))
            w_above = -0.5 * rise[:, None, None] * np.array([[1.0, 1.0 / mu[j]], [mu[j], 1.0]])
            w_there = slice(2 * n, 2 * n + 2)
            pull[:, w_rows, w_there] -= sign * w_above[:, w_parts]
            if j == 0:
                ground[:, :, there], ground_w[:, w_there] = above[:, :2], w_above[:, 0]
            if not last:
                z = k * (layers.bottoms_m[j] - depths[n])
                right[:, 4 * j + 2:4 * j + 6, there] -= _downwards(bases[j], z) @ parts_of[:2]
                fall = 0.5 * np.exp(-np.minimum(z, 700.0))
                pull[:, 2 * j + 1:2 * j + 3, w_there] -= fall[:, None, None] * np.array([[1.0, -1.0 / mu[j]], [-mu[j], 1.0]])
    first = np.linalg.solve(matrix, right)[:, :min(4, size)]
    at_ground = [_downwards(bases[0], zero)] + ([_upwards(bases[0], thick[0])] if count > 1 else [])
    motion = (np.concatenate(at_ground, axis=2)[:, :2] @ first + ground).reshape(k.size, 2, depths.size, 3)
    twist = np.linalg.solve(shear, pull)[:, :min(2, 2 * count - 1)]
    fade = np.exp(-np.minimum(thick[0], 700.0)) if count > 1 else zero
    w = (twist[:, 0] + (fade[:, None] * twist[:, 1] if count > 1 else 0.0) + ground_w).reshape(k.size, depths.size, 2)
    m, r = mu[layer], ratio[layer]
    plane = m * (3.0 * r + 2.0) / (r + 2.0)
    (u_u, u_v, u_s), (v_u, v_v, v_s) = (np.moveaxis(motion[:, c], 2, 0) for c in (0, 1))
    return np.stack([u_u, v_u, u_u * r / (r + 2.0) + plane * u_s, v_u * r / (r + 2.0) + plane * v_s, u_v, v_v,
                     m * u_s, m * v_s, w[..., 0], m * w[..., 1]], axis=-1)


def _hankel(coarse: Array, kernels: Array, distances: Array) -> Array:
    """Returns [depth][distance][function] of kernels [k][depth][function]."""
    found = np.empty((distances.size, kernels.shape[1], N_FUNCTIONS))
    # Distances of one octave share their wavenumbers: near ones need few.
    octave = np.floor(np.log2(distances[-1] / np.maximum(distances, distances[1]))).astype(np.int64)
    for number in np.unique(octave):
        near = octave == number
        found[near] = _hankel_at(coarse, kernels, distances[near])
    return found.transpose(1, 0, 2)


def _hankel_at(coarse: Array, kernels: Array, distances: Array) -> Array:
    """Returns [distance][depth][function], by Gauss's rule on panels of at most half a period at the largest distance."""
    nodes, weights = gauss(5)
    half = np.pi / distances[-1]
    # Panels grow by a quarter until they are half a period wide.
    growing = coarse[0] * 1.25 ** np.arange(np.ceil(np.log(coarse[-1] / coarse[0]) / np.log(1.25)) + 1)
    wide = growing[min(int(np.searchsorted(np.diff(growing), half)), growing.size - 1)]
    edges = np.concatenate([growing[growing < wide], np.arange(wide, max(coarse[-1], wide) + half, half)])
    found = np.zeros((distances.size, kernels.shape[1], N_FUNCTIONS))
    log_coarse = np.log(coarse)
    for part in np.array_split(np.arange(edges.size - 1), max(1, edges.size // 200)):
        low, high = edges[part, None], edges[part + 1, None]
        k = (0.5 * (low + high) + 0.5 * (high - low) * nodes).ravel()
        weight = np.where(k <= coarse[-1], (0.5 * (high - low) * weights).ravel() * k / (2.0 * np.pi), 0.0)
        place = np.clip(np.searchsorted(log_coarse, np.log(k)) - 1, 0, coarse.size - 2)
        share = ((np.log(k) - log_coarse[place]) / (log_coarse[place + 1] - log_coarse[place]))[:, None, None]
        g = weight[:, None, None] * ((1.0 - share) * kernels[place] + share * kernels[place + 1])
        x = np.outer(distances, k)
        j0, j1 = bessel_0_1(x)
        safe = np.maximum(x, 1e-12)
        ratio = np.where(x > 1e-8, j1 / safe, 0.5)  # J1(x) / x
        j2 = 2.0 * ratio - j0
        over = np.where(x > 1e-4, j2 / safe, x / 8.0)  # J2(x) / x
        slope_1, slope_2 = j0 - ratio, j1 - 2.0 * over
        for f, terms in enumerate((
                ((0, j0),), ((1, -j1),), ((2, j0),), ((3, -j1),),
                ((4, j1),), ((5, slope_1), (8, ratio)), ((5, ratio), (8, slope_1)),
                ((6, -j2),), ((7, -slope_2), (9, -2.0 * over)), ((7, -2.0 * over), (9, -slope_2)))):
            for kernel, bessel in terms:
                found[:, :, f] += bessel @ g[:, :, kernel]
    return found


def gauss(count: int) -> tuple[Array, Array]:
    """Returns nodes and weights of Gauss and Legendre on -1 to 1."""
    nodes, weights = np.polynomial.legendre.leggauss(count)  # type: ignore[no-untyped-call]
    return nodes, weights


def bessel_0_1(x: Array) -> tuple[Array, Array]:
    """Returns J0 and J1 of x >= 0 to 1e-10: Bessel's integral by the trapezoidal rule, which converges geometrically,
    and Hankel's expansion beyond 25 (Abramowitz and Stegun 9.1.21, 9.2.5)."""
    first, second = np.empty_like(x), np.empty_like(x)
    near = x <= 25.0
    angle = (np.arange(32) + 0.5) * np.pi / 32.0
    part = x[near][:, None] * np.sin(angle)
    first[near] = np.cos(part).mean(axis=1)
    second[near] = (np.sin(part) * np.sin(angle)).mean(axis=1)
    far = x[~near]
    for order, out in ((0, first), (1, second)):
        p, q, term = np.ones_like(far), np.zeros_like(far), np.ones_like(far)
        for n in range(1, 13):
            term = term * (4.0 * order**2 - (2 * n - 1) ** 2) / (n * 8.0 * far)
            if n % 2:
                q += term if n % 4 == 1 else -term
            else:
                p += term if n % 4 == 0 else -term
        phase = far - (0.5 * order + 0.25) * np.pi
        out[~near] = np.sqrt(2.0 / (np.pi * far)) * (p * np.cos(phase) - q * np.sin(phase))
    return first, second
