# SPDX-License-Identifier: BSD-3-Clause
"""Reads material models of SW4 (https://github.com/geodynamics/sw4, User's Guide, "File formats"): rfile and sfile.

rfile: a header of magic 1, precision, attenuation, azimuth, origin, projection and blocks; then blocks of [i][j][k] with
density, vp, vs (qp, qs) in SI, block 1 being topography. sfile: HDF5 with Material_model/grid_N (Rho, Cp, Cs [i][j][k])
between surfaces Z_interfaces/z_values_N. x points to the azimuth, y to its right, z down; -999 is missing.
"""
from __future__ import annotations

import pathlib
import struct
from typing import Any

import numpy as np

from ...errors import Error
from ..fault.shapes import refuse, to_metres
from .plans import Array, between_levels

_MISSING = -900.0
_MOST_BLOCKS, _MOST_TEXT = 1000, 4096


class Frame:
    """Places of a model as metres along its azimuth and to the right: by its projection, else on the ellipsoid."""

    def __init__(self, name: str, lon: float, lat: float, azimuth_deg: float, projection: str = "") -> None:
        if not (np.isfinite([lon, lat, azimuth_deg]).all() and abs(lon) <= 360.0 and abs(lat) <= 89.0):
            refuse(f"{name}: origin", "must be longitude, latitude and azimuth in degrees", f"{lon:g} {lat:g} {azimuth_deg:g}")
        self._origin, self._turn, self._project = (lon, lat), np.radians(azimuth_deg), None
        if "+proj" in projection:
            self._project = _projection(projection)
            self._zero = self._project(np.array([lon]), np.array([lat]))

    def metres(self, lon: Array, lat: Array) -> tuple[Array, Array]:
        """Returns metres along the azimuth and to its right."""
        if self._project is not None:
            east, north = (a - zero for a, zero in zip(self._project(lon, lat), self._zero))
        else:
            east, north = to_metres(lon, lat, *self._origin)
        return (north * np.cos(self._turn) + east * np.sin(self._turn),
                east * np.cos(self._turn) - north * np.sin(self._turn))


def _projection(text: str) -> Any:
    """Returns the projection of PROJ's words; None without GDAL's Python or where it knows no such words."""
    try:
        from osgeo import osr

        osr.UseExceptions()
        to, degrees = osr.SpatialReference(), osr.SpatialReference()
        to.ImportFromProj4(text)
        degrees.ImportFromEPSG(4326)
        degrees.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
        turn = osr.CoordinateTransformation(degrees, to)
    except (ImportError, RuntimeError) as error:
        raise Error("Unavailable", f"a model in a projection needs GDAL's Python (python3-gdal): {error}") from error

    def project(lon: Array, lat: Array) -> tuple[Array, Array]:
        found = np.array(turn.TransformPoints(np.column_stack([lon, lat]).tolist()))
        return found[:, 0], found[:, 1]

    return project


class BlockPlan:
    """A block of an rfile, mapped and not read: rows are along x."""

    def __init__(self, frame: Frame, spacing_m: float, z0_m: float, step_m: float, values: Any) -> None:
        self._frame, self._spacing_m, self._values = frame, spacing_m, values
        self._levels = z0_m + step_m * np.arange(values.shape[2])
        self.shape = values.shape[:2]
        self.values_per_node = 2 * values.shape[3]

    def close(self) -> None:
        """Has nothing to close: the map goes with the plan."""

    def reaches(self, depth_m: float) -> bool:
        return bool(self._levels[0] - 1e-6 <= depth_m <= self._levels[-1] + 1e-6)

    def nodes_at(self, lon: Array, lat: Array) -> tuple[Array, Array]:
        x, y = self._frame.metres(lon, lat)
        return x / self._spacing_m, y / self._spacing_m

    def window(self, rows: slice, columns: slice, depth_m: float) -> Array:
        k, part = between_levels(self._levels, depth_m)
        planes = np.asarray(self._values[rows, columns, k:k + 2, :3], dtype=np.float64)
        planes[planes < _MISSING] = np.nan
        plane = planes[:, :, 0] if part == 0.0 else (1.0 - part) * planes[:, :, 0] + part * planes[:, :, -1]
        return np.stack([plane[..., 1], plane[..., 2], plane[..., 0]])


def open_rfile(path: pathlib.Path) -> list[BlockPlan]:
    """Opens an rfile. Raises InvalidArgument."""
    size = path.stat().st_size
    with open(path, "rb") as file:
        head = file.read(1 << 20)
    order = "<" if head[:4] == struct.pack("<i", 1) else ">" if head[:4] == struct.pack(">i", 1) else ""
    if not order:
        refuse(f"{path.name}: magic", "must be 1 in either byte order", head[:4].hex())
    at = 4

    def take(words: str) -> tuple[Any, ...]:
        nonlocal at
        try:
            found = struct.unpack_from(order + words, head, at)
        except struct.error:
            refuse(f"{path.name}: header", f"must be longer than {at} bytes", len(head))
        at += struct.calcsize(order + words)
        return found

    precision, _attenuation, azimuth, lon, lat, text = take("iidddi")
    if precision not in (4, 8):
        refuse(f"{path.name}: precision", "must be 4 or 8", precision)
    if not 0 <= text <= _MOST_TEXT:
        refuse(f"{path.name}: projection", f"must have 0 to {_MOST_TEXT} letters", text)
    projection = head[at:at + text].decode("ascii", "replace").strip("\0 ")
    at += text
    (blocks,) = take("i")
    if not 2 <= blocks <= _MOST_BLOCKS:
        refuse(f"{path.name}: blocks", f"must be 2 to {_MOST_BLOCKS}, topography and one or more", blocks)
    frame = Frame(path.name, lon, lat, azimuth, projection)
    headers = [take("dddiiii") for _ in range(blocks)]
    plans = []
    for number, (spacing, step, z0, parts, ni, nj, nk) in enumerate(headers, 1):
        length = parts * ni * nj * nk * precision if min(parts, ni, nj, nk) > 0 else 0
        if length == 0 or at + length > size:
            refuse(f"{path.name}: block {number}", f"must hold {parts} x {ni} x {nj} x {nk} numbers of {precision} bytes in a "
                                                   "file that is long enough", f"{size} bytes")
        if number > 1:
            if parts < 3 or not (np.isfinite([spacing, step, z0]).all() and spacing > 0 and step > 0):
                refuse(f"{path.name}: block {number}", "must have spacings > 0 and density, vp and vs",
                       f"{spacing:g}, {step:g} m, {parts} components")
            values = np.memmap(path, dtype=f"{order}f{precision}", mode="r", offset=at, shape=(ni, nj, nk, parts))
            plans.append(BlockPlan(frame, spacing, z0, step, values))
        at += length
    return plans


