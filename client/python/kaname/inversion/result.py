# SPDX-License-Identifier: BSD-3-Clause
"""What an inversion gives: inversion.h5 in memory."""
from __future__ import annotations

import json
import os
import pathlib
from dataclasses import dataclass, field, replace
from typing import Any, Callable, Sequence

import h5py
import numpy as np
import numpy.typing as npt

from ..dataset import texts
from ..errors import Error
from ..plotting.self_contained import open_file

Array = npt.NDArray[np.float64]

PLACES = ("patch_lon", "patch_lat", "patch_depth", "strike", "dip", "rake", "patch_area",
          "potency", "rigidity")
OUTLINES = ("outline_lon", "outline_lat")
ROWS = ("lon", "lat", "epoch", "observed", "predicted", "sigma", "residual")
SCORES = ("score", "misfit", "roughness")
_UNITS = {"patch_lon": "degrees_east", "patch_lat": "degrees_north", "outline_lon": "degrees_east",
          "outline_lat": "degrees_north", "lon": "degrees_east", "lat": "degrees_north",
          "patch_depth": "m", "strike": "degree", "dip": "degree", "rake": "degree",
          "patch_area": "m2", "potency": "m3", "rigidity": "Pa", "epoch": "s", "observed": "m",
          "predicted": "m", "sigma": "m", "residual": "m", "model_error": "m", "slip": "m",
          "slip_sigma": "m",
          "resolution_diagonal": "1"}


@dataclass(frozen=True)
class DataSet:
    """Observations of one set; arrays are [row], a row per station, component and epoch.

    ``observed``, ``predicted``, ``sigma``, ``residual`` (observed less predicted) in m, of
    velocities m per year; ``epoch`` in s; ``lon``, ``lat`` in degrees. ``model_error``: standard
    deviation of the errors of the structure, which ``sigma`` has not; None without
    ``model_errors``."""

    name: str
    station: tuple[str, ...]
    component: tuple[str, ...]
    lon: Array
    lat: Array
    epoch: Array
    observed: Array
    predicted: Array
    sigma: Array
    residual: Array
    model_error: Array | None = None

    def rows(self, component: str) -> npt.NDArray[np.int64]:
        """Indices of the rows of one component, "east" say."""
        return np.flatnonzero(np.array(self.component) == component)

    @property
    def chi2(self) -> float:
        """Mean square of residuals over their standard deviations."""
        return float(np.mean((self.residual / self.sigma) ** 2))

    @property
    def rms(self) -> float:
        """Root of the mean square of the residuals [m]."""
        return float(np.sqrt(np.mean(self.residual**2)))


@dataclass(frozen=True)
class Choice:
    """The weights that were tried, and what came of them: [smoothness][sparsity].

    ``score``: of observations that were left out, mean square over standard deviations (or the
    score of another choice); ``misfit``: the same of all, used to fit; ``roughness``: |L m|^2. NaN
    where it was not computed."""

    smoothness: Array
    sparsity: Array
    score: Array
    misfit: Array
    roughness: Array
    chosen_smoothness: float
    chosen_sparsity: float

    @property
    def chosen(self) -> tuple[int, int]:
        """Indices of the weights that were taken."""
        return (int(np.argmin(np.abs(self.smoothness - self.chosen_smoothness))),
                int(np.argmin(np.abs(self.sparsity - self.chosen_sparsity))))


