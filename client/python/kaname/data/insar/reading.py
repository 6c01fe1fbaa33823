# SPDX-License-Identifier: BSD-3-Clause
"""Reads a raster of any of the formats: the file's ending decides, `Reading` has what files leave out."""
from __future__ import annotations

import os
import pathlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import Error, invalid
from . import units
from .raster import Array, Mask, Raster, check_orbit, checked

_HDF5 = (".h5", ".he5", ".hdf5")
_KITE = (".npz", ".yml", ".yaml")


@dataclass(frozen=True)
class Reading:
    """Says what is read of a file, and what it does not say itself.

    Attributes
    ----------
    geometry : str, optional
        MintPy's geometryGeo.h5 or geometryRadar.h5.
    look : tuple of str
        Grids of east, north and up, or one file with incidence and azimuth (ISCE). Where both are
        left out, those in the file's folder that have their usual names.
    incidence_deg, heading_deg : float, optional
        In their place the angles of the whole raster, as `invert` has them.
    angles : str
        ``degrees`` or ``radians`` of incidence and azimuth in files.
    turn_look : bool
        True turns vectors from the satellite to the ground.
    orbit : str, optional
        ``ascending`` or ``descending``: the look must fit it.
    unit, wavelength_m : optional
        Of the values, where the file does not name them.
    dates : tuple of str
        First and last day (YYYYMMDD) of a series; motion between them is read.
    variable, band : optional
        Dataset of an HDF5 file, band of a grid (from 1).
    mask : str, optional
        File whose pixels that are 0 or missing are left out.
    """

    geometry: str | None = None
    look: tuple[str, ...] = ()
    incidence_deg: float | None = None
    heading_deg: float | None = None
    angles: str = "degrees"
    turn_look: bool = False
    orbit: str | None = None
    unit: str | None = None
    wavelength_m: float | None = None
    dates: tuple[str, ...] = ()
    variable: str | None = None
    band: int | None = None
    mask: str | None = None


def read(path: str | os.PathLike[str], reading: Reading | None = None, **options: Any) -> Raster:
    """Reads a raster; keywords are those of `Reading`.

    Raises NotFound, InvalidArgument with file, field, value and rule, or Unavailable where a
    library is missing. A process of its own reads, which a damaged file may break down.
    """
    from .confined import read_apart

    return read_apart(os.fspath(path), reading or Reading(**options))


def read_here(path: str | os.PathLike[str], reading: Reading) -> Raster:
    """Reads a raster in this process."""
    file = pathlib.Path(path)
    if not file.is_file():
        raise Error("NotFound", f"{file} is not there")
    try:
        return _read(file, reading)
    except (OSError, MemoryError) as error:
        raise Error("InvalidArgument", f"{file}: cannot be read: {error}") from error


def _read(file: pathlib.Path, reading: Reading) -> Raster:
    ending = file.suffix.lower()
    if ending in _HDF5:
        from . import mintpy as door
    elif ending in _KITE:
        from . import kite as door  # type: ignore[no-redef]
    else:
        from . import grids as door  # type: ignore[no-redef]
    found = door.open_raster(file, reading)
    look = found.look * (-1.0 if reading.turn_look else 1.0)
    values, rate = units.in_metres(file.name, found.values, reading.unit or found.unit,
                                   reading.wavelength_m or found.wavelength_m)
    if reading.mask is not None:
        values = np.where(read_mask(pathlib.Path(reading.mask), values.shape), values, np.nan)
    raster = checked(file.name, values, found.lon, found.lat, look, rate, found.notes)
    check_orbit(file.name, np.where(raster.valid, look, np.nan), reading.orbit or found.orbit, found.left)
    return raster


@dataclass(frozen=True)
class Found:
    """Holds what a format's reader finds: values in ``unit`` and the rest as in `Raster`."""

    values: Array
    lon: Array
    lat: Array
    look: Array
    unit: str | None = None
    wavelength_m: float | None = None
    orbit: str | None = None
    left: bool = False
    notes: tuple[str, ...] = ()


def constant_look(name: str, shape: tuple[int, ...], reading: Reading) -> Array | None:
    """Returns the look of incidence_deg and heading_deg on all pixels; None without them."""
    if reading.incidence_deg is None and reading.heading_deg is None:
        return None
    if reading.incidence_deg is None or reading.heading_deg is None:
        invalid(f"{name}: incidence_deg, heading_deg", "must be given both or none")
    look = units.look_of_heading(name, np.full(1, reading.incidence_deg), reading.heading_deg)
    return np.array(np.broadcast_to(look[:, :, None], (3, *shape)))


def read_mask(file: pathlib.Path, shape: tuple[int, ...]) -> Mask:
    """Reads [row][column], True where the mask's value is neither 0 nor missing."""
    if not file.is_file():
        raise Error("NotFound", f"{file} is not there")
    if file.suffix.lower() in _HDF5:
        from . import mintpy

        values = mintpy.open_mask(file)
    else:
        from . import grids

        values = grids.open_grid(file, None).values
    if values.shape != shape:
        invalid(f"{file.name}: mask", f"must have the {shape[0]} x {shape[1]} pixels of the values, got "
                                      f"{' x '.join(map(str, values.shape))}")
    kept: Mask = np.isfinite(values) & (values != 0)
    if not kept.any():
        invalid(f"{file.name}: mask", "must keep a pixel, got 0 in all")
    return kept