class SfilePlan:
    """A grid of an sfile between two surfaces; at each node its levels are regular from one to the other."""

    def __init__(self, frame: Frame, spacing_m: float, group: Any, top: Any, bottom: Any) -> None:
        self._frame, self._spacing_m, self._group, self._ends = frame, spacing_m, group, (top, bottom)
        self._nk = int(group["Cp"].shape[2])
        self.shape = (int(group["Cp"].shape[0]), int(group["Cp"].shape[1]))
        self.values_per_node = 3 * self._nk + 2
        self._range = float(np.min(top[...])), float(np.max(bottom[...]))

    def close(self) -> None:
        self._group.file.close()

    def reaches(self, depth_m: float) -> bool:
        return self._range[0] <= depth_m <= self._range[1]

    def nodes_at(self, lon: Array, lat: Array) -> tuple[Array, Array]:
        x, y = self._frame.metres(lon, lat)
        return x / self._spacing_m, y / self._spacing_m

    def _surface(self, data: Any, rows: slice, columns: slice) -> Array:
        """Returns depths at this grid's nodes; surfaces may have nodes of their own over the same area."""
        index = []
        for n, own, part in zip(data.shape, self.shape, (rows, columns)):
            step = (n - 1) / max(1, own - 1)
            index.append(np.rint(step * np.arange(part.start, part.stop)).astype(np.int64))
        block = np.asarray(data[index[0][0]:index[0][-1] + 1, index[1][0]:index[1][-1] + 1], dtype=np.float64)
        return block[np.ix_(index[0] - index[0][0], index[1] - index[1][0])]

    def window(self, rows: slice, columns: slice, depth_m: float) -> Array:
        top, bottom = (self._surface(data, rows, columns) for data in self._ends)
        thick = bottom - top
        place = np.where(thick > 0.0, (depth_m - top) / np.where(thick > 0.0, thick, 1.0), -1.0) * (self._nk - 1)
        inside = (place >= -1e-9) & (place <= self._nk - 1 + 1e-9)
        k = np.clip(np.floor(place).astype(np.int64), 0, max(0, self._nk - 2))
        part = np.clip(place - k, 0.0, 1.0)
        made = []
        for key in ("Cp", "Cs", "Rho"):
            values = np.asarray(self._group[key][rows, columns, :], dtype=np.float64)
            values[values < _MISSING] = np.nan
            ends = [np.take_along_axis(values, np.minimum(k + j, self._nk - 1)[..., None], axis=2)[..., 0] for j in (0, 1)]
            made.append(np.where(inside, np.where(part > 0.0, (1 - part) * ends[0] + part * ends[1], ends[0]), np.nan))
        return np.stack(made)


def open_sfile(path: pathlib.Path) -> list[SfilePlan]:
    """Opens an sfile. Raises InvalidArgument."""
    from ...plotting.self_contained import open_file

    try:
        file = open_file(path)
        lon, lat, azimuth = (float(v) for v in np.ravel(file.attrs["Origin longitude, latitude, azimuth"])[:3])
        grids = int(np.ravel(file.attrs["ngrids"])[0])
        if not 1 <= grids <= _MOST_BLOCKS:
            refuse(f"{path.name}: ngrids", f"must be 1 to {_MOST_BLOCKS}", grids)
        frame = Frame(path.name, lon, lat, azimuth)
        plans = []
        for number in range(grids):
            group = file[f"Material_model/grid_{number}"]
            spacing = float(np.ravel(group.attrs["Horizontal grid size"])[0])
            shapes = [group[key].shape for key in ("Rho", "Cp", "Cs")]
            if len(set(shapes)) != 1 or len(shapes[0]) != 3 or min(shapes[0]) < 1 or not 0.0 < spacing < 1e7:
                refuse(f"{path.name}: grid_{number}", "must have a spacing > 0 and Rho, Cp, Cs of one shape [i][j][k]",
                       f"{spacing:g} m, {shapes}")
            ends = [file[f"Z_interfaces/z_values_{k}"] for k in (number, number + 1)]
            if any(len(end.shape) != 2 or min(end.shape) < 1 or end.size > 100_000_000 for end in ends):
                refuse(f"{path.name}: z_values_{number}", "must have two axes", str(ends[0].shape))
            plans.append(SfilePlan(frame, spacing, group, *ends))
        return plans
    except (OSError, KeyError, ValueError, TypeError, IndexError, RuntimeError, AttributeError, OverflowError) as error:
        raise Error("InvalidArgument", f"{path}: must be an sfile of SW4: {' '.join(str(error).split())[:200]}") from error
