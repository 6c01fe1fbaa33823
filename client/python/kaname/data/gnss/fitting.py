# SPDX-License-Identifier: BSD-3-Clause
"""Trajectories of all stations of a network, with noise by restricted maximum likelihood."""
from __future__ import annotations

import multiprocessing
import os
from dataclasses import dataclass, field
from typing import Any, Callable, Iterable, Sequence

import numpy as np
import numpy.typing as npt

from ...errors import Error, invalid
from .noise import INDICES, LONGEST, Bins, Estimate, Spectrum, bins_of, restricted_fit, running_sums
from .reading import Network
from .rows import Array, day_of_iso_date
from .series import COMPONENTS, Series
from .trajectory import Jump, Terms, design, jump_of_day, outliers, relaxation, terms_of
from .unr import Step

LAWS = ("log", "exp")
# _RELAXATION_DAYS are tried where the relaxation time is not given.
_RELAXATION_DAYS = np.geomspace(1.0, 1000.0, 13)
_FIRST_RELAXATION_DAYS = 30.0
_JUDGING_DAYS = (2.0, 200.0)  # beside the first one, while outliers are judged
_LARGE_SIGMA = 10.0  # times the median of the component
_LONG_GAP_DAYS = 30
_LEAST_STATIONS = 3  # whose residuals make a common mode


@dataclass(frozen=True)
class Options:
    """How series are fitted. ``events`` are modified Julian days of earthquakes at all stations."""

    events: tuple[float, ...] = ()
    steps: tuple[Step, ...] = ()
    law: str = ""
    relaxation_days: float | None = None
    indices: tuple[float, ...] = INDICES
    threshold: float = 5.0
    antenna_steps: bool = True
    bin_days: int | None = None


@dataclass
class Fit:
    """A station's trajectory. Terms are named ``position``, ``rate`` [m/year], ``annual_sin`` ...,
    ``step_2011-03-11``, ``log_2011-03-11`` [m].

    ``value`` and ``sigma`` are [term][3]; ``covariance`` [3][term][term] per component;
    ``correlation`` [3][3] that of the components' residuals. ``model_m`` and ``residual_m`` are
    [epoch][3] of the whole series, ``used`` [epoch] whether an epoch was.
    """

    series: Series
    terms: Terms
    value: Array
    sigma: Array
    covariance: Array
    correlation: Array
    relaxation_days: list[float]
    noise: list[dict[str, float]]
    model_m: Array
    residual_m: Array
    used: npt.NDArray[np.bool_]
    notes: list[str] = field(default_factory=list)

    def row(self, name: str) -> int | None:
        names = self.terms.names
        return names.index(name) if name in names else None

    def block(self, name: str) -> tuple[Array, Array] | None:
        """A term's three values, and their covariance [3][3]. None where it was not estimated."""
        row = self.row(name)
        if row is None:
            return None
        return self.value[row], self.correlation * np.outer(self.sigma[row], self.sigma[row])

    def to_xarray(self) -> Any:
        """Returns the series' xarray.Dataset with ``model``, ``residual`` [m], ``used``, and ``term_value``, ``term_sigma``
        [m, rates m/year] over term and component."""
        axes, terms = ("time", "component"), ("term", "component")
        return self.series.to_xarray().assign_coords(term=list(self.terms.names)).assign(
            model=(axes, self.model_m, {"units": "m"}), residual=(axes, self.residual_m, {"units": "m"}),
            used=("time", self.used), term_value=(terms, self.value), term_sigma=(terms, self.sigma))


