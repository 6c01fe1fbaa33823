# SPDX-License-Identifier: BSD-3-Clause
"""`kaname data structure`: a 3-D model as the columns or the grid of voxels that requests take."""
from __future__ import annotations

import argparse
import json
import os
import pathlib
import sys
from typing import Any

import numpy as np

from ..._shown import say
from ..confined import call_apart
from ..fault import blocks
from ..fault.blocks import number
from ..fault.shapes import name_of, refuse
from ..insar.points import refuse_present
from ..words import Parser
from . import targets

_DEPTHS_KM = (5.0, 10.0, 20.0, 30.0, 40.0, 60.0, 80.0, 120.0)
_SECONDS = 36_000  # of processor time; the limit of damaged files is memory


def parser() -> argparse.ArgumentParser:
    """Returns the options."""
    made = Parser(prog="kaname data structure", description="Makes the structure of a request of a 3-D model "
                                                             "(docs/user/structure_files.md).")
    made.add_argument("file", help="netCDF (EMC and others), .rfile, .sfile, crust1.bnds")
    made.add_output(picture=False)
    for key in ("vp", "vs", "density"):
        made.add_argument(f"--{key}", metavar="NAME", help="variable of a netCDF file")
    columns = made.add_argument_group("columns, for tetrahedra and for voxels of a region")
    columns.add_argument("--bounds", nargs=4, type=float, metavar=("W", "E", "S", "N"), help="area in degrees")
    columns.add_argument("--spacing-deg", type=float, default=0.25, metavar="D", help="of columns (default 0.25)")
    columns.add_argument("--depths-km", nargs="+", type=float, default=list(_DEPTHS_KM), metavar="Z",
                         help="bottoms of layers; what lies below the last is as it")
    voxels = made.add_argument_group("a grid of voxels")
    voxels.add_argument("--centre", nargs=2, type=float, metavar=("LON", "LAT"))
    voxels.add_argument("--size-km", nargs=3, type=float, metavar=("X", "Y", "Z"), help="east, north, and down from sea level")
    voxels.add_argument("--voxel-km", type=float, metavar="L", help="side of a voxel")
    voxels.add_argument("--azimuth-deg", type=float, default=0.0, metavar="D", help="turns x and y clockwise")
    return made


def main(words: list[str]) -> int:
    """Runs the command; raises Error with field, value and rule."""
    options = parser().parse_args(words)
    path = pathlib.Path(options.file)
    name = name_of(options.name or path.stem)
    folder = pathlib.Path(options.output or name)
    if (options.bounds is None) == (options.centre is None):
        refuse("bounds, centre", "must be given one of them: columns of an area, or voxels about a place")
    facts = (_voxels if options.centre else _columns)(options, path, name, folder)
    if options.json:
        say(json.dumps(facts, indent=2))
        return 0
    say(facts["title"])
    for note in facts["notes"]:
        say(f"  {note}")
    for one in facts["files"]:
        say(one)
    return 0


def _names(options: argparse.Namespace) -> dict[str, str]:
    return {key: getattr(options, key) for key in ("vp", "vs", "density") if getattr(options, key)}


def _notes(found: dict[str, Any], of: int) -> list[str]:
    notes = [f"{', '.join(found['derived'])} by Brocher (2005), for the file has none"] if found["derived"] else []
    if found["filled"]:
        notes.append(f"{found['filled']} of {of} have no value and take that of the nearest in their column")
    return notes


