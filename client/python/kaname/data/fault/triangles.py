# SPDX-License-Identifier: BSD-3-Clause
"""Reads surfaces of triangles: csi's GMT multi-segment, GOCAD's TSurf (.ts), Gmsh's .msh as celeri has it.

csi: `>` and three lines `lon lat depth_km`, depth down (TriangularPatches.writePatches2File). TSurf: VRTX or PVRTX
`number x y z`, TRGL of three numbers, ZPOSITIVE Elevation or Depth; SCEC's Community Fault Model has metres of UTM.
celeri (https://github.com/brendanjmeade/celeri): longitude, latitude and z in km, up.
"""
from __future__ import annotations

import contextlib
import io
import os
import pathlib
import warnings
from typing import Any, Sequence

import numpy as np

from ...errors import Error, need
from .shapes import Array, Triangles, refuse

_MOST_BYTES = 512 << 20
_ENDINGS = {".ts": "tsurf", ".msh": "msh"}


def read_triangles(path: str | os.PathLike[str], crs: str | None = None, length_unit: str | None = None) -> Triangles:
    """Returns the surface of a file. ``crs``: EPSG code of places that are no degrees. ``length_unit`` of depths, and
    of places with a ``crs``: m or km; else TSurf has m, the others km. Raises InvalidArgument, NotFound, Unavailable.
    """
    path = pathlib.Path(path)
    if not path.is_file():
        raise Error("NotFound", f"{path} is not there")
    if path.stat().st_size > _MOST_BYTES:
        refuse(path.name, f"must have at most {_MOST_BYTES} bytes", path.stat().st_size)
    kind = _ENDINGS.get(path.suffix.lower(), "csi")
    points, vertices = {"tsurf": _tsurf, "msh": _msh, "csi": _csi}[kind](path)
    factor = {"m": 1.0, "km": 1e3, None: 1.0 if kind == "tsurf" else 1e3}.get(length_unit)
    if factor is None:
        refuse("length_unit", "must be m or km", repr(length_unit))
    if not len(vertices):
        refuse(f"{path.name}: triangles", "must be one or more", 0)
    depth = factor * points[:, 2]
    if crs is not None:
        lon, lat = _degrees(path.name, factor * points[:, 0], factor * points[:, 1], crs)
    else:
        lon, lat = points[:, 0], points[:, 1]
        if np.abs(lon).max() > 360.0 or np.abs(lat).max() > 89.0:
            worst = int(np.argmax(np.maximum(np.abs(lon) / 360.0, np.abs(lat) / 89.0)))
            refuse(f"{path.name}: places", "must be longitudes and latitudes, or of a projection that is given (--crs "
                                           "EPSG:26911)", f"{lon[worst]:g} {lat[worst]:g}")
    if depth.min() < -1e4 or depth.max() > 1e6:
        worst_depth = float(depth.min() if depth.min() < -1e4 else depth.max())
        refuse(f"{path.name}: depths", "must be -10 to 1000 km, positive down; is their unit another one "
                                       "(--length-unit)?", f"{1e-3 * worst_depth:g} km")
    return Triangles(path.stem, lon, lat, depth, vertices)


def _numbers(path: pathlib.Path, line: int, words: Sequence[str], what: str) -> list[float]:
    try:
        values = [float(word) for word in words]
    except ValueError:
        values = [np.nan]
    if not np.isfinite(values).all():
        refuse(f"{path.name}:{line}: {what}", "must be finite numbers", " ".join(words))
    return values


def _lines(path: pathlib.Path) -> list[str]:
    return path.read_bytes().decode("utf-8", "replace").split("\n")


def _csi(path: pathlib.Path) -> tuple[Array, Any]:
    groups: list[tuple[int, list[list[float]]]] = []
    for number, line in enumerate(_lines(path), 1):
        words = line.split()
        if line.startswith(">"):
            groups.append((number, []))
        elif words and not line.startswith("#"):
            if not groups:
                refuse(f"{path.name}:{number}", "must come after a line that begins with '>'", line.strip())
            if len(words) < 3:
                refuse(f"{path.name}:{number}", "must be longitude, latitude and depth", line.strip())
            groups[-1][1].append(_numbers(path, number, words[:3], "corner"))
    corners = []
    for number, group in groups:
        if len(group) == 4 and group[0] == group[3]:
            group = group[:3]
        if len(group) != 3:
            refuse(f"{path.name}:{number}: corners", "must be three; rectangles are slip models, which requests take as "
                                                     "they are", len(group))
        corners.append(group)
    if not corners:
        refuse(f"{path.name}: triangles", "must be one or more, each behind a line that begins with '>'", 0)
    points, inverse = np.unique(np.array(corners).reshape(-1, 3), axis=0, return_inverse=True)
    return points, np.asarray(inverse).reshape(-1, 3)


