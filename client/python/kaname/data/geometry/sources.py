# SPDX-License-Identifier: BSD-3-Clause
"""Sources of few parameters in an elastic half-space: a rectangle that slips, a dike that opens, a point that grows.

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

Places = npt.NDArray[np.int64]
_STEEPEST_RAD = np.radians(89.9)  # Okada's formulas divide by the cosine of the dip.


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
    """

    kind: str
    parameters: tuple[Parameter, ...]
    amounts: tuple[str, ...]
    amount_sigma: float
    poisson: float

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(p.name for p in self.parameters)

    def motion(self, values: Array, x: Array, y: Array, row: Places, direction: Array) -> Array:
        """Returns [model][row][amount]: motion along ``direction`` [row][3] for amount 1.

        values [model][parameter] in the parameters' units; ``x``, ``y`` [place], ``row`` [row] the place of each.
        """
        given = {p.name: values[:, k, None] for k, p in enumerate(self.parameters)}
        east, north = x - given["east_m"], y - given["north_m"]
        parts = _point(given, east, north, self.poisson) if self.kind == "point" else _rectangle(
            given, east, north, self.poisson, (2,) if self.kind == "dike" else (0, 1))
        return np.stack([sum(direction[:, k] * part[k][:, row] for k in range(3)) for part in parts], axis=2)


def _rectangle(given: Mapping[str, Array], east: Array, north: Array, poisson: float, components: tuple[int, ...]
               ) -> list[tuple[Array, Array, Array]]:
    strike = np.radians(given["strike_deg"])
    dip = np.minimum(np.radians(given["dip_deg"]), _STEEPEST_RAD)
    sin, cos = np.sin(strike), np.cos(strike)
    length, width = given["length_m"], given["width_m"]
    along = east * sin + north * cos + 0.5 * length
    left = north * sin - east * cos + 0.5 * width * np.cos(dip)
    depth = given["top_depth_m"] + width * np.sin(dip)
    parts = []
    for u, v, up in surface_motion(along, left, depth, dip, length, width, components, 1.0 - 2.0 * poisson):
        parts.append((u * sin - v * cos, u * cos + v * sin, up))
    return parts


def _point(given: Mapping[str, Array], east: Array, north: Array, poisson: float) -> list[tuple[Array, Array, Array]]:
    """Mogi (1958, Bull. Earthq. Res. Inst. 36, 99): 1 m^3 more volume of a small sphere."""
    depth = given["depth_m"]
    size = (1.0 - poisson) / np.pi / (east**2 + north**2 + depth**2) ** 1.5
    return [(east * size, north * size, depth * size)]


def make_source(kind: str, reach_m: float, spacing_m: float, ranges: Mapping[str, tuple[float, float]],
                amount_sigma: float | None, poisson: float) -> Source:
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
    return Source(kind, tuple(parameters), amounts, sigma, poisson)