def _columns(options: argparse.Namespace, path: pathlib.Path, name: str, folder: pathlib.Path) -> dict[str, Any]:
    west, east, south, north = options.bounds
    if not (west < east <= west + 360.0 and -90.0 <= south < north <= 90.0):
        refuse("bounds", "must be west east south north", " ".join(f"{v:g}" for v in options.bounds))
    table, block = f"{name}.csv", folder / f"{name}.yaml"
    if path.suffix == ".bnds":
        text, cells = targets.crust1_table(path, options.bounds)
        layout, notes, title = targets.crust1_block(table), [], f"{path.name}: {cells} cells of CRUST1.0"
    else:
        edges = [0.0, *(1e3 * depth for depth in options.depths_km)]
        if not all(0.0 <= a < b <= 1e6 for a, b in zip(edges[:-1], edges[1:])):
            refuse("depths_km", "must rise from above 0 to at most 1000", " ".join(f"{v:g}" for v in options.depths_km))
        if not 0.0 < options.spacing_deg <= 30.0:
            refuse("spacing_deg", "must be > 0 and at most 30", f"{options.spacing_deg:g}")
        x, y = (low + options.spacing_deg * np.arange(int(round((high - low) / options.spacing_deg)) + 1)
                for low, high in ((west, east), (south, north)))
        if min(x.size, y.size) < 2 or x.size * y.size > targets._MOST_CELLS:
            refuse("spacing_deg", f"must give 2 to {targets._MOST_CELLS} columns, two each way", f"{x.size} x {y.size}")
        lon, lat = (a.ravel() for a in np.meshgrid(x, y))
        found, arrays = call_apart("kaname.data.structure.targets:layer_means", str(path), {
            "file": str(path), "names": _names(options), "lon": lon.tolist(), "lat": lat.tolist(), "edges_m": edges}, _SECONDS)
        text, layout = targets.column_table(lon, lat, arrays["values"]), targets.column_block(table, edges)
        notes = _notes(found, lon.size * (len(edges) - 1))
        title = f"{path.name}: {lon.size} columns of {len(edges) - 1} layers"
    blocks.write([(folder / table, text), (block, layout)], [f"Made by kaname data structure of {path.name}."], options.force)
    return {"title": title, "notes": notes, "files": [str(folder / table), str(block)]}


def _voxels(options: argparse.Namespace, path: pathlib.Path, name: str, folder: pathlib.Path) -> dict[str, Any]:
    if options.size_km is None or options.voxel_km is None:
        refuse("size_km, voxel_km", "must be given with --centre")
    if path.suffix == ".bnds":
        refuse("centre", "must be left out of CRUST1.0: give --bounds, and its columns to a region of voxels")
    if not options.voxel_km > 0.0:
        refuse("voxel_km", "must be > 0", f"{options.voxel_km:g}")
    size = [int(round(side / options.voxel_km)) for side in options.size_km]
    for side, n in zip(options.size_km, size):
        if n < 1 or abs(n * options.voxel_km - side) > 1e-6 * side:
            refuse("size_km", f"must be whole numbers of voxels of {options.voxel_km:g} km", f"{side:g}")
    if size[0] * size[1] * size[2] > targets._MOST_VOXELS:
        refuse("voxel_km", f"must give at most {targets._MOST_VOXELS} voxels", " x ".join(map(str, size)))
    grid, block = folder / f"{name}.nc", folder / f"{name}.yaml"
    refuse_present([grid, block], options.force)
    folder.mkdir(parents=True, exist_ok=True)
    part = grid.with_suffix(".part")
    try:
        found, _ = call_apart("kaname.data.structure.targets:voxels", str(path), {
            "file": str(path), "names": _names(options), "out": str(part), "centre": options.centre,
            "azimuth_deg": options.azimuth_deg, "size": size, "spacing_m": 1e3 * options.voxel_km}, _SECONDS)
        os.replace(part, grid)
    finally:
        part.unlink(missing_ok=True)
    sides = ", ".join(f"size_{axis}_km: {number(side)}" for axis, side in zip("xyz", options.size_km))
    text = f"model: {{{sides}, spacing_km: {number(options.voxel_km)}, grid: {grid.name}}}\n"
    heads = [f"Made by kaname data structure of {path.name}.",
             f"The middle of the top is {options.centre[0]:g} E {options.centre[1]:g} N at sea level; x points "
             f"{90.0 + options.azimuth_deg:g} degrees from north."]
    blocks.write([(block, text)], heads, options.force)
    return {"title": f"{path.name}: {size[0]} x {size[1]} x {size[2]} voxels of {options.voxel_km:g} km",
            "notes": _notes(found, size[0] * size[1] * size[2]), "files": [str(grid), str(block)]}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