def _tsurf(path: pathlib.Path) -> tuple[Array, Any]:
    places: dict[str, list[float]] = {}
    named: list[tuple[int, list[str]]] = []
    up = True
    lines = _lines(path)
    if not lines[0].upper().startswith("GOCAD TSURF"):
        refuse(f"{path.name}:1", "must be 'GOCAD TSurf 1'", lines[0].strip())
    for number, line in enumerate(lines, 1):
        words = line.split()
        key = words[0].upper() if words else ""
        if key == "ZPOSITIVE" and len(words) > 1:
            if words[1].lower() not in ("elevation", "depth"):
                refuse(f"{path.name}:{number}: ZPOSITIVE", "must be Elevation or Depth", words[1])
            up = words[1].lower() == "elevation"
        elif key in ("VRTX", "PVRTX"):
            if len(words) < 5:
                refuse(f"{path.name}:{number}: {key}", "must have a number and x, y, z", line.strip())
            places[words[1]] = _numbers(path, number, words[2:5], key)
        elif key in ("ATOM", "PATOM") and len(words) > 2:
            if words[2] not in places:
                refuse(f"{path.name}:{number}: {key}", "must name a vertex above it", words[2])
            places[words[1]] = places[words[2]]
        elif key == "TRGL":
            if len(words) < 4:
                refuse(f"{path.name}:{number}: TRGL", "must have three numbers of vertices", line.strip())
            named.append((number, words[1:4]))
    index = {key: k for k, key in enumerate(places)}
    for number, keys in named:
        for key in keys:
            if key not in index:
                refuse(f"{path.name}:{number}: TRGL", "must name vertices of the file", key)
    points = np.array(list(places.values()), dtype=np.float64).reshape(-1, 3)
    points[:, 2] *= -1.0 if up else 1.0
    return points, np.array([[index[key] for key in keys] for _, keys in named], dtype=np.int64).reshape(-1, 3)


def _msh(path: pathlib.Path) -> tuple[Array, Any]:
    meshio: Any = need("meshio", "python3-meshio", f"reading {path.name}")
    try:
        # It prints what it thinks of a file.
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()), \
                warnings.catch_warnings():
            warnings.simplefilter("ignore")
            mesh = meshio.read(str(path), file_format="gmsh")
        points = np.array(mesh.points, dtype=np.float64)
        cells = [block.data for block in mesh.cells if block.type == "triangle"]
    except (Exception, SystemExit) as error:  # meshio ends the program where it cannot read a file.
        said = " ".join(str(error).split())[:200]
        raise Error("InvalidArgument", f"{path}: must be a mesh that meshio reads: {said or type(error).__name__}"
                    ) from error
    vertices = np.concatenate(cells).astype(np.int64) if cells else np.empty((0, 3), dtype=np.int64)
    if points.ndim != 2 or points.shape[1] != 3 or not np.isfinite(points).all():
        refuse(f"{path.name}: nodes", "must be finite places of three numbers", points.shape)
    if vertices.size and (vertices.min() < 0 or vertices.max() >= len(points)):
        refuse(f"{path.name}: triangles", f"must name the {len(points)} nodes of the file", int(vertices.max()))
    points[:, 2] *= -1.0  # z counts up
    return points, vertices


def _degrees(name: str, x: Array, y: Array, crs: str) -> tuple[Array, Array]:
    osr: Any = need("osgeo.osr", "python3-gdal", f"reading {name}")
    osr.UseExceptions()
    try:
        projection, degrees = osr.SpatialReference(), osr.SpatialReference()
        projection.ImportFromEPSG(int(crs.upper().removeprefix("EPSG:")))
        degrees.ImportFromEPSG(4326)
        for one in (projection, degrees):
            one.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
        found = np.array(osr.CoordinateTransformation(projection, degrees).TransformPoints(np.column_stack([x, y]).tolist()))
    except (RuntimeError, ValueError, TypeError) as error:
        refuse(f"{name}: crs", f"must be a projection that holds the places: {error}", crs)
    if not np.isfinite(found[:, :2]).all():
        refuse(f"{name}: crs", "must be a projection that holds the places", crs)
    return found[:, 0], found[:, 1]
