# SPDX-License-Identifier: BSD-3-Clause
"""`kaname data geometry`: tables of motion to the posterior of a rectangle, dike or point, and its best plane."""
from __future__ import annotations

import argparse
import json
import pathlib
import time

import numpy as np

from ...errors import invalid
from ..._progress import ProgressLine
from ..._shown import say
from ..insar.points import check_name, refuse_present
from ..words import Parser
from .fit import Geometry, fit
from .layers_file import read_layers
from .result import request, stations_csv, summary, unit_of, write_samples
from .tables import Table, read_table

KINDS = ("rectangle", "dike", "point")
_LENGTHS = {"_km": ("_m", 1e3), "_m": ("_m", 1.0), "_deg": ("_deg", 1.0)}
_EXIT_NOT_CONVERGED = 4
_RIGIDITY_GPA = 30.0


def parser() -> argparse.ArgumentParser:
    """Returns the options."""
    made = Parser(prog="kaname data geometry", description="Samples which rectangle, dike or point in an elastic "
                   "half-space, or in flat layers, moved the ground (docs/user/geometry.md).")
    made.add_argument("tables", nargs="+", metavar="TABLE", help="as of kaname invert: east, north, up, or los with a look")
    made.add_argument("-o", "--output", metavar="DIR", default="geometry", help="folder (default geometry)")
    made.add_argument("--source", choices=KINDS, default="rectangle", help="default: rectangle")
    made.add_argument("--covariance", nargs="+", default=[], metavar="FILE",
                      help="of the tables in their order; - for one without")
    made.add_argument("--sigma-m", type=float, metavar="S", help="standard deviation of rows without one, of rates m/year")
    made.add_argument("--ramp", action="store_true", help="of los tables two slopes are estimated beside an offset")
    made.add_argument("--range", action="append", default=[], metavar="KEY=LOW:HIGH",
                      help="of a parameter a priori, again for others: strike_deg, dip_deg, top_depth_km, length_km, width_km, depth_km, "
                           "east_km, north_km (of its middle, from that of the data)")
    made.add_argument("--largest", type=float, metavar="A",
                      help="standard deviation of slip or opening a priori [m], of a point's volume [m3] (default 10, 1e9)")
    made.add_argument("--poisson", type=float, metavar="N", help="Poisson's ratio (default 0.25)")
    made.add_argument("--rigidity-gpa", type=float, metavar="MU", help="for the moment (default 30)")
    made.add_argument("--layers", metavar="FILE", help="flat layers in place of the half-space: a request with "
                      "structure.materials and structure.layers (YAML); sampling takes ten times as long")
    made.add_argument("--steps", type=int, default=8000, metavar="N", help="of each walker at most (default 8000)")
    made.add_argument("--seed", type=int, default=1, metavar="K", help="the same samples again (default 1)")
    made.add_argument("--enlarge", type=float, default=1.5, metavar="F",
                      help="length and width of the request's plane by this (default 1.5)")
    made.add_argument("--force", action="store_true", help="replace files that are there")
    made.add_argument("--no-picture", action="store_true", help="leave out geometry.png")
    made.add_argument("--json", action="store_true", help="JSON to standard output")
    return made


def main(words: list[str]) -> int:
    """Runs the command; raises Error with field, value and rule. Returns 4 where the samples have not converged."""
    options = parser().parse_args(words)
    began = time.monotonic()
    _check(options)
    folder = pathlib.Path(options.output)
    name = check_name(folder.name.lower().replace("_", "-") or "geometry")
    paths = {"samples": folder / "geometry.h5"}
    if not options.no_picture:
        paths["picture"] = folder / "geometry.png"
    if options.source == "rectangle":
        paths |= {"request": folder / "greens.yaml", "stations": folder / "stations.csv"}
    refuse_present(paths.values(), options.force)
    tables = _tables(options)
    layers = None if options.layers is None else read_layers(options.layers)
    rigidity_pa = 1e9 * (options.rigidity_gpa or _RIGIDITY_GPA)
    with ProgressLine("geometry") as line:
        found = fit(tables, options.source, ranges=_ranges(options), amount_sigma=options.largest,
                    poisson=0.25 if options.poisson is None else options.poisson, rigidity_pa=rigidity_pa,
                    layers=layers, steps=options.steps, seed=options.seed,
                    told=lambda part, effective: line.show(part, f"{effective:.0f} effective samples"))
    folder.mkdir(parents=True, exist_ok=True)
    write_samples(found, paths["samples"])
    if "picture" in paths:
        from . import picture

        picture.save(found, paths["picture"])
    if "request" in paths:
        paths["stations"].write_text(stations_csv(found), encoding="utf-8")
        paths["request"].write_text(request(found, name, paths["stations"].name, options.enlarge,
                                            rigidity_pa), encoding="utf-8")
    _report(options, found, paths, time.monotonic() - began)
    return 0 if found.converged else _EXIT_NOT_CONVERGED


