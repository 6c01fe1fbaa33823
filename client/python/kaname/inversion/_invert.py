# SPDX-License-Identifier: BSD-3-Clause
"""Inversions: by the program, or small ones here."""
from __future__ import annotations

import contextlib
import dataclasses
import math
import os
import pathlib
import tempfile
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from .. import program as programs
from ..dataset import Dataset
from ..dataset import open as open_dataset
from ..errors import Error, invalid
from ._design import Design, make_design
from .folds import folds_of_stations
from .minimise import minimise
from .observations import (COMPONENTS, Rows, as_item, name_of, read_rows, unsupported,
                           write_columns)
from .result import Choice, DataSet, Inversion
from .smoothing import laplacian

if TYPE_CHECKING:
    from ..job import Job

Array = npt.NDArray[np.float64]

_SMALL = 1000  # unknowns
_SMOOTHNESS = np.logspace(-4.0, 2.0, 10)
_SPARSITY = np.concatenate([[0.0], np.logspace(-4.0, -1.0, 4)])
_SLIP = ("components", "allow_negative", "min_m", "max_m")
_OUTLIER = 5.0  # standard deviations
_CHOICES = ("abic", "cross_validation", "fixed")
_REGULARISATION = ("choice", "smoothness", "sparsity", "folds", "seed", "rule", "edges")


def invert(greens: Any, data: Any, *, slip: Mapping[str, Any] | None = None,
           regularisation: Mapping[str, Any] | None = None,
           appraisal: Mapping[str, Any] | None = None,
           synthetic: Mapping[str, Any] | None = None,
           posterior: Mapping[str, Any] | None = None,
           model_errors: Mapping[str, Any] | Sequence[str | os.PathLike[str]] | None = None,
           name: str = "inversion", program: bool | None = None,
           output: str | os.PathLike[str] | None = None,
           force: bool = False) -> Inversion:
    """Slip on the patches of a dataset from observed motion.

    Parameters
    ----------
    greens : path, Dataset or Job
        For the program a file, or a job: it waits for the sources that are still being computed,
        and ``report["missing"]`` names those that failed.
    data : set or list of sets
        A set is a path of a csv file; columns (``{"station": [...], "east_m": [...],
        "sigma_east_m": [...]}``; also ``_cm``, ``_mm``, ``epoch_years``, ``lon_deg``); or fields of
        a set as the request has them (``{"file": ..., "kind": "insar", ...}``).
    slip, regularisation, appraisal, synthetic, posterior : dict, optional
        These parts of the request (proto/kaname/v1/inversion.proto). ``posterior={}`` samples the
        posterior with its defaults, ``{"effective_samples": 400}`` until it has so many; one that
        has not converged raises NotConverged.
    model_errors : list of paths or dict, optional
        Datasets of other structures, whose motion's spread is added to the errors of the data; or
        this part of the request, ``{"campaign": "post/campaign.json", "rounds": 3}``.
    name : str
    program : bool, optional
        Run `kaname invert` (True) or solve here with numpy (False), which takes the standard
        deviations of several sets as they are; default: here what is small, what `solve` knows and
        what its slip explains within five standard deviations.
    output : path, optional
        Folder that gets inversion.h5; default: none is kept.
    force : bool
        Replace an inversion.h5 that is there.

    Returns
    -------
    Inversion

    Raises
    ------
    Error
        InvalidArgument naming the field, NotFound, NotConverged.
    """
    items = _items(data)
    parts = {"slip": slip, "regularisation": regularisation, "appraisal": appraisal,
             "synthetic": synthetic, "posterior": posterior,
             "model_errors": _model_errors(model_errors)}
    beyond = _beyond(items, parts)
    if program is False and beyond:
        invalid(beyond, "is known to the program alone: give program=True")
    if program or beyond or (program is None and _unknowns(greens) > _SMALL):
        return _by_program(greens, items, parts, name, output, force)
    result = solve(greens, data, slip=slip, regularisation=regularisation)
    if program is None and _is_missed(result) and programs.has_program():
        return _by_program(greens, items, parts, name, output, force)
    if output is not None:
        folder = pathlib.Path(output)
        folder.mkdir(parents=True, exist_ok=True)
        result.write(folder / "inversion.h5", force)
    return result