def fit(network: Network | Series, events: Sequence[str] = (), steps: Iterable[Step] = (), law: str = "",
        relaxation_days: float | None = None, spectral_index: float | str = "ml", outlier_threshold: float = 5.0,
        common_mode: bool = False, antenna_steps: bool = True, bin_days: int | None = None,
        processes: int | None = None, progress: Callable[[int, int], None] | None = None) -> dict[str, Fit]:
    """Fits all series; the result is by station, without those that are too short, whose reasons go
    to ``network.notes``.

    events : dates as ``2011-03-11`` (UTC) of earthquakes, steps of all stations. The solution of
        that day is left out, for it holds both sides.
    steps : other steps of stations, such as ``read_steps``; they do not relax.
    law : ``log`` or ``exp``: each of ``events`` is followed by log(1 + t / tau) or 1 - exp(-t / tau).
    relaxation_days : tau; left out, that of 13 from 1 to 1000 days with the smallest misfit.
    spectral_index : of the power-law noise, -2 to 0 (-1: flicker); ``ml``: the most likely of six.
    outlier_threshold : see `trajectory.outliers`.
    common_mode : removes the stations' common residual, day by day, before the fit.
    antenna_steps : a change of antenna height is a step.
    bin_days : the widest bins in which epochs are averaged; 1: none are. See `noise`.

    Raises Error (InvalidArgument) for an option that is out of range, and for one series that cannot
    be fitted.
    """
    options = _checked(events, steps, law, relaxation_days, spectral_index, outlier_threshold, antenna_steps, bin_days)
    if isinstance(network, Series):
        return {network.station: fit_series(network, options)}
    series = list(network.series.values())
    if processes is None:
        processes = len(os.sched_getaffinity(0))
    if common_mode:
        removed = common_mode_of(series, options)
        series = [_without(one, removed) for one in series]
    # The tables are made before the processes part, which share them.
    longest = max((_steps(one) for one in series), default=1)
    for index in {*options.indices, *((-1.0,) if options.law else ())}:
        running_sums(index, longest)
    found: dict[str, Fit] = {}
    tasks = [(one, options) for one in series]
    if processes > 1 and len(tasks) > 1:
        with multiprocessing.get_context("fork").Pool(min(processes, len(tasks))) as pool:
            _gather(pool.imap(_fit_or_reason, tasks), len(tasks), network, found, progress)
    else:
        _gather(map(_fit_or_reason, tasks), len(tasks), network, found, progress)
    return found


def _gather(results: Iterable[Any], total: int, network: Network, found: dict[str, Fit],
            progress: Callable[[int, int], None] | None) -> None:
    for done, (station, result) in enumerate(results, 1):
        if isinstance(result, Fit):
            found[station] = result
        else:
            network.notes.append(f"{station}: {result}")
        if progress:
            progress(done, total)


def _checked(events: Sequence[str], steps: Iterable[Step], law: str, relaxation_days: float | None,
             spectral_index: float | str, threshold: float, antenna_steps: bool, bin_days: int | None) -> Options:
    days = []
    for event in events:
        day = day_of_iso_date(event)
        if day is None:
            invalid("events", f"must be a date as 2011-03-11, got '{event}'")
        days.append(day)
    if law and law not in LAWS:
        invalid("law", f"must be log or exp, got '{law}'")
    if law and not days:
        invalid("law", f"must come with an earthquake that it follows, got '{law}'")
    if relaxation_days is not None and not 0.01 <= relaxation_days <= 1e5:
        invalid("relaxation_days", f"must be 0.01 to 100000, got {relaxation_days:g}")
    indices: tuple[float, ...] = INDICES
    if spectral_index != "ml":
        if not isinstance(spectral_index, (int, float)) or not -2.0 <= spectral_index <= 0.0:
            invalid("spectral_index", f"must be ml or -2 to 0, got '{spectral_index}'")
        indices = (float(spectral_index),)
    if not threshold > 1.0:
        invalid("outlier_threshold", f"must be > 1, got {threshold:g}")
    if bin_days is not None and not 1 <= bin_days <= 366:
        invalid("bin_days", f"must be 1 to 366, got {bin_days}")
    return Options(tuple(sorted(set(days))), tuple(steps), law, relaxation_days, indices, threshold, antenna_steps, bin_days)