def _check(options: argparse.Namespace) -> None:
    for key, low, high in (("poisson", 0.0, 0.499), ("rigidity_gpa", 1e-3, 1e4), ("enlarge", 1.0, 10.0),
                           ("steps", 400, 1_000_000), ("sigma_m", 1e-9, 1e3), ("largest", 1e-6, 1e15),
                           ("seed", 0, 2**63)):
        value = getattr(options, key)
        if value is not None and not low <= value <= high:
            invalid(f"--{key.replace('_', '-')}", f"must be {low:g} to {high:g}, got {value:g}")
    for key in ("poisson", "rigidity_gpa"):
        if options.layers is not None and getattr(options, key) is not None:
            invalid(f"--{key.replace('_', '-')}", "must be left out with --layers, which have their own moduli")
    if options.covariance and len(options.covariance) != len(options.tables):
        invalid("--covariance", f"must name a file (or -) for each of {len(options.tables)} tables, got "
                                f"{len(options.covariance)}")
    names = [pathlib.Path(t).stem for t in options.tables]
    if len(set(names)) < len(names):
        invalid("TABLE", f"must have different names, got {', '.join(names)}")


def _ranges(options: argparse.Namespace) -> dict[str, tuple[float, float]]:
    ranges = {}
    for word in options.range:
        key, _, text = word.partition("=")
        ending = next((e for e in _LENGTHS if key.endswith(e)), None)
        try:
            low, high = (float(part) for part in text.split(":"))
        except ValueError:
            invalid(f"--range {key}", f"must be KEY=LOW:HIGH, got '{word}'")
        if ending is None:
            invalid(f"--range {key}", "must end in _deg, _km or _m")
        canonical, factor = _LENGTHS[ending]
        low, high = low * factor, high * factor
        name = key.removesuffix(ending) + canonical
        ends = {"dip_deg": (0.1, 90.0), "strike_deg": (-360.0, 720.0)}.get(
            name, (-1e7 if name in ("east_m", "north_m") else 0.0, 1e7))
        if not (ends[0] <= low < high <= ends[1]):
            invalid(f"--range {key}", f"must rise within {ends[0] / factor:g} to {ends[1] / factor:g}, got {text}")
        ranges[name] = (low, high)
    return ranges


def _tables(options: argparse.Namespace) -> list[Table]:
    covariances = options.covariance or ["-"] * len(options.tables)
    return [read_table(pathlib.Path(table), None if covariance == "-" else pathlib.Path(covariance), options.sigma_m,
                       options.ramp) for table, covariance in zip(options.tables, covariances)]


def _text(name: str, values: np.ndarray) -> tuple[str, list[str]]:  # type: ignore[type-arg]
    """Returns the name and numbers as people read them: lengths in km."""
    long = unit_of(name) == "m" and not name.endswith(("slip_m", "opening_m"))
    shown = name.removesuffix("_m") + "_km" if long else name
    return shown, [f"{v:.4g}" for v in (1e-3 * values if long else values)]


def _report(options: argparse.Namespace, found: Geometry, paths: dict[str, pathlib.Path], seconds: float) -> None:
    if options.json:
        say(json.dumps({**summary(found), "files": {k: str(p) for k, p in paths.items()}, "seconds": round(seconds, 3)},
                       indent=2))
        return
    say(f"{found.source.kind} in {found.source.earth}, {sum(len(t) for t in found.tables)} values, {seconds:.0f} s")
    for table, reduction in zip(found.tables, found.variance_reduction):
        say(f"  {table.name}: {100.0 * reduction:.1f} % of the variance is explained")
    say(f"{'':18}{'best':>12}{'2.5 %':>12}{'median':>12}{'97.5 %':>12}")
    for name, quantiles in found.quantiles().items():
        if name in ("east_m", "north_m"):
            continue
        digits = ("lon_deg", "lat_deg")
        values = np.array([found.best[name], quantiles[0], quantiles[2], quantiles[4]])
        shown, texts = _text(name, values)
        if name.endswith(digits):
            texts = [f"{v:.4f}" for v in values]
        say(f"{shown:18}" + "".join(f"{text:>12}" for text in texts))
    least = min(found.effective, key=lambda k: found.effective[k])
    say(f"least effective samples {found.effective[least]:.0f} ({least}), largest R-hat {max(found.r_hat.values()):.3f}"
        + ("" if found.converged else ": not converged; give more --steps or narrower --range"))
    for parameter in found.source.parameters:
        _say_edge(found, parameter.name, parameter.low, parameter.high, parameter.period)
    for path in paths.values():
        say(f"{path}")
    if "request" in paths:
        say(f"next: kaname run {paths['request']} --output greens")


def _say_edge(found: Geometry, name: str, low: float, high: float, period: float | None) -> None:
    """Warns where the prior's end, not the data, ends a parameter."""
    if period is not None or (name == "top_depth_m" and low == 0.0):
        return
    values = found.samples[name]
    for end, text in ((low, "lower"), (high, "upper")):
        if np.mean(np.abs(values - end) < 0.02 * (high - low)) > 0.1:
            shown, texts = _text(name, np.array([end]))
            say(f"warning: {shown}: the {text} end of its range, {texts[0]}, holds it; the data may not determine it")
