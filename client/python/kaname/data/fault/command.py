# SPDX-License-Identifier: BSD-3-Clause
"""`kaname data fault`: faults of a file to the blocks of YAML and the tables that requests take, and a picture."""
from __future__ import annotations

import argparse
import json
import pathlib
import sys
from typing import Any

from ..._shown import say
from ..insar.points import refuse_present
from ..words import Parser
from . import blocks
from .catalogue import chosen, read_mechanisms
from .shapes import DepthGrid, Rectangle, name_of, refuse, sampled
from .slab import lay_patches, read_slab
from .traces import read_traces
from .triangles import read_triangles

_AREA = ("W", "E", "S", "N")
_TRACES, _GRIDS, _EVENTS = (".geojson", ".json"), (".grd", ".nc"), (".ndk", ".xml", ".quakeml", ".qml")
_FLAT = 0.02  # of a surface's length: triangles that lie nearer to a plane than this become one


def parser() -> argparse.ArgumentParser:
    """Returns the options."""
    made = Parser(prog="kaname data fault", description="Makes the fault of a request of traces, triangles, moment "
                                                         "tensors or Slab2 (docs/user/fault_files.md).")
    made.add_argument("file", help="GeoJSON, csi triangles, GOCAD .ts, Gmsh .msh, .ndk, QuakeML, Slab2 _dep_ .grd")
    made.add_output()
    made.add_argument("--patch-km", type=float, metavar="L", help="side of patches; default: a quarter of a plane's width, "
                                                                  "20 of an interface")
    traces = made.add_argument_group("traces: in place of what the file says, or leaves out")
    traces.add_argument("--dip-deg", type=float, metavar="D")
    traces.add_argument("--dip-direction-deg", type=float, metavar="D", help="clockwise from north")
    traces.add_argument("--rake-deg", type=float, metavar="D", help="one source per patch, of this rake")
    traces.add_argument("--top-depth-km", type=float, metavar="Z")
    traces.add_argument("--bottom-depth-km", type=float, metavar="Z")
    traces.add_argument("--tolerance-km", type=float, default=2.0, metavar="L", help="of planes to the trace (default 2)")
    traces.add_argument("--only", nargs="+", default=[], metavar="WORD", help="faults whose names contain one of these")
    traces.add_argument("--bounds", nargs=4, type=float, default=[], metavar=_AREA, help="faults and nodes within, degrees")
    surfaces = made.add_argument_group("triangles and Slab2")
    surfaces.add_argument("--as", dest="kind", choices=("plane", "interface"), help="of triangles; default: what they are")
    surfaces.add_argument("--crs", metavar="EPSG:N", help="of places of triangles that are no degrees")
    surfaces.add_argument("--length-unit", choices=("m", "km"), help="of triangles' depths")
    surfaces.add_argument("--spacing-km", type=float, metavar="L", help="of the table of depths; default: a fifth of a patch")
    surfaces.add_argument("--min-depth-km", type=float, default=8.0, metavar="Z", help="of the interface (default 8)")
    surfaces.add_argument("--max-depth-km", type=float, metavar="Z", help="of the interface (default: 60, or its own)")
    events = made.add_argument_group("moment tensors")
    events.add_argument("--event", metavar="ID", help="of a file with several: its name, or how its time begins")
    events.add_argument("--mu-gpa", type=float, default=30.0, metavar="M", help="rigidity that slip is made of (default 30)")
    return made


def main(words: list[str]) -> int:
    """Runs the command; raises Error with field, value and rule."""
    options = parser().parse_args(words)
    for key in ("patch_km", "tolerance_km", "spacing_km", "mu_gpa", "max_depth_km"):
        value = getattr(options, key)
        if value is not None and not 0.0 < value < 1e6:
            refuse(key, "must be > 0", f"{value:g}")
    path = pathlib.Path(options.file)
    name = name_of(options.name or path.name.split(".")[0])
    folder = pathlib.Path(options.output or name)
    picture = folder / f"{name}.png"
    refuse_present([picture], options.force or options.no_picture)
    ending = path.suffix.lower()
    door = (_of_traces if ending in _TRACES else _of_slab if ending in _GRIDS else _of_mechanism if ending in _EVENTS
            else _of_triangles)
    files, facts, drawn = door(options, path, name)
    pairs = [(folder / key, text) for key, text in files.items()]
    blocks.write(pairs, [f"Made by kaname data fault of {path.name}."], options.force)
    paths = [str(p) for p, _ in pairs]
    if not options.no_picture:
        from ...errors import need

        need("matplotlib", "python3-matplotlib", "a picture (else --no-picture)").use("Agg")
        from . import picture as pictures

        pictures.save(pictures.draw(facts["title"], **drawn), picture)
        paths.append(str(picture))
    if options.json:
        say(json.dumps({"files": paths, **facts}, indent=2))
        return 0
    say(facts["title"])
    for note in facts["notes"]:
        say(f"  {note}")
    for one in paths:
        say(one)
    return 0


Made = tuple[dict[str, str], dict[str, Any], dict[str, Any]]


def _metres(km: float | None) -> float | None:
    return None if km is None else 1e3 * km


def _of_traces(options: argparse.Namespace, path: pathlib.Path, name: str) -> Made:
    given = {"dip_deg": options.dip_deg, "dip_direction_deg": options.dip_direction_deg, "rake_deg": options.rake_deg,
             "top_m": _metres(options.top_depth_km), "bottom_m": _metres(options.bottom_depth_km)}
    traces = read_traces(path, {key: value for key, value in given.items() if value is not None}, tuple(options.only),
                         tuple(options.bounds))
    taken: set[str] = set()
    planes = [plane for trace in traces for plane in trace.rectangles(1e3 * options.tolerance_km, taken)]
    notes = [_described(plane) for plane in planes[:40]]
    notes += [f"{trace.name}: no direction of dip; taken to the right of the line" for trace in traces
              if trace.dip_direction_deg is None and trace.dip_deg < 89.9]
    facts = {"title": f"{path.name}: {len(traces)} traces become {len(planes)} planes", "notes": notes,
             "planes": [_facts(plane) for plane in planes]}
    return ({f"{name}.yaml": blocks.fault_of_planes(planes, _metres(options.patch_km))}, facts,
            {"planes": planes, "traces": traces})