def _is_missed(result: Inversion) -> bool:
    """True where a datum is off by more than five standard deviations: the program counts slip within patches as an
    error of stations beside the fault, and names outliers."""
    return any(float(np.max(np.abs(fit.residual / fit.sigma), initial=0.0)) > _OUTLIER for fit in result.data.values())


def _model_errors(given: Any) -> dict[str, Any] | None:
    """That part of the request, with paths that do not count from anywhere."""
    if given is None:
        return None
    part = dict(given) if isinstance(given, Mapping) else {"datasets": given}
    if isinstance(part.get("datasets"), (str, os.PathLike)):
        invalid("model_errors.datasets", f"must be a list of paths, got {part['datasets']!r}")
    if "datasets" in part:
        part["datasets"] = [os.path.abspath(path) for path in part["datasets"]]
    if "campaign" in part:
        part["campaign"] = os.path.abspath(part["campaign"])
    return part


def _items(data: Any) -> list[dict[str, Any]]:
    alone = isinstance(data, (str, os.PathLike, Mapping))
    items = [as_item(item, i) for i, item in enumerate([data] if alone else data)]
    if not items:
        invalid("data", "must hold at least one set")
    return items


def _beyond(items: Sequence[Mapping[str, Any]], parts: Mapping[str, Any]) -> str | None:
    """The first field that only the program knows."""
    for i, item in enumerate(items):
        if (found := unsupported(item)) is not None:
            return f"data[{i}].{found}"
    for part in ("appraisal", "synthetic"):
        if parts[part]:
            return part
    for part in ("posterior", "model_errors"):
        if parts.get(part) is not None:
            return part
    for part, known in (("slip", _SLIP), ("regularisation", _REGULARISATION)):
        for key in parts[part] or {}:
            if key not in known:
                return f"{part}.{key}"
    choice = (parts["regularisation"] or {}).get("choice") or "abic"
    return None if choice in _CHOICES else f"regularisation.choice: {choice}"


def _unknowns(greens: Any) -> int:
    return len(_dataset(greens).sources)


def _dataset(greens: Any) -> Dataset:
    data = greens if isinstance(greens, Dataset) else open_dataset(greens)
    if not isinstance(data, Dataset):
        invalid("greens", f"must be a dataset of Green's functions, got {data!r}")
    return data


@contextlib.contextmanager
def _folder(output: str | os.PathLike[str] | None) -> Iterator[pathlib.Path]:
    """Where the program writes: the output, or one that goes."""
    if output is not None:
        pathlib.Path(output).mkdir(parents=True, exist_ok=True)
        yield pathlib.Path(output)
        return
    with tempfile.TemporaryDirectory(prefix="kaname-inversion-") as name:
        yield pathlib.Path(name)


def _job_of(greens: Any) -> Job | None:
    """A job of a service: files and their datasets need no gRPC."""
    if isinstance(greens, (str, os.PathLike, Dataset)):
        return None
    from ..job import Job

    return greens if isinstance(greens, Job) else None


