# SPDX-License-Identifier: BSD-3-Clause
"""Motion of the ground as tsunami models take it: GeoClaw's dtopotype 1 and 3, and grids for JAGURS.

What lifts the water at a fixed place is, with elevation b of the sea floor (Tanioka and Satake 1996, Geophys. Res.
Lett. 23, 861, equation 1, with H = -b):

    dz = u_up - u_east db/dx - u_north db/dy

The motion comes from the second-order triangles of a scenario's group `surface`; gradients are those of the bathymetry
at the grid's own spacing.
"""
from __future__ import annotations

import os
import pathlib
from dataclasses import dataclass
from typing import Any, Sequence, TextIO

import numpy as np

from ...errors import Error, need
from ..fault.shapes import Array, metres_per_degree, refuse

_MOST_NODES = 50_000_000
_YEAR_S = 365.25 * 86400.0


@dataclass(frozen=True)
class Motion:
    """Displacement on a regular grid: ``lon`` [x], ``lat`` [y] ascending in degrees, ``epoch_s`` [t],
    ``east``, ``north``, ``up`` [t][y][x] in m; 0 beyond the model's surface."""

    lon: Array
    lat: Array
    epoch_s: Array
    east: Array
    north: Array
    up: Array

    def to_xarray(self) -> Any:
        """Returns an xarray.Dataset of the three components [m] over epoch [s], lat and lon."""
        xarray = need("xarray", "python3-xarray", "to_xarray")
        axes = ("epoch", "lat", "lon")
        return xarray.Dataset({name: (axes, getattr(self, name), {"units": "m"}) for name in ("east", "north", "up")},
                              {"epoch": ("epoch", self.epoch_s, {"units": "s"}),
                               "lat": ("lat", self.lat, {"units": "degrees_north"}),
                               "lon": ("lon", self.lon, {"units": "degrees_east"})})


@dataclass(frozen=True)
class Surface:
    """The ground of a scenario: places [point], faces [face][6], displacement [t][point][3] of the epochs chosen."""

    lon: Array
    lat: Array
    faces: Any
    epoch_s: Array
    displacement: Array


def read_surface(path: str | os.PathLike[str], epochs_years: Sequence[float] | None = None) -> Surface:
    """Reads group `surface` of a scenario's dataset; of it the epochs that are asked for, else the first. Raises
    NotFound, InvalidArgument."""
    from ...plotting.self_contained import open_file

    path = pathlib.Path(path)
    try:
        with open_file(path) as file:
            if "surface" not in file:
                refuse(f"{path.name}: surface", "must be a group of the dataset: a scenario with output.surface: auto")
            group = file["surface"]
            lon, lat = (np.asarray(group[key][...], dtype=np.float64) for key in ("lon", "lat"))
            faces, epoch = group["faces"][...].astype(np.int64), np.asarray(group["epoch"][...], dtype=np.float64)
            wanted = [0]
            if epochs_years is not None:
                wanted = [int(np.argmin(np.abs(epoch - year * _YEAR_S))) for year in epochs_years]
                for year, k in zip(epochs_years, wanted):
                    if abs(epoch[k] - year * _YEAR_S) > 60.0:
                        refuse("epochs", f"must be epochs of the dataset, of which {epoch[k] / _YEAR_S:g} years is the nearest",
                               f"{year:g}")
            motion = np.stack([np.asarray(group["displacement"][k], dtype=np.float64) for k in wanted])
    except FileNotFoundError:
        raise Error("NotFound", f"{path} is not there") from None
    except (OSError, KeyError, ValueError, IndexError) as error:
        raise Error("InvalidArgument", f"{path}: must be a scenario's dataset of Kaname: {error}") from error
    n = lon.size
    if faces.ndim != 2 or faces.shape[1] < 3 or motion.shape[1:] != (n, 3) or lat.size != n or (
            faces.size and (faces.min() < 0 or faces.max() >= n)):
        refuse(f"{path.name}: surface", "must have places, faces of these and displacements of three components, got shapes "
                                        f"{lon.shape}, {faces.shape}, {motion.shape}")
    if not (np.isfinite(motion).all() and np.isfinite(lon).all() and np.isfinite(lat).all()):
        refuse(f"{path.name}: surface", "must be finite; did a source of the scenario fail?")
    return Surface(lon, lat, faces, epoch[wanted], motion)