@dataclass(frozen=True)
class Posterior:
    """Slip as its posterior has it (``posterior:`` of the request).

    Attributes
    ----------
    quantile : array
        Parts of the draws below the quantiles: 0.025, 0.16, 0.5, 0.84, 0.975.
    slip : array [quantile][window][source], m
    probability : array [window][patch]
        That the patch slips more than ``level`` [window], m.
    moment : array [quantile][window], N m
    draws : dict
        ``slip`` [chain][draw][window][source], ``moment``, ``sigma``, ``length``, ``roughness``
        [chain][draw][window], ``factor`` [chain][draw][set], where viscosities were sampled
        ``theta`` [chain][draw][theta] in Pa s: as arviz.from_dict(posterior=...) takes them.
    viscosity : dict
        Quantiles [quantile] of each viscosity that was sampled, Pa s.
    interpolation_error, certified_error : float
        Of the responses to these: rms at the data over their standard deviations; bound of the
        reduced model's error over the largest change. NaN without viscosities.
    effective, r_hat : dict
        Effective samples and split R-hat of each amount, moment and hyperparameter, by its name.
    """

    quantile: Array
    slip: Array
    probability: Array
    level: Array
    moment: Array
    draws: dict[str, Array]
    effective: dict[str, float]
    r_hat: dict[str, float]
    viscosity: dict[str, Array] = field(default_factory=dict)
    interpolation_error: float = np.nan
    certified_error: float = np.nan

    @classmethod
    def _of(cls, group: Any) -> Posterior:
        def diagnosed(what: str) -> dict[str, float]:
            return {name: float(value) for kind in ("amount", "number")
                    for name, value in zip(texts(group[kind][:]), group[f"{what}_{kind}"][:])}

        def values(name: str) -> Array:
            return np.asarray(group[name][...], dtype=np.float64)

        draws = {name: values(f"{name}_draws")
                 for name in ("slip", "moment", "sigma", "length", "roughness", "factor")}
        theta: dict[str, Any] = {}
        if "theta" in group:
            draws["theta"] = values("theta_draws")
            theta = {"viscosity": dict(zip(texts(group["theta"][:]), values("viscosity").T)),
                     "interpolation_error": float(group["interpolation_error"][()]),
                     "certified_error": float(group["certified_error"][()])}
        return cls(quantile=values("quantile"), slip=values("slip"),
                   probability=values("probability"), level=values("level"),
                   moment=values("moment"), draws=draws, effective=diagnosed("effective"),
                   r_hat=diagnosed("r_hat"), **theta)


@dataclass(frozen=True)
class History:
    """Slip whose rate varies in steps of time (a window of kind ``history``).

    Attributes
    ----------
    edge : array [step + 1], s
        When steps begin and end.
    slip_rate, slip_rate_sigma : array [step][source], m per year
        Standard deviations are by errors and prior, without bounds.
    slip : array [step + 1][source], m
        Since the first edge.
    moment_rate, moment_rate_sigma : array [step], N m per year
    moment, moment_sigma : array [step + 1], N m
    terms : dict
        Of each series, ``"set/station/component"``, its terms by name, as ``offset_m``.
    """

    edge: Array
    slip_rate: Array
    slip_rate_sigma: Array
    slip: Array
    moment_rate: Array
    moment_rate_sigma: Array
    moment: Array
    moment_sigma: Array
    terms: dict[str, dict[str, float]]

    @classmethod
    def _of(cls, group: Any) -> History:
        names = texts(group["term"][:])
        terms = {series: {name: float(value) for name, value in zip(names, row)
                          if np.isfinite(value)}
                 for series, row in zip(texts(group["series"][:]), group["term_value"][...])}
        arrays = {name: np.asarray(group[name][...], dtype=np.float64)
                  for name in ("edge", "slip_rate", "slip_rate_sigma", "slip", "moment_rate",
                               "moment_rate_sigma", "moment", "moment_sigma")}
        return cls(**arrays, terms=terms)


