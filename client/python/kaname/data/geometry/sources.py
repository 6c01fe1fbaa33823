# SPDX-License-Identifier: BSD-3-Clause
"""Sources of few parameters in an elastic half-space or in flat layers: a rectangle that slips, a dike that opens, a
point that grows.

Each has parameters of its place and shape, on which the motion depends nonlinearly, and amounts on which it depends
linearly. Places are metres east and north of a reference, of a rectangle those of its middle.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping

import numpy as np
import numpy.typing as npt

from ..insar.half_space import surface_motion
from ..insar.raster import Array
from .layered import Layers, Table, gauss, make_table

Places = npt.NDArray[np.int64]
_STEEPEST_RAD = np.radians(89.9)  # Okada's formulas divide by the cosine of the dip.
# Points (of Gauss) along strike, and down dip in each layer, that stand for a rectangle in what layers change, which is
# smooth but for jumps from one layer to the next.
_ALONG, _DOWN = 6, 3


@dataclass(frozen=True)
class Parameter:
    """A number of a source, uniform between two ends a priori; a periodic one goes on at the other end."""

    name: str
    low: float
    high: float
    period: float | None = None


@dataclass(frozen=True)
class Source:
    """What may have moved the ground.

    Attributes
    ----------
    parameters : tuple of Parameter
        `east_m`, `north_m` and others.
    amounts : tuple of str
        With their units.
    amount_sigma : float
        Standard deviation of each amount a priori, about 0.
    poisson : float
        Of the half-space, or of the uppermost layer.
    layers : Layers, optional
    change : Table, optional
        What the layers change about a half-space.
    """

    kind: str
    parameters: tuple[Parameter, ...]
    amounts: tuple[str, ...]
    amount_sigma: float
    poisson: float
    layers: Layers | None = None
    change: Table | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(p.name for p in self.parameters)

    @property
    def earth(self) -> str:
        """In words: a half-space, or how many layers."""
        return "a half-space" if self.layers is None else f"{len(self.layers.mu_pa)} layers"

    def motion(self, values: Array, x: Array, y: Array, row: Places, direction: Array) -> Array:
        """Returns [model][row][amount]: motion along ``direction`` [row][3] for amount 1.

        values [model][parameter] in the parameters' units; ``x``, ``y`` [place], ``row`` [row] the place of each.
        """
        given = {p.name: values[:, k, None] for k, p in enumerate(self.parameters)}
        east, north = x - given["east_m"], y - given["north_m"]
        if self.kind == "point":
            parts = _point(given, east, north, self.poisson)
            if self.change is not None:
                parts = _layered_point(self.change, given, east, north, parts)
        else:
            parts = _rectangle(given, east, north, self.poisson, (2,) if self.kind == "dike" else (0, 1), self.change)
        return np.stack([sum(direction[:, k] * part[k][:, row] for k in range(3)) for part in parts], axis=2)


def _rectangle(given: Mapping[str, Array], east: Array, north: Array, poisson: float, components: tuple[int, ...],
               change: Table | None) -> list[tuple[Array, Array, Array]]:
    strike = np.radians(given["strike_deg"])
    dip = np.minimum(np.radians(given["dip_deg"]), _STEEPEST_RAD)
    sin, cos = np.sin(strike), np.cos(strike)
    length, width = given["length_m"], given["width_m"]
    along = east * sin + north * cos + 0.5 * length
    left = north * sin - east * cos + 0.5 * width * np.cos(dip)
    depth = given["top_depth_m"] + width * np.sin(dip)
    motion = surface_motion(along, left, depth, dip, length, width, components, 1.0 - 2.0 * poisson)
    if change is not None:
        changes = _changes(change, given, dip, along - 0.5 * length, 0.5 * width * np.cos(dip) - left, components)
        motion = [tuple(m + c for m, c in zip(*both)) for both in zip(motion, changes)]  # type: ignore[misc]
    return [(u * sin - v * cos, u * cos + v * sin, up) for u, v, up in motion]


def _changes(change: Table, given: Mapping[str, Array], dip: Array, along: Array, right: Array,
             components: tuple[int, ...]) -> list[tuple[Array, Array, Array]]:
    """Returns what layers add to the motion along strike, left of it and up, of places that lie ``along`` strike and
    ``right`` of it from the rectangle's middle: the sum of points of it."""
    length, width, top = given["length_m"], given["width_m"], given["top_depth_m"]
    nodes, weights = gauss(_DOWN)
    # Down dip the rectangle ends at each interface that it crosses; parts in layers that it does not reach have no width.
    ends = np.clip((change.layers.bottoms_m - top) / np.sin(dip), 0.0, width)
    ends = np.concatenate([np.zeros_like(width), ends, width], axis=1)
    model, part = np.nonzero(np.diff(ends, axis=1))
    wide = 0.5 * (ends[model, part + 1] - ends[model, part])[:, None]
    down = (ends[model, part][:, None] + wide * (1.0 + nodes)).ravel()
    share = (wide * weights).ravel()
    model = np.repeat(model, _DOWN)  # rows of points now, those of a model together
    dip = dip[model]
    along_nodes, along_weights = gauss(_ALONG)
    x = along[model][:, None, :] - (0.5 * length[model] * along_nodes)[:, :, None]
    y = (right[model] - (down - 0.5 * width[model, 0])[:, None] * np.cos(dip))[:, None, :]
    distance = np.hypot(x, y)
    f = change.of(top[model, 0] + down * np.sin(dip[:, 0]), distance)
    f *= (1e-9 * 0.5 * length[model] * share[:, None] * along_weights)[:, :, None, None]
    far = np.maximum(distance, 1e-3)
    cos, sin = x / far, y / far
    cos_2, sin_2 = cos * cos - sin * sin, 2.0 * sin * cos
    dip = dip[:, :, None]
    first = np.searchsorted(model, np.arange(len(width)))

    def of_models(motion: Array) -> Array:
        total: Array = np.add.reduceat(motion.sum(axis=1), first)
        return total

    parts = []
    for component in components:
        zz, both, xz, yz, less, xy = _potency(component, dip)
        one, one_across = xz * cos + yz * sin, yz * cos - xz * sin
        two, two_across = less * cos_2 + xy * sin_2, xy * cos_2 - less * sin_2
        down_by = zz * f[..., 0] + both * f[..., 2] + one * f[..., 4] + two * f[..., 7]
        out_by = zz * f[..., 1] + both * f[..., 3] + one * f[..., 5] + two * f[..., 8]
        across = one_across * f[..., 6] + two_across * f[..., 9]
        parts.append((of_models(out_by * cos - across * sin), of_models(-out_by * sin - across * cos), of_models(-down_by)))
    return parts


