# SPDX-License-Identifier: BSD-3-Clause
"""3-D models as requests take them: columns of layers for tetrahedra, a grid of voxels, CRUST1.0 as its own table."""
from __future__ import annotations

import contextlib
import os
import pathlib
from typing import Any, Iterator, Sequence

import numpy as np

from ...errors import Error
from ..fault.blocks import number
from ..fault.shapes import refuse, to_degrees
from .plans import Array, Plan, completed, sample

_WITHIN = (-1.0 / 3.0, 0.0, 1.0 / 3.0)  # of a layer's thickness, about its middle
_LIMITS = (("vp", 50.0, 20e3), ("vs", 0.0, 20e3), ("density", 100.0, 20e3))
_MOST_CELLS, _MOST_VOXELS = 200_000, 10_000_000_000
_CRUST1 = ("water", "ice", "upper_sed", "middle_sed", "lower_sed", "upper_crust", "middle_crust", "lower_crust", "mantle")


def open_model(file: str | os.PathLike[str], names: dict[str, str] | None = None) -> Sequence[Plan]:
    """Opens a model by its first bytes and its ending. ``names`` of variables ``vp``, ``vs``, ``density`` replace those that
    netCDF files usually have. Raises InvalidArgument, NotFound."""
    names = names or {}
    path = pathlib.Path(file)
    if not path.is_file():
        raise Error("NotFound", f"{path} is not there")
    with open(path, "rb") as opened:
        begin = opened.read(8)
    from . import netcdf, sw4

    if path.suffix.lower() in (".sfile",):
        return sw4.open_sfile(path)
    if path.suffix.lower() in (".rfile",) or begin[:4] in (b"\1\0\0\0", b"\0\0\0\1"):
        return sw4.open_rfile(path)
    if begin[:3] == b"CDF" or begin[:4] == b"\x89HDF":
        return netcdf.open_grid(path, names)
    refuse(path.name, "must be netCDF, an rfile or an sfile of SW4, or crust1.bnds", begin.hex())


@contextlib.contextmanager
def opened(file: str, names: dict[str, str]) -> Iterator[Sequence[Plan]]:
    """Opens a model, closes it in the end, and turns what its library says of damage into InvalidArgument."""
    plans = open_model(file, names)
    try:
        yield plans
    except (OSError, RuntimeError, ValueError, IndexError, MemoryError, OverflowError) as error:
        raise Error("InvalidArgument", f"{file}: cannot be read: {' '.join(str(error).split())[:200]}") from error
    finally:
        plans[0].close()


def layer_means(file: str, names: dict[str, str], lon: list[float], lat: list[float], edges_m: list[float]
                ) -> tuple[dict[str, Any], dict[str, Array]]:
    """Returns [vp, vs, density][layer][place] of layers between depths: means over three depths of each. What lacks a
    value takes that of the nearest layer of its column. Called in a process of its own."""
    x, y = np.array(lon), np.array(lat)
    layers = []
    with opened(file, names) as plans:
        for top, bottom in zip(edges_m[:-1], edges_m[1:]):
            depths = [0.5 * (top + bottom) + part * (bottom - top) for part in _WITHIN]
            parts = np.stack([sample(plans, x, y, depth) for depth in depths])
            count = np.isfinite(parts).sum(axis=0)
            layers.append(np.where(count > 0, np.nansum(parts, axis=0) / np.maximum(count, 1), np.nan))
    made, derived = completed(np.stack(layers, axis=1))
    filled = _filled(pathlib.Path(file).name, made)
    _check(pathlib.Path(file).name, made)
    return {"derived": derived, "filled": filled}, {"values": made}