def request_of(greens: Any, items: Sequence[Mapping[str, Any]], parts: Mapping[str, Any],
               name: str, folder: pathlib.Path) -> dict[str, Any]:
    """The request that `kaname invert` reads; columns become csv files in ``folder``."""
    path = greens.name if isinstance(greens, Dataset) and greens.job is None else greens
    known = isinstance(path, (str, os.PathLike)) and os.path.exists(path)
    if not known and _job_of(greens) is None:
        invalid("greens", "must be a file or a job for the program, got "
                          f"{path!r}; Job.download gets a file of a service")
    sets = []
    for i, item in enumerate(items):
        entry = {key: value for key, value in item.items() if key not in ("rows", "file")}
        entry["name"] = name_of(item, i)
        if "rows" in item:
            write_columns(folder / f"{entry['name']}.csv", item["rows"])
            entry["file"] = str((folder / f"{entry['name']}.csv").absolute())
        else:
            entry["file"] = os.path.abspath(item["file"])
        sets.append(entry)
    request: dict[str, Any] = {"schema": "kaname.v1.Inversion", "name": name, "data": sets}
    if known:
        request["greens"] = os.path.abspath(path)
    request.update({key: dict(value) for key, value in parts.items()
                    if value or (key in ("posterior", "model_errors") and value is not None)})
    return request


def _by_program(greens: Any, items: Sequence[Mapping[str, Any]], parts: Mapping[str, Any],
                name: str, output: str | os.PathLike[str] | None, force: bool) -> Inversion:
    with tempfile.TemporaryDirectory(prefix="kaname-request-") as scratch, \
            _folder(output) as folder:
        request = request_of(greens, items, parts, name, pathlib.Path(scratch))
        with programs.specification_file(request, scratch) as path:
            arguments: list[str | os.PathLike[str]] = ["invert", path, "--output", folder]
            arguments += ["--force"] if force else []
            job = _job_of(greens)
            if job is not None:
                at = job.client.endpoint
                report = programs.run_json_lines(
                    *arguments, "--job", job.id,
                    env={"KANAME_SERVER": at.address, "KANAME_TOKEN": at.token})[-1]
            else:
                report = programs.run_json(*arguments, some_failed=True)
        sampled = report.get("posterior")
        if sampled and not sampled.get("converged"):
            raise Error("NotConverged", "posterior.iterations must be more: effective samples of "
                        f"slip {sampled.get('effective_slip', 0):.0f}, of the moment "
                        f"{sampled.get('effective_moment', 0):.0f}, R-hat "
                        f"{sampled.get('r_hat', 0):.3f}")
        result = Inversion.read(folder / "inversion.h5")
        result.report.update(report)
        return result


def solve(greens: Any, data: Any, *, slip: Mapping[str, Any] | None = None,
          regularisation: Mapping[str, Any] | None = None) -> Inversion:
    """`invert` in numpy, for some hundred sources: displacements by a step of slip at time 0,
    bounds, smoothness and sparsity chosen by cross-validation over stations, or fixed.

    ``regularisation["smoothness"]`` and ``["sparsity"]`` are weights to try in the units of
    `kaname.inversion`; of ``choice: fixed`` one of each.
    """
    items = _items(data)
    slip, regularisation = dict(slip or {}), dict(regularisation or {})
    beyond = _beyond(items, {"slip": slip, "regularisation": regularisation, "appraisal": None,
                             "synthetic": None})
    if beyond:
        invalid(beyond, "is known to the program alone: give program=True to invert")
    dataset = _dataset(greens)
    sources = _chosen_sources(dataset, slip)
    sets = [read_rows(item, i, dataset) for i, item in enumerate(items)]
    problem = _Problem(make_design(dataset, sources, sets),
                       laplacian(dataset, regularisation.get("edges") or "zero", sources),
                       *_bounds(slip))
    choice, amounts = _choose(problem, regularisation)
    return _result(dataset, sources, sets, problem, choice, amounts)


def _chosen_sources(dataset: Dataset, slip: Mapping[str, Any]) -> npt.NDArray[np.int64]:
    components = slip.get("components") or sorted(set(dataset.sources.component))
    unknown = [c for c in components if c not in dataset.sources.component]
    if unknown:
        invalid("slip.components", "must be of the dataset's, "
                                   f"{', '.join(sorted(set(dataset.sources.component)))}, got "
                                   f"{unknown[0]}")
    done = [i for i in dataset.sources.done if dataset.sources.component[i] in components]
    if not done:
        raise Error("InvalidArgument", f"{dataset.name}: no source of {', '.join(components)} has "
                                       "values")
    return np.array(done, dtype=np.int64)