@dataclass(frozen=True)
class Inversion:
    """Slip on patches.

    Attributes
    ----------
    slip, slip_sigma, resolution_diagonal : array [window][source]
        m (m per year of a steady window); standard deviation of the posterior without bounds;
        diagonal of the resolution matrix, 1 where the data alone decide.
    source, window : tuple of str
    places : dict
        ``patch_lon``, ``patch_lat`` [degrees], ``patch_depth`` [m], ``strike``, ``dip``, ``rake``
        [degrees], ``patch_area`` [m2], ``potency`` [m3], ``rigidity`` [Pa]: array [source];
        ``outline_lon``, ``outline_lat``: array [source][corner].
    data : dict of DataSet
    choice : Choice
    moment_magnitude : float
    report : dict
        What `kaname invert` reported (``InversionReport`` of proto/kaname/v1/inversion.proto);
        empty of an inversion that numpy made.
    posterior : Posterior or None
        Where the request asked for it. ``write`` leaves it out.
    history : History or None
        Of a window of kind ``history``, whose ``slip`` is that at its end. ``write`` leaves it out.
    """

    slip: Array
    slip_sigma: Array
    resolution_diagonal: Array
    source: tuple[str, ...]
    window: tuple[str, ...]
    places: dict[str, Array]
    data: dict[str, DataSet]
    choice: Choice
    moment_magnitude: float
    report: dict[str, Any] = field(default_factory=dict)
    posterior: Posterior | None = None
    history: History | None = None

    def __repr__(self) -> str:
        rows = sum(len(d.station) for d in self.data.values())
        return (f"<kaname.Inversion: {len(self.source)} sources, {rows} observations, "
                f"Mw {self.moment_magnitude:.2f}>")

    def slip_vectors(self, window: int = 0) -> tuple[list[int], Array, Array]:
        """Slip of patches that have several components, as one.

        Returns
        -------
        sources : list of int
            First source of each patch.
        amount : array [patch], m
        rake : array [patch], degrees
        """
        rake = np.radians(self.places["rake"])
        parts = np.column_stack([np.cos(rake), np.sin(rake)]) * self.slip[window][:, None]
        order: dict[str, int] = {}
        for index, name in enumerate(self.source):
            order.setdefault(name.rsplit("/", 1)[0], index)
        first = list(order.values())
        sums = {name: np.zeros(2) for name in order}
        for name, part in zip(self.source, parts):
            sums[name.rsplit("/", 1)[0]] += part
        vectors = np.array(list(sums.values()))
        return (first, np.hypot(vectors[:, 0], vectors[:, 1]),
                np.degrees(np.arctan2(vectors[:, 1], vectors[:, 0])))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Inversion:
        """From inversion.h5. Raises NotFound, InvalidArgument."""
        try:
            with open_file(path) as file:
                return cls._of(file)
        except FileNotFoundError:
            raise Error("NotFound", f"{path} is not there") from None
        except (OSError, KeyError, ValueError) as error:
            raise Error("InvalidArgument", f"{path} must be an inversion of Kaname: {error}"
                        ) from error

    @classmethod
    def _of(cls, file: Any) -> Inversion:
        def numbers(group: Any, name: str, shape: Sequence[int]) -> Array:
            if name not in group:
                return np.full(shape, np.nan)
            return np.asarray(group[name][...], dtype=np.float64)

        slip = np.asarray(file["slip"][...], dtype=np.float64)
        n = slip.shape[1]
        places = {name: numbers(file, name, (n,)) for name in PLACES}
        places.update({name: numbers(file, name, (n, 4)) for name in OUTLINES})
        data = {}
        for name, group in file["data"].items():
            rows = len(group["station"])
            data[name] = DataSet(name, texts(group["station"][:]), texts(group["component"][:]),
                                 *(numbers(group, key, (rows,)) for key in ROWS))
            if "model_error" in group:
                data[name] = replace(data[name], model_error=numbers(group, "model_error", (rows,)))
        group = file["choice"]
        smoothness, sparsity = (np.atleast_1d(group[key][...]).astype(np.float64)
                                for key in ("smoothness", "sparsity"))
        grid = (smoothness.size, sparsity.size)
        # Where the attributes stand is the writer's: in the group or in the root.
        found = {**file.attrs, **group.attrs}
        score, misfit, roughness = (numbers(group, key, grid) for key in SCORES)
        choice = Choice(smoothness, sparsity, score, misfit, roughness,
                        float(found["chosen_smoothness"]), float(found["chosen_sparsity"]))
        report = json.loads(file.attrs.get("report", "{}"))
        return cls(slip, numbers(file, "slip_sigma", slip.shape),
                   numbers(file, "resolution_diagonal", slip.shape), texts(file["source"][:]),
                   texts(file["window"][:]), places, data, choice,
                   float(found["moment_magnitude"]), report,
                   Posterior._of(file["posterior"]) if "posterior" in file else None,
                   History._of(file["history"]) if "history" in file else None)

    def write(self, path: str | os.PathLike[str], force: bool = False) -> pathlib.Path:
        """As inversion.h5, which netCDF-4 readers open. Raises Conflict when a file is there."""
        return self._file(path, force, self._write)

    def _file(self, path: str | os.PathLike[str], force: bool,
              fill: Callable[[Any], None]) -> pathlib.Path:
        target = pathlib.Path(path)
        if target.exists() and not force:
            raise Error("Conflict", f"path must not replace '{target}'; name another place, or "
                                    "give force")
        part = target.with_name(target.name + ".part")
        try:
            with h5py.File(part, "w") as file:
                fill(file)
            part.replace(target)
        except OSError as error:
            part.unlink(missing_ok=True)
            raise Error("Unavailable", f"{target}: cannot be written: {error}") from error
        return target

    def write_arviz(self, path: str | os.PathLike[str], force: bool = False) -> pathlib.Path:
        """The draws of the posterior as a file of ArviZ (``arviz.from_netcdf``): groups
        ``posterior`` and ``sample_stats`` over ``chain`` and ``draw``. Draws are those that
        inversion.h5 keeps, after the discarded ones. Raises NotFound without a posterior, Conflict
        when a file is there."""
        if self.posterior is None:
            raise Error("NotFound", "posterior must have been asked for; there are no draws")
        draws = self.posterior.draws
        axes: dict[str, tuple[str, ...]] = {"slip": ("window", "source"), "factor": ("set",),
                                            "theta": ("viscosity",)}
        names: dict[str, Sequence[str]] = {
            "window": self.window, "source": self.source, "set": tuple(self.data),
            "viscosity": tuple(self.posterior.viscosity)}

        def fill(file: Any) -> None:
            file.attrs["inference_library"] = "kaname"
            tuning = np.zeros(draws["moment"].shape[:2], dtype=np.int8)
            groups: dict[str, dict[str, Any]] = {"posterior": dict(draws),
                                                 "sample_stats": {"tuning": tuning}}
            for group, variables in groups.items():
                of = file.create_group(group)
                dimensions: dict[str, Any] = {
                    name: np.arange(size) for name, size in
                    zip(("chain", "draw"), draws["moment"].shape)}
                of_each = {name: ("chain", "draw", *axes.get(name, ("window",)))[:values.ndim]
                           for name, values in variables.items()}
                dimensions.update({name: list(names[name]) for used in of_each.values()
                                   for name in used if name in names})
                for name, values in dimensions.items():
                    of[name] = values
                    of[name].make_scale(name)
                for name, values in variables.items():
                    of[name] = values
                    for axis, dimension in enumerate(of_each[name]):
                        of[name].dims[axis].attach_scale(of[dimension])

        return self._file(path, force, fill)

    def _write(self, file: Any) -> None:
        def scale(group: Any, name: str, values: Any) -> Any:
            group[name] = values
            group[name].make_scale(name)
            return group[name]

        def put(group: Any, name: str, values: Any, axes: Sequence[Any]) -> None:
            group[name] = values
            if name in _UNITS:
                group[name].attrs["units"] = _UNITS[name]
            for axis, of in enumerate(axes):
                group[name].dims[axis].attach_scale(of)

        window, source = scale(file, "window", list(self.window)), scale(
            file, "source", list(self.source))
        corner = scale(file, "corner", np.arange(4, dtype=np.int32))
        for name in ("slip", "slip_sigma", "resolution_diagonal"):
            put(file, name, getattr(self, name), (window, source))
        for name, values in self.places.items():
            put(file, name, values, (source, corner)[:values.ndim])
        for name, rows in self.data.items():
            group = file.create_group(f"data/{name}")
            row = scale(group, "row", np.arange(len(rows.station), dtype=np.int32))
            for key in ("station", "component", *ROWS):
                values = getattr(rows, key)
                put(group, key, list(values) if isinstance(values, tuple) else values, (row,))
            if rows.model_error is not None:
                put(group, "model_error", rows.model_error, (row,))
        group = file.create_group("choice")
        axes = [scale(group, key, getattr(self.choice, key)) for key in ("smoothness", "sparsity")]
        for key in SCORES:
            put(group, key, getattr(self.choice, key), axes)
        file.attrs["chosen_smoothness"] = self.choice.chosen_smoothness
        file.attrs["chosen_sparsity"] = self.choice.chosen_sparsity
        file.attrs["moment_magnitude"] = self.moment_magnitude