def voxels(file: str, names: dict[str, str], out: str, centre: list[float], azimuth_deg: float, size: list[int],
           spacing_m: float) -> tuple[dict[str, Any], dict[str, Array]]:
    """Writes vp, vs, density [z][y][x] (float32) of voxels, z from the bottom up to sea level, slab by slab. What lacks
    a value takes that of the voxel below it. Called in a process of its own."""
    import h5py

    nx, ny, nz = size
    turn = np.radians(azimuth_deg)
    x, y = np.meshgrid((np.arange(nx) + 0.5 - 0.5 * nx) * spacing_m, (np.arange(ny) + 0.5 - 0.5 * ny) * spacing_m)
    east, north = x * np.cos(turn) + y * np.sin(turn), y * np.cos(turn) - x * np.sin(turn)
    lon, lat = (a.ravel() for a in to_degrees(east, north, *centre))
    filled = 0
    derived: tuple[str, ...] = ()
    before: Array | None = None
    with opened(file, names) as plans, h5py.File(out, "w") as made:
        data = []
        for name, unit in (("vp", "m s-1"), ("vs", "m s-1"), ("density", "kg m-3")):
            data.append(made.create_dataset(name, (nz, ny, nx), np.float32, chunks=(1, ny, nx) if nx * ny < 1 << 24 else True))
            data[-1].attrs["units"] = unit
        for level in range(nz):
            values, derived = completed(sample(plans, lon, lat, (nz - level - 0.5) * spacing_m))
            gaps = np.isnan(values).any(axis=0)
            if gaps.any():
                if before is None:
                    refuse(f"{pathlib.Path(file).name}: values", f"must be there in the lowest slab, at "
                           f"{1e-3 * (nz - 0.5) * spacing_m:g} km, in all of the box", f"none at {int(gaps.sum())} of {gaps.size}")
                values[:, gaps] = before[:, gaps]
                filled += int(gaps.sum())
            _check(pathlib.Path(file).name, values)
            for one, part in zip(data, values):
                one[level] = part.reshape(ny, nx)
            before = values
    return {"derived": derived, "filled": filled}, {}


def _filled(name: str, values: Array) -> int:
    """Fills layers without a value from the nearest layer of the column; returns how many."""
    gaps = np.isnan(values).any(axis=0)
    if gaps.all(axis=0).any():
        refuse(f"{name}: values", "must be there in each column of the area", f"none in {int(gaps.all(axis=0).sum())} of "
                                                                              f"{gaps.shape[1]}")
    filled = int(gaps.sum())
    layer = np.arange(gaps.shape[0])
    for column in np.flatnonzero(gaps.any(axis=0)):
        there = np.flatnonzero(~gaps[:, column])
        nearest = there[np.abs(layer[:, None] - there[None, :]).argmin(axis=1)]
        values[:, :, column] = values[:, nearest, column]
    return filled


def _check(name: str, values: Array) -> None:
    for (field, low, high), part in zip(_LIMITS, values):
        if part.min() < low or part.max() > high:
            worst = float(part.min() if part.min() < low else part.max())
            refuse(f"{name}: {field}", f"must be {low:g} to {high:g} in m/s and kg/m3; is its unit another one?", f"{worst:g}")
    if (values[0] <= np.sqrt(4.0 / 3.0) * values[1]).any():
        worst_at = int(np.argmin(values[0] - np.sqrt(4.0 / 3.0) * values[1]))
        vp, vs = (float(values[k].ravel()[worst_at]) for k in (0, 1))
        refuse(f"{name}: vp", "must be > sqrt(4/3) vs", f"{vp:g} with vs {vs:g} m/s")


def column_table(lon: Array, lat: Array, values: Array) -> str:
    """Returns a table for `columns`, rounded to 10 m/s and 10 kg/m3, so that equal rock is one material."""
    n = values.shape[1]
    names = ["lon_deg", "lat_deg"] + [f"{key}_layer_{k + 1}" for key in ("vp", "vs", "rho") for k in range(n)]
    rows = [",".join(names)]
    for place in range(lon.size):
        numbers = (f"{1e-3 * v:.2f}" for v in values[:, :, place].ravel())
        rows.append(f"{lon[place]:.8g},{lat[place]:.8g},{','.join(numbers)}")
    return "\n".join(rows) + "\n"


