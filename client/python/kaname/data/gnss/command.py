# SPDX-License-Identifier: BSD-3-Clause
"""`kaname data gnss PATH`: series and velocities in, tables of `kaname invert` out."""
from __future__ import annotations

import argparse
import csv
import json
import os
import pathlib
import sys
from typing import Any

import numpy as np

from ..._shown import say
from ...errors import Error, invalid
from .. import view
from ..words import Parser
from .fitting import LAWS, Fit, fit
from .reading import ENDINGS, Network, read
from .rows import day_of_iso_date, refuse, text_lines
from .tables import Table, motion_after, offsets, safe_name, summary, velocities, write_series
from .unr import read_steps


_MOST_EPOCHS = 2  # whose covariance has an inverse: step and relaxation are two numbers


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="kaname data gnss", description=(
        "Fits trajectories to series of GNSS stations and writes offsets or velocities as kaname invert takes them."))
    add = parser.add_argument
    add("path", metavar="PATH", help=f"file or folder of {' '.join(ENDINGS)}")
    add("-o", "--output", metavar="FILE", help="table to write: offsets with --offsets, else velocities")
    add("--offsets", metavar="DATE", action="append", default=[],
        help="earthquake (UTC), as 2011-03-11: a step of all stations; may be repeated, then each has a table")
    add("--epochs-days", metavar="T,T", help="with --law: motion at these days after the earthquake, not the step")
    add("--velocities", metavar="FILE", help="velocities beside the offsets")
    add("--covariance", metavar="FILE", help="covariance of the table's values, m^2, as `covariance` of a set of invert")
    add("--steps", metavar="FILE", help="steps of stations, as UNR's steps.txt")
    add("--law", choices=LAWS, default="", help="motion after earthquakes: log(1 + t/tau) or 1 - exp(-t/tau)")
    add("--relaxation-days", metavar="TAU", type=float, help="tau; default: the best of 13 from 1 to 1000")
    add("--spectral-index", metavar="K", default="ml", help="of power-law noise, -2 to 0; default ml: the most likely")
    add("--outliers", metavar="K", type=float, default=5.0, help="leave out epochs beyond K robust deviations; default 5")
    add("--common-mode", action="store_true", help="remove the stations' mean residual of each day")
    add("--no-antenna-steps", action="store_true", help="a change of antenna height is no step")
    add("--bin-days", metavar="N", type=int, help="widest bins that epochs are averaged in; default: span / 260; 1: none")
    add("--from", metavar="DATE", dest="begin", help="leave out epochs before")
    add("--to", metavar="DATE", dest="end", help="leave out epochs after")
    add("--only", metavar="A,B", help="these stations alone")
    add("--stations", metavar="FILE", help="table station,lon_deg,lat_deg of places, which .series files lack")
    add("--series", metavar="DIR", help="a table of every epoch for each station: model, residual, cleaned")
    add("--pictures", metavar="DIR", help="a picture of fit and residual for each station")
    add("--view", metavar="FILE", help="series with their fits for the view Data of the page, as NAME.view.json")
    add("--threads", metavar="N", type=int, help="stations at a time; default: processors")
    add("--force", action="store_true", help="replace files that are there")
    add("--json", action="store_true", help="one JSON object to standard output, with all terms of all stations")
    return parser


def main(words: list[str]) -> int:
    """Raises Error."""
    options = _parser().parse_args(words)
    spectral_index = _spectral_index(options.spectral_index)
    epochs = _epochs(options)
    if options.threads is not None and options.threads < 1:
        invalid("--threads", f"must be 1 or more, got '{options.threads}'")
    targets = _targets(options)
    steps = read_steps(options.steps) if options.steps else []
    network = read(options.path)
    _place(network, options.stations)
    _choose(network, options)
    if options.view and not network.series:
        invalid("--view", f"must come with series, of which {options.path} has none, got '{options.view}'")
    fits: dict[str, Fit] = {}
    if network.series:
        fits = fit(network, options.offsets, steps, options.law, options.relaxation_days, spectral_index,
                   options.outliers, options.common_mode, not options.no_antenna_steps, options.bin_days,
                   options.threads, _progress(options))
    if network.series and not fits:
        raise Error("InvalidArgument", "no station could be fitted:\n" + "\n".join(network.notes))
    written = _write(options, network, fits, targets, epochs)
    _tell(options, network, fits, written)
    return 0


