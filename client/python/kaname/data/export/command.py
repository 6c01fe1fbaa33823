# SPDX-License-Identifier: BSD-3-Clause
"""`kaname data export`: slip and motion of the ground as files of other programs."""
from __future__ import annotations

import argparse
import json
import os
import pathlib
import sys
from typing import Any, Callable

import numpy as np

from ...errors import Error
from ..._shown import say
from ..fault.shapes import refuse
from ..insar.points import refuse_present
from ..words import Parser
from . import dtopo, models, sdm, tdefnode
from .patches import read_slip

_ENDINGS = {"fsp": ".fsp", "param": ".param", "rupt": ".rupt", "gmt": ".gmt", "kml": ".kml", "sdm": ".dat",
            "sdm-patches": ".dat", "tdefnode": ".fa", "dtopo1": ".tt1", "dtopo3": ".tt3", "jagurs": ".grd"}


def parser() -> argparse.ArgumentParser:
    """Returns the options."""
    made = Parser(prog="kaname data export", description="Writes slip, or a scenario's motion of the ground, as files of "
                                                          "other programs (docs/user/export_slip.md).")
    made.add_argument("file", help="table of patches (slip.csv) or inversion.h5; greens.h5 of a scenario")
    made.add_argument("--to", choices=tuple(_ENDINGS), required=True)
    made.add_argument("-o", "--output", metavar="FILE", help="default: the name with the format's ending")
    made.add_argument("--force", action="store_true", help="replace a file that is there")
    made.add_argument("--json", action="store_true", help="JSON to standard output")
    slip = made.add_argument_group("slip")
    slip.add_argument("--title", help="of the event; default: the file's name")
    slip.add_argument("--mu-gpa", type=float, default=30.0, metavar="M", help="rigidity where the file has none (default 30)")
    slip.add_argument("--window", type=int, default=1, metavar="N", help="of an inversion (default 1)")
    slip.add_argument("--hypocentre", nargs=3, type=float, metavar=("LON", "LAT", "KM"), help="default: centre of the moment")
    ground = made.add_argument_group("motion of the ground")
    ground.add_argument("--spacing-arcsec", type=float, default=30.0, metavar="S", help="of the grid (default 30)")
    ground.add_argument("--bounds", nargs=4, type=float, metavar=("W", "E", "S", "N"), help="default: what moves by 1 cm")
    ground.add_argument("--epochs-years", nargs="+", type=float, metavar="Y", help="of the dataset; default: its first")
    ground.add_argument("--rise-s", type=float, metavar="T", help="one epoch comes up linearly in this time, from 0 on")
    ground.add_argument("--bathymetry", metavar="FILE", help="grid of elevation: horizontal motion of slopes is added")
    ground.add_argument("--bathymetry-down", action="store_true", help="its values are depths, positive down")
    return made


def main(words: list[str]) -> int:
    """Runs the command; raises Error with field, value and rule."""
    options = parser().parse_args(words)
    for key in ("mu_gpa", "spacing_arcsec", "rise_s"):
        value = getattr(options, key)
        if value is not None and not 0.0 < value < 1e7:
            refuse(key, "must be > 0", f"{value:g}")
    path = pathlib.Path(options.file)
    out = pathlib.Path(options.output or path.stem + _ENDINGS[options.to])
    refuse_present([out], options.force)
    facts = _ground(options, path, out) if options.to in ("dtopo1", "dtopo3", "jagurs") else _slip(options, path, out)
    if options.json:
        say(json.dumps({"file": str(out), **facts}, indent=2))
    else:
        say(facts["text"])
        say(str(out))
    return 0


def _slip(options: argparse.Namespace, path: pathlib.Path, out: pathlib.Path) -> dict[str, Any]:
    slip = read_slip(path, 1e9 * options.mu_gpa, options.window - 1)
    title = " ".join((options.title or slip.name).split())
    hypocentre: Any = tuple(options.hypocentre) if options.hypocentre else None
    writers: dict[str, Callable[[], str]] = {
        "fsp": lambda: models.fsp(slip, title, hypocentre), "param": lambda: models.param(slip, hypocentre),
        "rupt": lambda: models.rupt(slip), "gmt": lambda: models.gmt(slip), "kml": lambda: models.kml(slip, title),
        "sdm": lambda: sdm.slip_table(slip), "sdm-patches": lambda: sdm.patch_table(slip),
        "tdefnode": lambda: tdefnode.faults(slip)}
    text = writers[options.to]()
    with _complete(out) as part:
        part.write_text(text, encoding="utf-8")
    moment = float(slip.moment.sum())
    return {"patches": len(slip.patch), "segments": len(slip.segments()), "moment": moment, "magnitude": slip.magnitude,
            "text": f"{len(slip.patch)} patches, Mw {slip.magnitude:.2f} ({moment:.4g} N m), largest slip "
                    f"{slip.slip_m.max():.3g} m"}


def _ground(options: argparse.Namespace, path: pathlib.Path, out: pathlib.Path) -> dict[str, Any]:
    surface = dtopo.read_surface(path, tuple(options.epochs_years) if options.epochs_years else None)
    motion = dtopo.on_grid(surface, options.spacing_arcsec / 3600.0, tuple(options.bounds) if options.bounds else None)
    elevation = None
    if options.bathymetry:
        elevation = dtopo.read_elevation(pathlib.Path(options.bathymetry), motion, -1.0 if options.bathymetry_down else 1.0)
    dz, time = dtopo.lifted(motion, elevation), motion.epoch_s
    if options.rise_s is not None:
        if time.size != 1:
            refuse("rise_s", "must be given with one epoch", f"{time.size} epochs")
        dz, time = np.concatenate([np.zeros_like(dz), dz]), np.array([0.0, options.rise_s])
    if options.to == "jagurs":
        if time.size != 1:
            refuse("epochs_years, rise_s", "must leave one time, for a grid of JAGURS holds one", f"{time.size} times")
        with _complete(out) as part:
            dtopo.write_grid(part, motion, dz[0])
    else:
        with _complete(out) as part, open(part, "w", encoding="ascii") as file:
            (dtopo.write_type1 if options.to == "dtopo1" else dtopo.write_type3)(file, motion, time, dz)
    with_slopes = "" if elevation is None else ", with what horizontal motion of slopes adds"
    added = 0.0 if elevation is None else float(np.abs(dz[-1] - motion.up[-1]).max())
    return {"columns": motion.lon.size, "rows": motion.lat.size, "times_s": time.tolist(), "largest_m": float(dz.max()),
            "smallest_m": float(dz.min()), "largest_added_m": added,
            "text": f"{motion.lon.size} x {motion.lat.size} nodes, {time.size} time{'s' * (time.size > 1)}, "
                    f"{dz.min():.3g} to {dz.max():.3g} m"
                    f"{with_slopes}"}


class _complete:
    """Gives a path beside the file's place, which comes there when it is written."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path, self.part = path, path.with_name(path.name + ".part")

    def __enter__(self) -> pathlib.Path:
        return self.part

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is None:
            os.replace(self.part, self.path)
            return
        self.part.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise Error("Unavailable", f"{self.path}: cannot be written: {error.strerror}") from error


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