def column_block(file: str, edges_m: Sequence[float]) -> str:
    """Returns `structure` of layers with columns; the last one goes on downwards."""
    surfaces = "".join(f"    - {{name: depth-{k}, depth_km: {number(1e-3 * edge)}}}\n" for k, edge in enumerate(edges_m[1:-1], 1))
    volumes = ""
    for k in range(1, len(edges_m)):
        bottom = f"bottom: depth-{k}, " if k < len(edges_m) - 1 else ""
        volumes += f"    - {{name: layer-{k}, {bottom}columns: {{file: {file}, layer: layer_{k}}}}}\n"
    return f"structure:\n{'  surfaces:' + chr(10) + surfaces if surfaces else ''}  volumes:\n{volumes}"


def crust1_table(path: pathlib.Path, bounds: Sequence[float]) -> tuple[str, int]:
    """Returns CRUST1.0 (https://igppweb.ucsd.edu/~gabi/crust1.html) of an area as a table, and its number of cells:
    crust1.vp, .vs, .rho and .bnds have a line of nine layers for each degree, from the north-west corner eastward."""
    arrays = {}
    for ending in ("bnds", "vp", "vs", "rho"):
        beside = path.with_suffix("." + ending)
        if not beside.is_file():
            raise Error("NotFound", f"{beside} is not there, one of crust1.bnds, .vp, .vs and .rho")
        if beside.stat().st_size > 64 << 20:
            refuse(beside.name, "must have at most 64 MB", beside.stat().st_size)
        words = beside.read_bytes().decode("ascii", "replace").split()
        try:
            values = np.array(words, dtype=np.float64)
        except ValueError:
            bad = next(k for k, word in enumerate(words) if not _is_number(word))
            refuse(f"{beside.name}:{bad // 9 + 1}", "must be nine numbers", words[bad])
        if values.size != 64800 * 9 or not np.isfinite(values).all():
            refuse(f"{beside.name}: numbers", "must be 64800 x 9, and finite", values.size)
        arrays[ending] = values.reshape(180, 360, 9)
    west, east, south, north = bounds
    lat, lon = 89.5 - np.arange(180), -179.5 + np.arange(360)
    rows = np.flatnonzero((lat + 0.5 > south) & (lat - 0.5 < north))
    from_west = (lon - west + 0.5) % 360.0  # of a cell's eastern edge
    columns = np.flatnonzero((from_west > 0.0) & (from_west < (east - west) + 1.0))
    columns = columns[np.argsort((lon[columns] - west + 0.5) % 360.0)]
    if rows.size < 2 or columns.size < 2:
        refuse("bounds", "must be west east south north and hold two cells each way", " ".join(f"{v:g}" for v in bounds))
    names = ["lon_deg", "lat_deg", *(f"top_{layer}_km" for layer in _CRUST1),
             *(f"{key}_{layer}" for key in ("vp", "vs", "rho") for layer in _CRUST1)]
    text = [",".join(names)]
    for row in rows[::-1]:
        for column in columns:
            x = west + (lon[column] - west + 0.5) % 360.0 - 0.5
            numbers = np.concatenate([arrays[key][row, column] for key in ("bnds", "vp", "vs", "rho")])
            text.append(f"{x:.6g},{lat[row]:.6g}," + ",".join(f"{v:.6g}" for v in numbers))
    return "\n".join(text) + "\n", rows.size * columns.size


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def crust1_block(file: str) -> str:
    """Returns `structure` of the crust's three layers and the mantle; sediments are left to those who need them."""
    layers = ("upper_crust", "middle_crust", "lower_crust", "mantle")
    surfaces = "".join(f"    - {{name: under-{above.replace('_', '-')}, file: {file}, column: top_{below}_km, "
                       f"smoothing_length_km: 30}}\n" for above, below in zip(layers[:-1], layers[1:]))
    volumes = "".join(f"    - {{name: {layer.replace('_', '-')}, "
                      f"{'' if layer == 'mantle' else 'bottom: under-' + layer.replace('_', '-') + ', '}"
                      f"columns: {{file: {file}, layer: {layer}}}}}\n" for layer in layers)
    return f"structure:\n  surfaces:\n{surfaces}  volumes:\n{volumes}"