def _spectral_index(text: str) -> float | str:
    if text == "ml":
        return text
    try:
        return float(text)
    except ValueError:
        invalid("--spectral-index", f"must be ml or -2 to 0, got '{text}'")


def _epochs(options: argparse.Namespace) -> list[float] | None:
    if options.epochs_days is None:
        return None
    if not options.law or not options.offsets:
        invalid("--epochs-days", f"must come with --law and --offsets, got '{options.epochs_days}'")
    try:
        days = [float(text) for text in options.epochs_days.split(",")]
    except ValueError:
        days = [-1.0]
    if not all(0.0 <= d <= 1e6 for d in days) or len(set(days)) < len(days):
        invalid("--epochs-days", f"must be different numbers from 0 to 1e6, with commas, got '{options.epochs_days}'")
    if options.covariance and len(days) > _MOST_EPOCHS:
        invalid("--epochs-days", f"must be at most {_MOST_EPOCHS} with --covariance, for motion at all days follows from "
                                 f"two numbers of a station, got '{options.epochs_days}'")
    return sorted(days)


def _with_date(path: str, date: str, several: bool) -> str:
    place = pathlib.Path(path)
    return str(place.with_name(f"{place.stem}_{date[:10]}{place.suffix}")) if several else path


def _targets(options: argparse.Namespace) -> list[str]:
    """Files to be written, none of which may be there without --force. Raises Conflict."""
    several = len(options.offsets) > 1
    if not (options.output or options.velocities or options.series or options.pictures or options.view or options.json):
        invalid("--output", "must be given, or --velocities, --series, --pictures, --view or --json, got ''")
    if options.covariance and not options.output:
        invalid("--covariance", f"must come with --output, got '{options.covariance}'")
    files: list[str] = []
    path: str
    folder: str
    for path in filter(None, (options.output, options.covariance)):
        files += [_with_date(path, date, several) for date in options.offsets] or [path]
    files += [path for path in (options.velocities, options.view) if path]
    for folder in filter(None, (options.series, options.pictures)):
        if os.path.isdir(folder) and os.listdir(folder) and not options.force:
            raise Error("Conflict", f"{folder} is there and not empty; --force writes into it")
    for path in files:
        if os.path.exists(path) and not (options.force and os.path.isfile(path)):
            raise Error("Conflict", f"{path} is there already; --force replaces it")
        if not os.path.isdir(os.path.dirname(path) or "."):
            raise Error("NotFound", f"{path}: its folder must be there, got '{os.path.dirname(path)}'")
    return files


def _place(network: Network, path: str | None) -> None:
    """Places of a table of stations for series that have none."""
    if path is None:
        return
    lines = [line for line in text_lines(path) if line.strip() and not line.lstrip().startswith("#")]
    table = csv.DictReader(lines)
    for column in ("station", "lon_deg", "lat_deg"):
        if column not in (table.fieldnames or ()):
            refuse(path, "columns", f"must have {column}", ",".join(table.fieldnames or ()))
    for row in table:
        series = network.series.get(row["station"])
        if series is None or np.isfinite(series.lon_deg):
            continue
        try:
            series.lon_deg, series.lat_deg = float(row["lon_deg"]), float(row["lat_deg"])
        except (TypeError, ValueError):
            refuse(path, f"station {row['station']}", "must have lon_deg and lat_deg", f"{row['lon_deg']},{row['lat_deg']}")
        if not (-360.0 <= series.lon_deg <= 360.0 and -90.0 <= series.lat_deg <= 90.0):
            refuse(path, f"station {row['station']}", "must lie within -360 to 360 and -90 to 90 degrees",
                   f"{row['lon_deg']},{row['lat_deg']}")