def _bounds(slip: Mapping[str, Any]) -> tuple[float, float]:
    negative = bool(slip.get("allow_negative"))
    low = slip.get("min_m", -math.inf if negative else 0.0)
    high = slip.get("max_m", math.inf)
    if not low <= high:
        invalid("slip.min_m", f"must be <= max_m {high:g}, got {low:g}")
    return float(low), float(high)


class _Problem:
    """Normal equations of all rows and of folds of stations, and the units of the weights."""

    def __init__(self, design: Design, roughness: Array, low: float, high: float) -> None:
        self.design = design
        n, columns = design.n, design.matrix.shape[1]
        self.low, self.high = np.full(columns, -math.inf), np.full(columns, math.inf)
        self.low[:n], self.high[:n] = low, high
        self.hessian, self.gradient = self.normal(np.ones(design.data.size, dtype=bool))
        self.penalty = np.zeros((columns, columns))
        self.penalty[:n, :n] = roughness.T @ roughness
        trace = float(np.trace(self.penalty))
        self.smoothness_unit = (float(np.trace(self.hessian[:n, :n])) / trace) if trace else 0.0
        self.sparsity_unit = float(np.abs(self.gradient[:n]).max())
        self.weight = np.zeros(columns)
        self.weight[:n] = 1.0

    def normal(self, rows: npt.NDArray[np.bool_]) -> tuple[Array, Array]:
        part = self.design.matrix[rows]
        return part.T @ part, part.T @ self.design.data[rows]

    def solve(self, normal: tuple[Array, Array], smoothness: float, sparsity: float,
              start: Array | None) -> Array:
        return minimise(normal[0] + smoothness * self.smoothness_unit * self.penalty, normal[1],
                        sparsity * self.sparsity_unit * self.weight, self.low, self.high, start)

    def chi2(self, rows: npt.NDArray[np.bool_], amounts: Array) -> float:
        rest = self.design.data[rows] - self.design.matrix[rows] @ amounts
        return float(rest @ rest)


def _weights(given: Any, default: Array, field: str) -> Array:
    values = np.asarray(default if given is None or len(np.atleast_1d(given)) == 0
                        else np.atleast_1d(given), dtype=np.float64)
    if not (np.isfinite(values).all() and (values >= 0.0).all()):
        invalid(f"regularisation.{field}", f"must be >= 0, got {values.min():g}")
    return values


def _choose(problem: _Problem, wanted: Mapping[str, Any]) -> tuple[Choice, Array]:
    choice = wanted.get("choice") or _default_choice(wanted)
    fixed = choice == "fixed"
    smoothness = _weights(wanted.get("smoothness"), _SMOOTHNESS, "smoothness")
    least = float(problem.low[:problem.design.n].min())
    sparse = choice == "cross_validation" and least <= 0.0
    sparsity = _weights(wanted.get("sparsity"), _SPARSITY if sparse else np.zeros(1), "sparsity")
    if choice == "abic" and sparsity.any():
        invalid("regularisation.sparsity", "must be 0 with choice abic, which is for priors that "
                                           "are normal distributions")
    if least > 0.0 and sparsity.any():
        invalid("regularisation.sparsity", f"must be 0 with slip.min_m = {least:g}, which lets no "
                                           "amount be 0")
    if fixed and (smoothness.size, sparsity.size) != (1, 1):
        invalid("regularisation.smoothness", "must be one weight where choice is fixed, got "
                                             f"{smoothness.size}")
    grid = (smoothness.size, sparsity.size)
    everything = np.ones(problem.design.data.size, dtype=bool)
    amounts: dict[tuple[int, int], Array] = {}
    misfit, roughness = np.empty(grid), np.empty(grid)
    for (i, j), start in _path(smoothness, sparsity, amounts):
        x = problem.solve((problem.hessian, problem.gradient), smoothness[i], sparsity[j], start)
        amounts[i, j] = x
        misfit[i, j] = problem.chi2(everything, x) / everything.size
        roughness[i, j] = float(x @ problem.penalty @ x)
    score = np.full(grid, np.nan)
    at = (0, 0)
    if choice == "abic":
        at = int(np.argmin(_abic(problem, smoothness))), int(np.argmin(sparsity))
    elif not fixed:
        scores = _cross_validation(problem, smoothness, sparsity, wanted)
        score = scores.mean(axis=0)
        at = _best(scores, smoothness, sparsity, wanted.get("rule") or "minimum")
    return Choice(smoothness, sparsity, score, misfit, roughness, float(smoothness[at[0]]),
                  float(sparsity[at[1]])), amounts[at]


