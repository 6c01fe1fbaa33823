# SPDX-License-Identifier: BSD-3-Clause
"""`kaname data insar`: a raster to points, their covariance, a request of an inversion and a picture."""
from __future__ import annotations

import argparse
import json
import pathlib
import sys
import time
from typing import Any

import numpy as np

from ...errors import invalid
from ..._shown import say
from .. import view
from ..words import Parser
from . import adjust
from .at_stations import Stations
from .covariogram import MODELS, Covariogram
from .half_space import Plane
from .points import Points, check_name, name_of, refuse_present
from .raster import Raster
from .reading import Reading, read
from .reduction import reduce

_AREA = ("W", "E", "S", "N")


def parser() -> argparse.ArgumentParser:
    """Returns the options."""
    made = Parser(
        prog="kaname data insar", description="Reduces a raster of motion towards a satellite to points with "
        "covariance, for `kaname invert` (docs/user/insar.md).")
    made.add_argument("file", help="MintPy .h5, GMTSAR .grd, GeoTIFF, ISCE .vrt, kite .npz")
    made.add_output("set and its files; default: the file's")
    file = made.add_argument_group("what the file does not say")
    file.add_argument("--geometry", metavar="FILE", help="geometryGeo.h5 or geometryRadar.h5; default: beside it")
    file.add_argument("--look", nargs="+", default=[], metavar="FILE", help="E N U, or incidence and azimuth in one")
    file.add_argument("--incidence-deg", type=float, metavar="D", help="of the whole raster, from the vertical")
    file.add_argument("--heading-deg", type=float, metavar="D", help="of flight, clockwise from north; it looks right")
    file.add_argument("--angles", choices=("degrees", "radians"), default="degrees", help="in look files")
    file.add_argument("--turn-look", action="store_true", help="look files point from the satellite to the ground")
    file.add_argument("--orbit", choices=("ascending", "descending"), help="the look must fit it")
    file.add_argument("--unit", help="m, cm, mm, m/year, cm/year, mm/year or radian")
    file.add_argument("--wavelength-m", type=float, metavar="L", help="to turn radians into metres")
    file.add_argument("--dates", nargs=2, default=[], metavar="DAY", help="first and last of a series (YYYYMMDD)")
    file.add_argument("--variable", help="dataset of an HDF5 file")
    file.add_argument("--band", type=int, help="of a grid, from 1")
    area = made.add_argument_group("areas, in degrees: west east south north")
    area.add_argument("--bounds", nargs=4, type=float, metavar=_AREA, help="leave out all else")
    area.add_argument("--mask", metavar="FILE", help="leave out its pixels that are 0")
    area.add_argument("--reference", nargs=4, type=float, metavar=_AREA, help="its median becomes 0")
    area.add_argument("--deformation", nargs=4, type=float, metavar=_AREA, help="says nothing of the errors")
    area.add_argument("--ramp", action="store_true", help="subtract the plane that fits outside the deformation")
    points = made.add_argument_group("points")
    points.add_argument("--points", type=int, default=1000, metavar="N", help="at most (default 1000)")
    points.add_argument("--fault", metavar="FILE", help="reduce by the resolution of this plane: a request, or its keys")
    points.add_argument("--at", metavar="FILE", help="points at the stations of this greens.h5")
    points.add_argument("--threshold-mm", type=float, metavar="S", help="split cells whose values spread by more")
    points.add_argument("--resolution", type=float, metavar="R", help="split cells whose part is larger (default 0.05)")
    points.add_argument("--smallest", type=int, metavar="N", help="cell in pixels, a power of 2")
    points.add_argument("--largest", type=int, metavar="N", help="cell in pixels, a power of 2")
    points.add_argument("--fraction", type=float, default=0.5, help="of a cell's pixels with values (default 0.5)")
    points.add_argument("--nuisance", nargs="*", choices=("offset", "ramp"), default=["offset"],
                        help="estimated with the slip (default offset)")
    errors = made.add_argument_group("errors; default: from the pixels outside the deformation")
    errors.add_argument("--model", choices=MODELS, default="exponential", help="of their correlation")
    errors.add_argument("--noise-sigma-m", type=float, metavar="S", help="of correlated errors, of rates per year")
    errors.add_argument("--noise-length-km", type=float, metavar="L", help="of their correlation")
    errors.add_argument("--noise-nugget-m", type=float, metavar="S", help="of errors of single pixels (default 0)")
    return made


def main(words: list[str]) -> int:
    """Runs the command; raises Error with field, value and rule."""
    options = parser().parse_args(words)
    began = time.monotonic()
    name, folder, picture, shown = _place(options)
    raster = _raster(options)
    points = _points(options, raster, name)
    paths = {**points.write(folder, options.force, tuple(options.nuisance)), "view": shown}
    view.write(view.of_raster(raster, points), shown)
    if not options.no_picture:
        paths["picture"] = picture
        _draw(raster, points, picture)
    _report(options, raster, points, paths, time.monotonic() - began)
    return 0