def _choose(network: Network, options: argparse.Namespace) -> None:
    """The stations and epochs that were asked for."""
    if options.only:
        names = options.only.split(",")
        known = set(network.series) | {s for t in network.velocities for s in t.station}
        for name in names:
            if name not in known:
                raise Error("NotFound", f"--only: must name a station of {options.path}, got '{name}'")
        network.series = {name: one for name, one in network.series.items() if name in names}
        for table in network.velocities:
            rows = [k for k, name in enumerate(table.station) if name in names]
            cells = np.array([[3 * k, 3 * k + 1, 3 * k + 2] for k in rows], dtype=int).ravel()
            table.station = [table.station[k] for k in rows]
            table.lon_deg, table.lat_deg, table.rate_m = table.lon_deg[rows], table.lat_deg[rows], table.rate_m[rows]
            table.covariance_m2 = table.covariance_m2[np.ix_(cells, cells)]
    limits = []
    for name, text, default in (("--from", options.begin, -np.inf), ("--to", options.end, np.inf)):
        day = default if text is None else day_of_iso_date(text)
        if day is None:
            invalid(name, f"must be a date as 2011-03-11, got '{text}'")
        limits.append(day)
    for name, one in list(network.series.items()):
        keep = (np.floor(one.mjd) >= limits[0]) & (np.floor(one.mjd) <= limits[1])
        if keep.all():
            continue
        if not keep.any():
            network.notes.append(f"{name}: left out: no epoch within --from and --to")
            del network.series[name]
            continue
        one.mjd, one.position_m = one.mjd[keep], one.position_m[keep] - one.position_m[keep][0]
        one.sigma_m, one.correlation = one.sigma_m[keep], one.correlation[keep]


def _progress(options: argparse.Namespace) -> Any:
    if options.json or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        return None

    def show(done: int, total: int) -> None:
        sys.stderr.write(f"\r{done} of {total} stations" + ("\n" if done == total else ""))
        sys.stderr.flush()

    return show


def _write(options: argparse.Namespace, network: Network, fits: dict[str, Fit], targets: list[str],
           epochs: list[float] | None) -> list[str]:
    tables: list[tuple[Table, str]] = []
    covariances: list[tuple[Table, str]] = []
    if options.output:
        several = len(options.offsets) > 1
        made = [(offsets(fits, date) if epochs is None else motion_after(fits, date, epochs), date)
                for date in options.offsets] or [(velocities(fits, network.velocities), "")]
        tables += [(table, _with_date(options.output, date, several)) for table, date in made]
        if options.covariance:
            covariances += [(table, _with_date(options.covariance, date, several)) for table, date in made]
    if options.velocities:
        tables.append((velocities(fits, network.velocities), options.velocities))
    written = list(targets)
    try:
        for table, path in tables:
            table.write(path)
        for table, path in covariances:
            table.write_covariance(path)
        if options.view:
            view.write(view.of_series(fits, pathlib.Path(options.path).resolve().name), options.view)
        if options.series:
            os.makedirs(options.series, exist_ok=True)
        if options.pictures:
            os.makedirs(options.pictures, exist_ok=True)
        for station, one in fits.items():
            if options.series:
                path = os.path.join(options.series, safe_name(station, ".csv"))
                write_series(one, path)
                written.append(path)
            if options.pictures:
                from .pictures import picture

                path = os.path.join(options.pictures, safe_name(station, ".png"))
                picture(one).savefig(path, dpi=120)
                written.append(path)
    except OSError as error:
        raise Error("Unavailable", f"{error.filename}: cannot be written: {error.strerror}") from error
    return written


def _tell(options: argparse.Namespace, network: Network, fits: dict[str, Fit], written: list[str]) -> None:
    files: list[dict[str, Any]] = [{"file": table.path, "stations": len(table.station), "notes": table.notes}
                                   for table in network.velocities]
    if options.json:
        say(json.dumps({"written": written, "stations": [summary(one) for one in fits.values()],
                        "velocities": files, "notes": network.notes}))
        return
    for note in network.notes:
        say(note, sys.stderr)
    for station, one in fits.items():
        if one.notes:
            say(f"{station}: {'; '.join(one.notes)}", sys.stderr)
    for table in files:
        for note in table["notes"]:
            say(f"{table['file']}: {note}", sys.stderr)
    for path in written:
        say(path)