def _of_triangles(options: argparse.Namespace, path: pathlib.Path, name: str) -> Made:
    surface = read_triangles(path, options.crs, options.length_unit)
    plane, away = surface.rectangle()
    count = f"{path.name}: {len(surface.vertices)} triangles become"
    if options.kind == "plane" or options.kind is None and away <= _FLAT * plane.length_m:
        rectangle = Rectangle(name, plane.lon, plane.lat, plane.top_depth_m, plane.strike_deg, plane.dip_deg, plane.length_m,
                              plane.width_m, options.rake_deg)
        facts = {"title": f"{count} a plane", "planes": [_facts(rectangle)],
                 "notes": [_described(rectangle), f"vertices lie within {1e-3 * away:.3g} km of it"]}
        return ({f"{name}.yaml": blocks.fault_of_planes([rectangle], _metres(options.patch_km))}, facts,
                {"planes": [rectangle], "triangles": surface})
    patch = 1e3 * (options.patch_km or 20.0)
    grid = sampled(surface, _metres(options.spacing_km) or 0.2 * patch)
    text, facts, drawn = _interface(options, grid, f"{name}_surface.csv", patch, surface.depth_m.max())
    facts["title"] = f"{count} an interface"
    return {f"{name}.yaml": text, f"{name}_surface.csv": blocks.depth_table(grid)}, facts, drawn


def _of_slab(options: argparse.Namespace, path: pathlib.Path, name: str) -> Made:
    grid = read_slab(path, tuple(options.bounds))
    text, facts, drawn = _interface(options, grid, f"{name}_surface.csv", 1e3 * (options.patch_km or 20.0), 60e3)
    facts["title"] = f"{path.name}: an interface"
    return {f"{name}.yaml": text, f"{name}_surface.csv": blocks.depth_table(grid)}, facts, drawn


def _interface(options: argparse.Namespace, grid: DepthGrid, file: str, patch_m: float, deepest_m: float
               ) -> tuple[str, dict[str, Any], dict[str, Any]]:
    depths = 1e3 * options.min_depth_km, _metres(options.max_depth_km) or float(deepest_m)
    if not 0.0 <= depths[0] < depths[1]:
        refuse("min_depth_km, max_depth_km", "must be 0 or more, and a larger one",
               f"{options.min_depth_km:g} and {1e-3 * depths[1]:g}")
    patches = lay_patches(grid, patch_m, *depths)
    text = blocks.fault_of_surface(file, grid, patches, depths, options.rake_deg is not None)
    facts = {"patches": {"n_strike": patches.n_strike, "n_dip": patches.n_dip, "spacing_m": patches.spacing_m,
                         "strike_deg": patches.strike_deg, "part": patches.part},
             "notes": [f"{patches.n_strike} x {patches.n_dip} patches of {1e-3 * patch_m:g} km, strike "
                       f"{patches.strike_deg:.1f}, mean dip {grid.dip_deg:.1f}; with their reach they cover "
                       f"{100.0 * patches.part:.0f} % of the interface between {1e-3 * depths[0]:g} and "
                       f"{1e-3 * depths[1]:g} km"]}
    return text, facts, {"grid": grid, "patches": patches}


def _of_mechanism(options: argparse.Namespace, path: pathlib.Path, name: str) -> Made:
    event = chosen(path, read_mechanisms(path), options.event)
    files = {f"{name}_source.yaml": blocks.source_of(event)}
    planes, notes = [], []
    for number, angles in enumerate(event.planes(), 1):
        plane, slip = event.rectangle(angles, 1e9 * options.mu_gpa, f"plane-{number}")
        planes.append(plane)
        files[f"{name}_plane{number}.yaml"] = blocks.fault_of_planes([plane], _metres(options.patch_km))
        files[f"{name}_event{number}.yaml"] = blocks.event_of(event, plane, slip)
        notes.append(f"{_described(plane)}, slip {slip:.3g} m")
    if event.double_couple < 0.8:
        notes.append(f"{100.0 * event.double_couple:.0f} % of the tensor are a double couple: planes leave the rest out")
    facts = {"title": f"{event.title} {event.time}: Mw {event.magnitude:.2f}, {1e-3 * event.depth_m:g} km deep",
             "moment": event.moment, "magnitude": event.magnitude, "planes": [_facts(p) for p in planes], "notes": notes}
    return files, facts, {"planes": planes}


def _described(plane: Rectangle) -> str:
    rake = "" if plane.rake_deg is None else f", rake {plane.rake_deg:.0f}"
    return (f"{plane.name}: strike {plane.strike_deg:.0f}, dip {plane.dip_deg:.0f}{rake}, {1e-3 * plane.length_m:.1f} x "
            f"{1e-3 * plane.width_m:.1f} km, {1e-3 * plane.top_depth_m:.1f} to {1e-3 * plane.bottom_depth_m:.1f} km deep")


def _facts(plane: Rectangle) -> dict[str, Any]:
    return {"name": plane.name, "lon_deg": plane.lon, "lat_deg": plane.lat, "top_depth_m": plane.top_depth_m,
            "strike_deg": plane.strike_deg, "dip_deg": plane.dip_deg, "length_m": plane.length_m, "width_m": plane.width_m,
            "rake_deg": plane.rake_deg}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