def on_grid(surface: Surface, spacing_deg: float, bounds: Sequence[float] | None = None, least_m: float = 0.01) -> Motion:
    """Returns the motion on nodes at whole multiples of the spacing. Without bounds (west, east, south, north) the grid
    holds what moves by ``least_m``, and a spacing more."""
    size = np.linalg.norm(surface.displacement, axis=2).max(axis=0)
    lon = surface.lon
    if bounds is None:
        moved = size >= min(least_m, float(size.max()) * 0.5)
        bounds = (float(lon[moved].min()), float(lon[moved].max()), float(surface.lat[moved].min()),
                  float(surface.lat[moved].max()))
    west, east, south, north = bounds
    if not (west < east and south < north):
        refuse("bounds", "must be west east south north", " ".join(f"{v:g}" for v in bounds))
    lon = west + (lon - west + 180.0) % 360.0 - 180.0
    x = spacing_deg * np.arange(np.floor(west / spacing_deg + 1e-9) - 1, np.ceil(east / spacing_deg - 1e-9) + 2)
    y = spacing_deg * np.arange(np.floor(south / spacing_deg + 1e-9) - 1, np.ceil(north / spacing_deg - 1e-9) + 2)
    if x.size * y.size * surface.epoch_s.size > _MOST_NODES:
        refuse("spacing", f"must give at most {_MOST_NODES} values, gives {surface.epoch_s.size} x {y.size} x {x.size}",
               f"{3600.0 * spacing_deg:g} arc seconds")
    out = np.zeros((surface.epoch_s.size, 3, y.size, x.size))
    corners = lon[surface.faces[:, :3]], surface.lat[surface.faces[:, :3]]
    begin = [np.searchsorted(axis, c.min(axis=1) - 1e-9) for axis, c in zip((x, y), corners)]
    end = [np.searchsorted(axis, c.max(axis=1) + 1e-9) for axis, c in zip((x, y), corners)]
    for k in np.flatnonzero((end[0] > begin[0]) & (end[1] > begin[1])):
        columns, rows = slice(begin[0][k], end[0][k]), slice(begin[1][k], end[1][k])
        _put(out[:, :, rows, columns], x[columns], y[rows], corners[0][k], corners[1][k],
             surface.displacement[:, surface.faces[k]])
    return Motion(x, y, surface.epoch_s, out[:, 0], out[:, 1], out[:, 2])


def _put(out: Array, x: Array, y: Array, lon: Array, lat: Array, motion: Array) -> None:
    """Writes the motion [t][node of the face][3] of a triangle at the grid's nodes that lie in it."""
    cross = (lon[1] - lon[0]) * (lat[2] - lat[0]) - (lon[2] - lon[0]) * (lat[1] - lat[0])
    if abs(cross) < 1e-18:
        return
    b = ((x[None, :] - lon[0]) * (lat[2] - lat[0]) - (lon[2] - lon[0]) * (y[:, None] - lat[0])) / cross
    c = ((lon[1] - lon[0]) * (y[:, None] - lat[0]) - (x[None, :] - lon[0]) * (lat[1] - lat[0])) / cross
    a = 1.0 - b - c
    inside = (a >= -1e-9) & (b >= -1e-9) & (c >= -1e-9)
    if not inside.any():
        return
    shapes = np.stack([a, b, c])
    if motion.shape[1] >= 6:  # Corners, then the middles of 01, 12, 20.
        shapes = np.stack([a * (2 * a - 1), b * (2 * b - 1), c * (2 * c - 1), 4 * a * b, 4 * b * c, 4 * c * a])
    value = np.einsum("nyx,tnc->tcyx", shapes, motion[:, :shapes.shape[0]])
    out[..., inside] = value[..., inside]


def lifted(motion: Motion, elevation_m: Array | None) -> Array:
    """Returns dz [t][y][x] in m. ``elevation_m`` [y][x]: of the sea floor, positive up; None leaves out what horizontal
    motion of a slope adds."""
    if elevation_m is None:
        return motion.up
    east, north = metres_per_degree(motion.lat)
    step = motion.lon[1] - motion.lon[0]
    by_y, by_x = np.gradient(elevation_m, step)
    dz: Array = motion.up - motion.east * (by_x / east[:, None]) - motion.north * (by_y / north[:, None])
    return dz