def _potency(component: int, dip: Array) -> tuple[Array, ...]:
    """Returns the tensor of potency in the axes of strike, right and down: zz, xx + yy, 2 xz, 2 yz, xx - yy and 2 xy."""
    zero = np.zeros_like(dip)
    if component == 0:
        return zero, zero, -np.cos(dip), zero, zero, np.sin(dip)
    if component == 1:
        half = 0.5 * np.sin(2.0 * dip)
        return half, -half, zero, np.cos(2.0 * dip), half, zero
    sin, cos = np.sin(dip), np.cos(dip)
    return cos * cos, sin * sin, zero, -2.0 * sin * cos, -sin * sin, zero


def _layered_point(change: Table, given: Mapping[str, Array], east: Array, north: Array,
                   mogi: list[tuple[Array, Array, Array]]) -> list[tuple[Array, Array, Array]]:
    """Adds what layers change to Mogi's point: its moment is (lambda + 2 mu) times the volume of the rock that it
    lies in."""
    layers = change.layers
    distance = np.hypot(east, north)
    depth = given["depth_m"][:, 0]
    ratio = layers.lambda_pa / layers.mu_pa
    strain = (ratio + 2.0) / (3.0 * ratio + 2.0)  # without stress, in each direction, of 1 m^3
    there = strain[layers.at(depth)][:, None]
    f = 1e-9 * change.of(depth, distance)
    far = np.maximum(distance, 1e-3)
    out, down = (there * (f[..., k] + 2.0 * f[..., k + 2]) for k in (1, 0))
    share = there / strain[0]
    return [(share * u + out * east / far, share * v + out * north / far, share * up - down) for u, v, up in mogi]


def _point(given: Mapping[str, Array], east: Array, north: Array, poisson: float) -> list[tuple[Array, Array, Array]]:
    """Mogi (1958, Bull. Earthq. Res. Inst. 36, 99): 1 m^3 more volume of a small sphere."""
    depth = given["depth_m"]
    size = (1.0 - poisson) / np.pi / (east**2 + north**2 + depth**2) ** 1.5
    return [(east * size, north * size, depth * size)]


def make_source(kind: str, reach_m: float, spacing_m: float, ranges: Mapping[str, tuple[float, float]],
                amount_sigma: float | None, poisson: float, layers: Layers | None = None) -> Source:
    """Returns a source whose ranges follow from the data where none are given.

    reach_m is the largest distance of the data from the reference, spacing_m that of neighbouring data. Raises
    KeyError with the name of a range that the source does not have.
    """
    places = [("east_m", -reach_m, reach_m), ("north_m", -reach_m, reach_m)]
    shape = [("top_depth_m", 0.0, 0.5 * reach_m), ("strike_deg", 0.0, 360.0), ("dip_deg", 1.0, 90.0),
             ("length_m", 0.2 * spacing_m, 2.0 * reach_m), ("width_m", 0.2 * spacing_m, reach_m)]
    every = places + ([("depth_m", 0.1 * spacing_m, reach_m)] if kind == "point" else shape)
    known = {name for name, *_ in every}
    for name in ranges:
        if name not in known:
            raise KeyError(name)
    parameters = []
    for name, low, high in every:
        low, high = ranges.get(name, (low, high))
        full = name == "strike_deg" and high - low >= 360.0
        parameters.append(Parameter(name, low, high, 360.0 if full else None))
    amounts = {"rectangle": ("strike_slip_m", "dip_slip_m"), "dike": ("opening_m",), "point": ("volume_m3",)}[kind]
    sigma = amount_sigma or (1e9 if kind == "point" else 10.0)
    if layers is None:
        return Source(kind, tuple(parameters), amounts, sigma, poisson)
    ends = {p.name: p.high for p in parameters}
    deepest = ends["depth_m"] if kind == "point" else ends["top_depth_m"] + ends["width_m"]
    away = max(max(abs(p.low), abs(p.high)) for p in parameters[:2])
    change = make_table(layers, deepest, 1.5 * (reach_m + away) + ends.get("length_m", 0.0))
    return Source(kind, tuple(parameters), amounts, sigma, layers.poisson, layers, change)