def _place(options: argparse.Namespace) -> tuple[str, pathlib.Path, pathlib.Path, pathlib.Path]:
    """Returns name, folder and the paths of picture and view; refuses before long work what cannot be written."""
    name = check_name(options.name or name_of(options.file))
    folder = pathlib.Path(options.output or name)
    files = [folder / f"{name}{end}" for end in (".csv", "_covariance.csv", ".png", ".view.json")]
    refuse_present([*files, folder / "inversion.yaml"], options.force)
    return name, folder, files[2], files[3]


def _raster(options: argparse.Namespace) -> Raster:
    keys = ("geometry", "incidence_deg", "heading_deg", "angles", "turn_look", "orbit", "unit", "wavelength_m",
            "variable", "band", "mask")
    raster = read(options.file, Reading(look=tuple(options.look), dates=tuple(options.dates),
                                        **{key: getattr(options, key) for key in keys}))
    if options.bounds:
        raster = adjust.within(raster, options.bounds)
    if options.reference:
        raster = adjust.referenced(raster, options.reference)
    if options.ramp:
        raster = adjust.deramped(raster, _deformation(options, raster))
    return raster


def _deformation(options: argparse.Namespace, raster: Raster) -> Any:
    return adjust.inside(raster, options.deformation, "deformation") if options.deformation else None


def _points(options: argparse.Namespace, raster: Raster, name: str) -> Points:
    if options.fault and options.at:
        invalid("fault, at", "exclude each other; keep one")
    if options.threshold_mm is not None and options.resolution is not None:
        invalid("threshold_mm, resolution", "exclude each other; keep one")
    if options.resolution is not None and not options.fault:
        invalid("resolution", "must be given with --fault")
    if options.threshold_mm is not None and options.fault:
        invalid("threshold_mm", "must be given without --fault, whose threshold is --resolution")
    threshold = options.resolution if options.threshold_mm is None else 1e-3 * options.threshold_mm
    fault = Plane.of_file(pathlib.Path(options.fault)) if options.fault else None
    at = Stations.of_file(pathlib.Path(options.at)) if options.at else None
    method = "resolution" if fault else "stations" if at else "variance"
    return reduce(raster, options.points, method, fault=fault, at=at, threshold=threshold, smallest=options.smallest,
                  largest=options.largest, fraction=options.fraction, deformation=_deformation(options, raster),
                  model=options.model, covariogram=_covariogram(options), name=name)


def _covariogram(options: argparse.Namespace) -> Covariogram | None:
    given = {key: getattr(options, key) for key in ("noise_sigma_m", "noise_length_km", "noise_nugget_m")}
    if all(value is None for value in given.values()):
        return None
    for key in ("noise_sigma_m", "noise_length_km"):
        if given[key] is None:
            invalid(key, "must be given with the others of the errors")
    for key, value in given.items():
        if value is not None and not (np.isfinite(value) and (value > 0.0 or key == "noise_nugget_m" and value == 0.0)):
            invalid(key, f"must be > 0, got {value:g}")
    return Covariogram(options.model, given["noise_sigma_m"] ** 2, 1e3 * given["noise_length_km"],
                       (given["noise_nugget_m"] or 0.0) ** 2)


def _draw(raster: Raster, points: Points, path: pathlib.Path) -> None:
    from ...errors import need

    need("matplotlib", "python3-matplotlib", "a picture (else --no-picture)").use("Agg")
    from . import picture

    picture.save(raster, points, path)


def _report(options: argparse.Namespace, raster: Raster, points: Points, paths: dict[str, pathlib.Path], seconds: float
            ) -> None:
    model = points.covariogram
    assert model is not None
    sigma = points.sigma
    value = {"files": {key: str(path) for key, path in paths.items()}, "name": points.name, "points": len(points),
             "pixels": int(raster.valid.sum()), "unit": raster.unit, "sigma_smallest": float(sigma.min()),
             "sigma_largest": float(sigma.max()),
             "covariogram": {"model": model.model, "sill": model.sill, "length_m": model.length_m, "nugget": model.nugget},
             "notes": list(points.notes), "seconds": round(seconds, 3)}
    if options.json:
        say(json.dumps(value, indent=2))
        return
    say(f"{raster.name}: {value['pixels']} pixels become {len(points)} points of {int(points.size.min())} to "
        f"{int(points.size.max())} pixels a side, sigma {1e3 * sigma.min():.3g} to {1e3 * sigma.max():.3g} "
        f"{'mm/year' if raster.rate else 'mm'}, in {seconds:.1f} s")
    for note in points.notes:
        say(f"  {note}")
    for path in paths.values():
        say(f"{path}")
    greens = "" if points.greens else " --greens greens.h5"
    say(f"next: kaname invert {paths['request']}{greens} -o slip")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