def read_elevation(path: str | os.PathLike[str], motion: Motion, unit_m: float = 1.0) -> Array:
    """Returns elevation at the nodes of the motion, between those of a grid that GDAL reads. Raises InvalidArgument
    where the grid does not hold them."""
    from ..confined import call_apart

    path = pathlib.Path(path)
    _, found = call_apart("kaname.data.export.dtopo:open_elevation", str(path), {"file": str(path)})
    lon, lat, values = found["lon"], found["lat"], unit_m * found["values"]
    if lat[1] < lat[0]:
        lat, values = lat[::-1], values[::-1]
    x = lon[0] + (motion.lon - lon[0]) % 360.0
    u, v = (x - lon[0]) / (lon[1] - lon[0]), (motion.lat - lat[0]) / (lat[1] - lat[0])
    if u.min() < 0 or u.max() > lon.size - 1 or v.min() < 0 or v.max() > lat.size - 1:
        refuse(f"{path.name}: bathymetry", f"must hold {motion.lon[0]:g} to {motion.lon[-1]:g} and {motion.lat[0]:g} to "
               f"{motion.lat[-1]:g} degrees, holds {lon[0]:g} to {lon[-1]:g} and {lat[0]:g} to {lat[-1]:g}; --bounds is smaller")
    i, j = np.minimum(u.astype(np.int64), lon.size - 2), np.minimum(v.astype(np.int64), lat.size - 2)
    p, q = (u - i)[None, :], (v - j)[:, None]
    made: Array = ((1 - q) * ((1 - p) * values[np.ix_(j, i)] + p * values[np.ix_(j, i + 1)])
                   + q * ((1 - p) * values[np.ix_(j + 1, i)] + p * values[np.ix_(j + 1, i + 1)]))
    if not np.isfinite(made).all():
        refuse(f"{path.name}: bathymetry", "must have a value at every node of the motion; --bounds leaves out areas")
    return made


def open_elevation(file: str) -> tuple[dict[str, Any], dict[str, Array]]:
    """Reads a grid, in the child."""
    from ..insar.grids import open_grid

    grid = open_grid(pathlib.Path(file), None)
    if np.ptp(grid.lon, axis=0).max() > 1e-6 or np.ptp(grid.lat, axis=1).max() > 1e-6:
        refuse(f"{pathlib.Path(file).name}: bathymetry", "must have its rows along latitudes")
    return {}, {"lon": grid.lon[0], "lat": grid.lat[:, 0], "values": grid.values}


def write_type1(out: TextIO, motion: Motion, time_s: Array, dz: Array) -> None:
    """Writes lines `t x y dz`, from the north-west corner eastward, row by row to the south, time by time."""
    for t, frame in zip(time_s, dz):
        for row in range(motion.lat.size - 1, -1, -1):
            y = f"{motion.lat[row]:.10g}"
            out.writelines(f"{t:.10g} {x:.10g} {y} {value:.9e}\n" for x, value in zip(motion.lon, frame[row]))


def write_type3(out: TextIO, motion: Motion, time_s: Array, dz: Array) -> None:
    """Writes nine lines of header, then a row a line, north to south. Times must be regular."""
    step = np.diff(time_s)
    if step.size and np.ptp(step) > 1e-6 * step[0]:
        refuse("times", "must be regular for dtopotype 3; dtopotype 1 takes any", " ".join(f"{t:g}" for t in time_s))
    for value, key in ((motion.lon.size, "mx"), (motion.lat.size, "my"), (time_s.size, "mt")):
        out.write(f"{value:10d}   {key}\n")
    spacing = (motion.lon[-1] - motion.lon[0]) / (motion.lon.size - 1)
    for number, key in ((motion.lon[0], "xlower"), (motion.lat[0], "ylower"), (time_s[0], "t0"), (spacing, "dx"),
                        (spacing, "dy"), (float(step[0]) if step.size else 0.0, "dt")):
        out.write(f"{number:22.14e}   {key}\n")
    for frame in dz:
        for row in frame[::-1]:
            out.write(" ".join(f"{value:.9e}" for value in row) + "\n")


def write_grid(path: pathlib.Path, motion: Motion, dz: Array) -> None:
    """Writes one time as a netCDF grid of GMT (classic format, COARDS), as JAGURS reads displacements."""
    netcdf: Any = need("netCDF4", "python3-netcdf4", "grids for JAGURS")
    with netcdf.Dataset(path, "w", format="NETCDF3_CLASSIC") as file:
        file.Conventions = "COARDS, CF-1.5"
        for name, axis, unit in (("lon", motion.lon, "degrees_east"), ("lat", motion.lat, "degrees_north")):
            file.createDimension(name, axis.size)
            made = file.createVariable(name, "f8", (name,))
            made.units, made.actual_range = unit, [axis[0], axis[-1]]
            made[:] = axis
        z = file.createVariable("z", "f4", ("lat", "lon"))
        z.units, z.long_name, z.actual_range = "m", "uplift of the water", [float(dz.min()), float(dz.max())]
        z[:] = dz