def _path(smoothness: Array, sparsity: Array, amounts: dict[tuple[int, int], Array]
          ) -> Iterator[tuple[tuple[int, int], Array | None]]:
    """Weights from the strongest on, each with the answer of its neighbour to start from."""
    last: tuple[int, int] | None = None
    for i in np.argsort(-smoothness):
        for j in np.argsort(-sparsity):
            here = int(i), int(j)
            yield here, amounts[last] if last is not None else None
            last = here


def _default_choice(wanted: Mapping[str, Any]) -> str:
    """What only cross-validation has a meaning for asks for it."""
    given = wanted.get("sparsity")
    sparse = given is not None and np.any(np.asarray(given, dtype=np.float64) > 0.0)
    return "cross_validation" if wanted.get("folds") or sparse else "abic"


def _abic(problem: _Problem, smoothness: Array) -> Array:
    """Akaike's Bayesian information criterion of each smoothness, Gaussian (Yabuki and Matsu'ura
    1992, equation 26), up to a constant: (N + P - M) log s - P log w - log |R| + log |H + w R| with
    N observations, M unknowns, P the rank of R, s = |d - A x|^2 + w x'R x, and x without bounds.
    With fewer observations than unknowns x is the bounded solution, and R, H, M are those of the
    amounts within their bounds."""
    everything = np.ones(problem.design.data.size, dtype=bool)
    count, (hessian, gradient) = everything.size, (problem.hessian, problem.gradient)
    few = count < gradient.size
    criterion = np.empty(smoothness.size)
    for k, weight in enumerate(smoothness * problem.smoothness_unit):
        free = np.ones(gradient.size, dtype=bool)
        if few:
            x = problem.solve((hessian, gradient), smoothness[k], 0.0, None)
            free = (x > problem.low) & (x < problem.high)
            if not free.any():
                criterion[k] = count * math.log(problem.chi2(everything, x))
                continue
        penalty = problem.penalty[np.ix_(free, free)]
        both = hessian[np.ix_(free, free)] + weight * penalty
        if not few:
            x = np.linalg.solve(both, gradient)
        values = np.linalg.eigvalsh(penalty)
        values = values[values > 1e-12 * max(0.0, values.max()) * values.size]
        s = problem.chi2(everything, x) + weight * float(x @ problem.penalty @ x)
        criterion[k] = ((count + values.size - both.shape[0]) * math.log(s)
                        - values.size * math.log(weight) - np.log(values).sum()
                        + np.linalg.slogdet(both)[1])
    return criterion