def _steps(series: Series) -> int:
    span = int(np.floor(series.mjd[-1]) - np.floor(series.mjd[0])) + 1
    return -(-span // -(-span // LONGEST))


def jumps_of(series: Series, options: Options) -> list[Jump]:
    """All steps that concern a station."""
    jumps = [jump_of_day(mjd, True, "event", True) for mjd in options.events]
    jumps += [jump_of_day(s.mjd, s.earthquake, s.about) for s in options.steps if s.station == series.station]
    if options.antenna_steps:
        jumps += [Jump(int(np.floor(mjd)), False, False, "antenna height") for mjd in series.antenna_changes]
    return jumps


def _prepared(series: Series, options: Options) -> tuple[Terms, npt.NDArray[np.bool_], list[float]]:
    """Terms, epochs to use, and first relaxation times. Raises Error where the series is too short."""
    day = np.floor(series.mjd).astype(np.int64)
    jumps = jumps_of(series, options)
    whole = ~_days_of_steps(day, jumps) & ~_large_sigma(series)
    if whole.sum() < 2 * LEAST:
        raise Error("InvalidArgument", f"left out: must have at least {2 * LEAST} epochs, got {int(whole.sum())}")
    terms = terms_of(day[whole], jumps, options.law)
    tau = [options.relaxation_days or _FIRST_RELAXATION_DAYS] * len(terms.relaxing)
    columns = design(series.mjd, terms, tau)
    if whole.sum() < columns.shape[1] + LEAST:
        raise Error("InvalidArgument", f"left out: must have at least {columns.shape[1] + LEAST} epochs for "
                                       f"{columns.shape[1]} terms, got {int(whole.sum())}")
    # No relaxation time is known yet, and early motion after an earthquake is no outlier.
    more = [relaxation(series.mjd, jump, terms.law, days) for jump in terms.relaxing for days in _JUDGING_DAYS]
    return terms, outliers(series, whole, np.column_stack([columns, *more]), options.threshold), tau


def _days_of_steps(day: npt.NDArray[np.int64], jumps: Sequence[Jump]) -> npt.NDArray[np.bool_]:
    return np.isin(day, [jump.day - 1 for jump in jumps if jump.both_sides])


def _large_sigma(series: Series) -> npt.NDArray[np.bool_]:
    return np.asarray((series.sigma_m > _LARGE_SIGMA * np.median(series.sigma_m, axis=0)).any(axis=1))


def _notes_of(series: Series, options: Options, terms: Terms, used: npt.NDArray[np.bool_]) -> list[str]:
    """Returns what was done with the epochs of a station."""
    notes = [*series.notes, *terms.notes]
    gaps = np.diff(series.mjd)
    if (gaps > _LONG_GAP_DAYS).any():
        notes.append(f"gaps longer than {_LONG_GAP_DAYS} days: {int((gaps > _LONG_GAP_DAYS).sum())}, the longest "
                     f"{gaps.max():.0f} days")
    held = _days_of_steps(np.floor(series.mjd).astype(np.int64), jumps_of(series, options))
    large = _large_sigma(series) & ~held
    counts = ((~used & ~held & ~large, "outliers"), (large, f"with a sigma above {_LARGE_SIGMA:g} times the median"),
              (held, "on the day of a step"))
    parts = [f"{int(mask.sum())} {what}" for mask, what in counts if mask.any()]
    return notes + (["epochs left out: " + ", ".join(parts)] if parts else [])


LEAST = 8  # epochs beyond the number of terms


def _fit_or_reason(task: tuple[Series, Options]) -> tuple[str, Fit | str]:
    series, options = task
    try:
        return series.station, fit_series(series, options)
    except Error as error:
        return series.station, error.message


def fit_series(series: Series, options: Options) -> Fit:
    """One station. Raises Error where its epochs are too few."""
    try:
        return _fitted(series, options)
    except np.linalg.LinAlgError:
        raise Error("InvalidArgument", "left out: its terms cannot be told apart with its epochs") from None


def _fitted(series: Series, options: Options) -> Fit:
    terms, used, tau = _prepared(series, options)
    mjd = series.mjd[used]
    day = np.floor(mjd).astype(np.int64)
    fine = [jump.day for jump in terms.jumps if jump.asked_for]
    bins = bins_of(day, [jump.day for jump in terms.jumps], fine, options.bin_days)
    data = bins.mean(series.position_m[used])
    spread: Array | float = 0.0
    flicker: Spectrum | None = None
    if terms.relaxing and options.relaxation_days is None:
        flicker = Spectrum(bins, -1.0, bins.mean(design(mjd, terms, tau)), data)
        tau, spread = _relaxation_times(mjd, bins, flicker, terms, tau)
    columns = design(series.mjd, terms, tau)
    means = bins.mean(columns[used])
    if means.shape[0] < means.shape[1] + 3:
        raise Error("InvalidArgument", f"left out: must have at least {means.shape[1] + 3} bins of epochs for "
                                       f"{means.shape[1]} terms, got {means.shape[0]}")
    estimates = restricted_fit(bins, means, data, options.indices, flicker)
    value = np.stack([e.value for e in estimates], axis=1)
    covariance = np.stack([e.covariance for e in estimates]) + spread
    model = columns @ value
    sigma = np.sqrt(np.einsum("caa->ac", covariance))
    return Fit(series, terms, value, sigma, covariance, _correlation(data - means @ value, bins), tau,
               [_noise_of(e) for e in estimates], model, series.position_m - model, used,
               _notes_of(series, options, terms, used))


def _noise_of(estimate: Estimate) -> dict[str, float]:
    return {"spectral_index": estimate.index, "white_mm": 1e3 * estimate.white_m,
            "power_law_mm_per_year_power": 1e3 * estimate.power_law}


def _correlation(rest: Array, bins: Bins) -> Array:
    weighted = rest * np.sqrt(bins.count)[:, None]
    full = weighted.T @ weighted
    size = np.sqrt(np.maximum(full.diagonal(), 1e-300))
    matrix = full / np.outer(size, size) * 0.999 + 0.001 * np.eye(len(COMPONENTS))
    np.fill_diagonal(matrix, 1.0)
    return np.asarray(matrix)


def _relaxation_times(mjd: Array, bins: Bins, spectrum: Spectrum, terms: Terms, tau: list[float]
                      ) -> tuple[list[float], Array]:
    """The most likely times for all components under flicker noise, one earthquake after the other,
    twice; and what not knowing them adds to the covariance [3][term][term]: the spread of the terms
    over the times tried, weighted by their likelihoods."""
    tau = list(tau)
    n, p = spectrum.design.shape
    components = spectrum.data.shape[1]
    shares = [int(np.argmax(spectrum.estimates(_SHARES, c)[0])) for c in range(components)]
    first = p - len(terms.relaxing)

    def put(k: int, days: float) -> None:
        column = relaxation(mjd, terms.relaxing[k], terms.law, days)
        spectrum.design[:, first + k] = spectrum.rotate(bins.mean(column)[:, None])[:, 0]

    spread = np.zeros((components, p, p))
    for last in ([False, True] if len(terms.relaxing) > 1 else [True]):
        for k in range(len(terms.relaxing)):
            misfits = []
            values = []
            for days in _RELAXATION_DAYS:
                put(k, float(days))
                misfits.append(_misfit(spectrum, shares))
                if last and np.isfinite(misfits[-1]):
                    values.append(np.stack([spectrum.values(_SHARES[s], c) for c, s in enumerate(shares)]))
                elif last:
                    values.append(np.zeros((components, p)))
            best = int(np.argmin(misfits))
            tau[k] = float(_RELAXATION_DAYS[best])
            put(k, tau[k])
            if last:
                weight = np.exp(-0.5 * (n - p) * (np.array(misfits) - misfits[best]))
                away = np.array(values) - values[best]
                spread += np.einsum("t,tca,tcb->cab", weight / weight.sum(), away, away)
    return tau, spread


def _misfit(spectrum: Spectrum, shares: list[int]) -> float:
    """The sum of the components' log variances; infinite where the terms cannot be told apart."""
    try:
        return float(sum(np.log(spectrum.estimates(_SHARES[s:s + 1], c)[1][0]) for c, s in enumerate(shares)))
    except np.linalg.LinAlgError:
        return float("inf")


_SHARES = 1.0 / (1.0 + np.exp(-np.linspace(-7.0, 7.0, 15)))


def common_mode_of(series: Sequence[Series], options: Options) -> dict[int, Array]:
    """The stations' mean residual [3] of each day on which at least three have one, weighted by
    1 / variance of each station's residuals (Wdowinski et al. 1997, doi:10.1029/97JB01378)."""
    total: dict[int, Array] = {}
    for one in series:
        try:
            terms, used, tau = _prepared(one, options)
        except Error:
            continue
        columns = design(one.mjd, terms, tau)[used]
        scale = np.sqrt(np.einsum("rc,rc->c", columns, columns))
        columns = columns / np.where(scale > 0.0, scale, 1.0)
        x = np.linalg.lstsq(columns.T @ columns, columns.T @ one.position_m[used], rcond=1e-13)[0]
        rest = one.position_m[used] - columns @ x
        weight = 1.0 / np.maximum(rest.var(axis=0), 1e-12)
        for day, row in zip(np.floor(one.mjd[used]).astype(int).tolist(), rest):
            entry = np.stack([row * weight, weight, np.ones(3)])
            total[day] = total[day] + entry if day in total else entry
    return {day: sums[0] / sums[1] for day, sums in total.items() if sums[2, 0] >= _LEAST_STATIONS}


def _without(series: Series, removed: dict[int, Array]) -> Series:
    zero = np.zeros(3)
    common = np.array([removed.get(int(day), zero) for day in np.floor(series.mjd)])
    missing = sum(int(day) not in removed for day in np.floor(series.mjd))
    notes = list(series.notes)
    if missing:
        notes.append(f"{missing} epochs without a common mode: fewer than {_LEAST_STATIONS} stations")
    return Series(series.station, series.lon_deg, series.lat_deg, series.height_m, series.mjd,
                  series.position_m - common, series.sigma_m, series.correlation, series.path,
                  series.antenna_changes, notes)
