# SPDX-License-Identifier: BSD-3-Clause
"""The posterior distribution of a source of few parameters, from tables of observed motion.

With d_k the whitened data of table k, G_k(theta) the whitened motion for the source's amounts and the nuisances of
that table (an offset or ramp of a satellite's rasters), and v_k a factor on the variances of its errors,

    p(theta, v | d) ~ prod v_k^(-N_k / 2) p(v_k) |A|^(-1/2) exp(-(sum d_k'd_k / v_k - b'A^-1 b) / 2)
    A = S^-1 + sum G_k'G_k / v_k        b = sum G_k'd_k / v_k

which has amounts and nuisances integrated out: amounts are Gaussian about 0 with variance S a priori, nuisances flat,
v_k ~ InvGamma(1, 1), theta uniform. Amounts are drawn afterwards from their Gaussian.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Mapping, Sequence

import numpy as np

from ...errors import invalid, need
from ..insar.raster import EARTH_RADIUS_M, Array, local_m
from .layered import Layers
from .sampler import Rows, Samples, sample
from .sources import Source, make_source
from .tables import Table

_FACTORS = (1e-2, 1e4)  # ends of v_k
_MOST_KEPT = 4000
LEVELS = (0.025, 0.16, 0.5, 0.84, 0.975)


@dataclass(frozen=True)
class Geometry:
    """Samples of a source and its best model.

    Attributes
    ----------
    samples : mapping of name to [sample]
        The source's parameters, `centre_lon_deg` and `centre_lat_deg` of the top edge's middle (a point: `lon_deg`,
        `lat_deg`), amounts, and of a rectangle `rake_deg`, `slip_m`, `moment_n_m` and `magnitude`; `factor_NAME` on the standard deviations of
        each table's errors.
    best : mapping of name to float
        The model of largest density.
    effective, r_hat : mapping of name to float
        Of what was sampled.
    predicted : tuple of [row]
        The best model's motion at each table's rows, without nuisances.
    variance_reduction : tuple of float
        1 - |d - Gm|^2 / |d|^2 of whitened data, nuisances subtracted.
    """

    source: Source
    tables: tuple[Table, ...]
    reference: tuple[float, float]
    samples: Mapping[str, Array]
    best: Mapping[str, float]
    effective: Mapping[str, float]
    r_hat: Mapping[str, float]
    acceptance: float
    predicted: tuple[Array, ...]
    nuisance: tuple[Array, ...]
    variance_reduction: tuple[float, ...]

    @property
    def converged(self) -> bool:
        """True where each number has 100 effective samples and R-hat of at most 1.05."""
        return min(self.effective.values()) >= 100 and max(self.r_hat.values()) <= 1.05

    def to_xarray(self) -> Any:
        """Returns an xarray.Dataset of the samples: each number over sample, with its unit, the ``best`` model's value
        and, where it was sampled, ``effective_samples`` and ``r_hat`` as attributes."""
        from .result import unit_of

        xarray = need("xarray", "python3-xarray", "to_xarray")
        more = {name: {"effective_samples": self.effective[name], "r_hat": self.r_hat[name]} for name in self.effective}
        return xarray.Dataset(
            {name: ("sample", values, {"units": unit_of(name), "best": self.best[name], **more.get(name, {})})
             for name, values in self.samples.items()}, {}, {"source": self.source.kind, "converged": int(self.converged)})

    def quantiles(self) -> dict[str, Array]:
        """Returns 2.5, 16, 50, 84 and 97.5 % of each number; of strike counted about its circular mean."""
        return {name: np.quantile(unwrapped(name, values), LEVELS) for name, values in self.samples.items()}


def unwrapped(name: str, values: Array) -> Array:
    """Returns strikes and rakes without a jump in their middle; others as they are."""
    if name not in ("strike_deg", "rake_deg"):
        return values
    angle = np.radians(values)
    middle = np.degrees(np.arctan2(np.sin(angle).mean(), np.cos(angle).mean()))
    turned: Array = middle + (values - middle + 180.0) % 360.0 - 180.0
    return turned + 360.0 if name == "strike_deg" and middle < 0 else turned


def fit(tables: Sequence[Table], kind: str = "rectangle", *, ranges: Mapping[str, tuple[float, float]] | None = None,
        amount_sigma: float | None = None, poisson: float = 0.25, rigidity_pa: float = 30e9,
        layers: Layers | None = None, steps: int = 8000, wanted: float = 1000.0, seed: int = 1,
        told: Callable[[float, float], None] = lambda _part, _effective: None) -> Geometry:
    """Samples the source that moved the ground.

    ``kind`` is rectangle, dike or point; ``ranges`` are the ends of uniform priors by parameter's name. ``layers`` stand
    in place of the half-space of ``poisson`` and ``rigidity_pa``.
    """
    if not tables:
        invalid("tables", "must be at least one")
    if len({t.rate for t in tables}) > 1:
        invalid("tables", "must all be displacements or all be rates")
    problem = _Problem(tables, kind, ranges or {}, amount_sigma, poisson, layers)
    found = sample(problem.log_density, problem.low, problem.high, problem.periods, steps=steps, wanted=wanted,
                   seed=seed, told=told)
    return problem.geometry(found, np.random.Generator(np.random.PCG64([seed, 1])), rigidity_pa)


class _Problem:
    def __init__(self, tables: Sequence[Table], kind: str, ranges: Mapping[str, tuple[float, float]],
                 amount_sigma: float | None, poisson: float, layers: Layers | None) -> None:
        self.tables = tuple(tables)
        lon, lat = np.concatenate([t.lon for t in tables]), np.concatenate([t.lat for t in tables])
        lon = lon[0] + (lon - lon[0] + 180.0) % 360.0 - 180.0
        self.reference = 0.5 * float(lon.min() + lon.max()), 0.5 * float(lat.min() + lat.max())
        rows = [local_m(self.reference[0] + (t.lon - self.reference[0] + 180.0) % 360.0 - 180.0, t.lat,
                        *self.reference) for t in tables]
        x, y = (np.concatenate(c) for c in zip(*rows))
        # Components of one station share their place.
        self.places: list[tuple[Array, Array, Rows]] = []
        for place in rows:
            unique, row = np.unique(np.stack(place), axis=1, return_inverse=True)
            self.places.append((unique[0], unique[1], row.ravel()))
        reach = max(float(np.hypot(x, y).max()), 1e3)
        spacing = float(np.hypot(np.ptp(x), np.ptp(y)) / np.sqrt(len(set(zip(x, y))) + 1.0))
        try:
            self.source = make_source(kind, reach, spacing, ranges, amount_sigma, poisson, layers)
        except KeyError as error:
            invalid("ranges", f"must name parameters of a {kind}, got {error.args[0]}")
        parameters = self.source.parameters
        self.low = np.array([p.low for p in parameters] + [np.log(_FACTORS[0])] * len(tables))
        self.high = np.array([p.high for p in parameters] + [np.log(_FACTORS[1])] * len(tables))
        self.periods = np.array([p.period or 0.0 for p in parameters] + [0.0] * len(tables))
        self.diagonals = [np.diag(t.whitening)[:, None] if np.count_nonzero(t.whitening) == len(t) else None for t in tables]
        self.data = [t.whitening @ t.observed for t in tables]
        self.nuisances = [t.whitening @ t.nuisance for t in tables]
        self.amounts = len(self.source.amounts)
        self.unknowns = self.amounts + sum(n.shape[1] for n in self.nuisances)

    def log_density(self, values: Array) -> Array:
        matrix, right, square, log_v = self._normal(values)
        root = np.linalg.cholesky(matrix)
        part = np.linalg.solve(root, right[:, :, None])[:, :, 0]
        counts = np.array([len(t) for t in self.tables])
        prior = (-log_v - np.exp(-log_v)).sum(axis=1)  # InvGamma(1, 1) of v in terms of log v
        misfit = log_v @ counts + square - (part * part).sum(axis=1)
        density: Array = prior - 0.5 * misfit - np.log(np.diagonal(root, axis1=1, axis2=2)).sum(axis=1)
        return density

    def _normal(self, values: Array) -> tuple[Array, Array, Array, Array]:
        """Returns A [model][unknown][unknown], b [model][unknown], sum d'd / v [model] and log v [model][table]."""
        count = len(self.source.parameters)
        log_v = values[:, count:]
        matrix = np.zeros((len(values), self.unknowns, self.unknowns))
        matrix[:, range(self.amounts), range(self.amounts)] = self.source.amount_sigma**-2
        right, square = np.zeros((len(values), self.unknowns)), np.zeros(len(values))
        at = self.amounts
        for k, table in enumerate(self.tables):
            weight = np.exp(-log_v[:, k])
            own = self.nuisances[k].shape[1]
            motion = self._motion(values[:, :count], k)
            design = np.concatenate([motion, np.broadcast_to(self.nuisances[k], (len(values), len(table), own))], axis=2)
            columns = np.r_[0:self.amounts, at:at + own]
            turned = design.transpose(0, 2, 1)
            matrix[:, columns[:, None], columns] += weight[:, None, None] * (turned @ design)
            right[:, columns] += weight[:, None] * (turned @ self.data[k])
            square += weight * float(self.data[k] @ self.data[k])
            at += own
        return matrix, right, square, log_v

    def _motion(self, parameters: Array, k: int) -> Array:
        """Returns whitened motion [model][row][amount] at table k."""
        motion = self.source.motion(parameters, *self.places[k], self.tables[k].direction)
        diagonal = self.diagonals[k]
        if diagonal is not None:
            return motion * diagonal
        return self.tables[k].whitening @ motion

    def geometry(self, found: Samples, rng: np.random.Generator, rigidity_pa: float) -> Geometry:
        """Draws amounts, and makes numbers of users of all."""
        flat = found.values.reshape(-1, self.low.size)
        kept = np.unique(np.linspace(0, len(flat) - 1, min(_MOST_KEPT, len(flat))).astype(np.int64))
        values = flat[kept]
        amounts = np.concatenate([self._amounts(part, rng) for part in np.array_split(values, max(1, len(values) // 50))])
        best = flat[int(np.argmax(found.log_density.reshape(-1)))][None, :]
        middle = self._amounts(best, None)
        names = [*self.source.names, *(f"factor_{t.name}" for t in self.tables)]
        effective, r_hat = dict(zip(names, found.effective)), dict(zip(names, found.r_hat))
        predicted, nuisance, reduction = self._explained(best, middle[0])
        return Geometry(
            self.source, self.tables, self.reference, self._numbers(values, amounts, rigidity_pa),
            {key: float(v[0]) for key, v in self._numbers(best, middle, rigidity_pa).items()},
            {k: float(v) for k, v in effective.items()}, {k: float(v) for k, v in r_hat.items()}, found.acceptance,
            predicted, nuisance, reduction)

    def _amounts(self, values: Array, rng: np.random.Generator | None) -> Array:
        """Returns [model][unknown] a draw of amounts and nuisances, or their mean."""
        matrix, right, *_ = self._normal(values)
        mean: Array = np.linalg.solve(matrix, right[:, :, None])[:, :, 0]
        if rng is None:
            return mean
        root = np.linalg.cholesky(matrix)
        noise = rng.standard_normal(mean.shape)
        drawn: Array = mean + np.linalg.solve(root.transpose(0, 2, 1), noise[:, :, None])[:, :, 0]
        return drawn

    def _explained(self, best: Array, unknowns: Array) -> tuple[tuple[Array, ...], tuple[Array, ...], tuple[float, ...]]:
        predicted, nuisance, reduction = [], [], []
        at = self.amounts
        for k, table in enumerate(self.tables):
            motion = self.source.motion(best[:, :len(self.source.parameters)], *self.places[k], table.direction)[0]
            own = table.nuisance.shape[1]
            predicted.append(motion @ unknowns[:self.amounts])
            nuisance.append(table.nuisance @ unknowns[at:at + own])
            at += own
            data = table.whitening @ (table.observed - nuisance[-1])
            left = data - table.whitening @ predicted[-1]
            reduction.append(1.0 - float(left @ left) / max(float(data @ data), 1e-300))
        return tuple(predicted), tuple(nuisance), tuple(reduction)

    def _rigidity(self, numbers: Mapping[str, Array], rigidity_pa: float) -> float | Array:
        """Returns that of a half-space, or the mean of layers over each rectangle."""
        layers = self.source.layers
        if layers is None:
            return rigidity_pa
        deep = numbers["width_m"] * np.sin(np.radians(numbers["dip_deg"]))
        part = (np.arange(100) + 0.5) / 100.0
        depths = numbers["top_depth_m"][:, None] + deep[:, None] * part
        mean: Array = layers.mu_pa[layers.at(depths)].mean(axis=1)
        return mean

    def _numbers(self, values: Array, amounts: Array, rigidity_pa: float) -> dict[str, Array]:
        numbers = {name: values[:, k] for k, name in enumerate(self.source.names)}
        degree = np.radians(EARTH_RADIUS_M)
        prefix = "" if self.source.kind == "point" else "centre_"
        for k, name in enumerate(self.source.amounts):
            numbers[name] = amounts[:, k]
        if self.source.kind != "point":
            # The middle of the top edge lies up dip of the rectangle's, left of the strike.
            strike, up = np.radians(numbers["strike_deg"]), 0.5 * numbers["width_m"] * np.cos(np.radians(numbers["dip_deg"]))
            top = numbers["east_m"] - up * np.cos(strike), numbers["north_m"] + up * np.sin(strike)
        else:
            top = numbers["east_m"], numbers["north_m"]
        numbers[f"{prefix}lon_deg"] = self.reference[0] + top[0] / (degree * np.cos(np.radians(self.reference[1])))
        numbers[f"{prefix}lat_deg"] = self.reference[1] + top[1] / degree
        if self.source.kind == "rectangle":
            strike, dip = numbers["strike_slip_m"], numbers["dip_slip_m"]
            numbers["rake_deg"] = np.degrees(np.arctan2(dip, strike))
            numbers["slip_m"] = np.hypot(strike, dip)
            numbers["moment_n_m"] = (self._rigidity(numbers, rigidity_pa) * numbers["length_m"] * numbers["width_m"]
                                     * numbers["slip_m"])
            numbers["magnitude"] = (np.log10(np.maximum(numbers["moment_n_m"], 1.0)) - 9.1) / 1.5
        if self.source.kind == "dike":
            numbers["volume_m3"] = numbers["length_m"] * numbers["width_m"] * numbers["opening_m"]
        for k, table in enumerate(self.tables):
            numbers[f"factor_{table.name}"] = np.exp(0.5 * values[:, len(self.source.parameters) + k])
        return numbers