def _cross_validation(problem: _Problem, smoothness: Array, sparsity: Array,
                      wanted: Mapping[str, Any]) -> Array:
    """[fold][smoothness][sparsity]: chi2 per observation of the fold's stations by slip from the
    others, times the fold's share, so that the mean over folds is that over observations."""
    stations = problem.design.station
    count = int(wanted.get("folds") or 5)
    n_stations = len(set(stations))
    if not 2 <= count <= n_stations:
        invalid("regularisation.folds", f"must be 2..{n_stations}, the stations, got {count}")
    folds = folds_of_stations(stations, count, int(wanted.get("seed") or 1))
    scores = np.empty((count, smoothness.size, sparsity.size))
    for fold in range(count):
        left_out = folds == fold
        out = problem.normal(left_out)
        rest = problem.hessian - out[0], problem.gradient - out[1]
        amounts: dict[tuple[int, int], Array] = {}
        for (i, j), start in _path(smoothness, sparsity, amounts):
            amounts[i, j] = problem.solve(rest, smoothness[i], sparsity[j], start)
            scores[fold, i, j] = (problem.chi2(left_out, amounts[i, j]) * count / folds.size)
    return scores


def _best(scores: Array, smoothness: Array, sparsity: Array, rule: str) -> tuple[int, int]:
    """The least score; by one_standard_error the smoothest, then sparsest within its error."""
    mean = scores.mean(axis=0)
    at = np.unravel_index(int(np.argmin(mean)), mean.shape)
    if rule == "minimum":
        return int(at[0]), int(at[1])
    if rule != "one_standard_error":
        invalid("regularisation.rule", f"must be minimum or one_standard_error, got '{rule}'")
    error = float(scores[:, at[0], at[1]].std(ddof=1)) / math.sqrt(len(scores))
    near = np.argwhere(mean <= mean[at] + error)
    best = max(near, key=lambda ij: (smoothness[ij[0]], sparsity[ij[1]]))
    return int(best[0]), int(best[1])


def _result(dataset: Dataset, sources: npt.NDArray[np.int64], sets: list[Rows], problem: _Problem,
            choice: Choice, amounts: Array) -> Inversion:
    design, n = problem.design, len(sources)
    matrix = (problem.hessian + choice.chosen_smoothness * problem.smoothness_unit
              * problem.penalty)
    covariance = np.linalg.pinv(matrix, hermitian=True)
    resolution = np.einsum("ij,ji->i", covariance[:n], problem.hessian[:, :n])
    predicted = design.matrix @ amounts * design.sigma
    patches = dataset.patches
    places = {"patch_lon": patches.lon, "patch_lat": patches.lat, "patch_depth": patches.depth,
              "strike": patches.strike, "dip": patches.dip, "rake": patches.rake,
              "patch_area": patches.area, "potency": patches.potency,
              "rigidity": patches.rigidity, "outline_lon": patches.outline_lon,
              "outline_lat": patches.outline_lat}
    data = {}
    for rows, part in zip(sets, design.slices):
        station = np.asarray(rows.place)
        data[rows.name] = DataSet(
            rows.name, rows.station, tuple(COMPONENTS[c] for c in rows.component),
            dataset.stations.lon[station], dataset.stations.lat[station], rows.epoch,
            rows.observed, predicted[part], rows.sigma, rows.observed - predicted[part])

    def of_all(values: Array, other: float) -> Array:
        """[window][source]; what was not unknown has the other value."""
        result = np.full((1, len(dataset.sources)), other)
        result[0, sources] = values
        return result

    result = Inversion(of_all(amounts[:n], 0.0),
                       of_all(np.sqrt(np.maximum(np.diag(covariance)[:n], 0.0)), 0.0),
                       of_all(resolution, math.nan), tuple(dataset.sources.id), ("coseismic",),
                       places, data, choice, math.nan)
    return _with_magnitude(result)


def _with_magnitude(result: Inversion) -> Inversion:
    """Mw = (log10 M0 - 9.1) / 1.5, M0 the sum over patches of the slip vector's moment."""
    first, amount, _ = result.slip_vectors()
    unit = (result.places["rigidity"] * result.places["potency"])[first]
    moment = float(np.nansum(unit * amount))
    magnitude = (math.log10(moment) - 9.1) / 1.5 if moment > 0.0 else math.nan
    return dataclasses.replace(result, moment_magnitude=magnitude)
