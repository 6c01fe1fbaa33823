# SPDX-License-Identifier: BSD-3-Clause
"""Reads grids that GDAL knows: GMTSAR (.grd), LiCSAR and LiCSBAS (GeoTIFF), ISCE geocoded (.vrt, .xml).

GMTSAR: los_ll.grd [mm] or unwrap_ll.grd [rad] with look_e.grd, look_n.grd, look_u.grd of SAT_look
(https://github.com/gmtsar/gmtsar/wiki). LiCSAR: FRAME.geo.E.tif, .N.tif and .U.tif are the vector from
the ground to the satellite (https://comet.nerc.ac.uk/comet-lics-portal-product-file-formats). ISCE:
los.rdr.geo has the incidence in band 1 and the azimuth anticlockwise from north in band 2; an .unw has
its phase in band 2 (https://github.com/isce-framework/isce2).
"""
from __future__ import annotations

import pathlib
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import Error, invalid, need
from . import units
from .raster import MOST_PIXELS, Array
from .reading import Found, Reading, constant_look

_DRIVERS = ["GTiff", "netCDF", "VRT", "ISCE", "ENVI"]
_LOOKS = (("*.geo.E.tif", "*.geo.N.tif", "*.geo.U.tif"), ("E.geo.tif", "N.geo.tif", "U.geo.tif"),
          ("E.tif", "N.tif", "U.tif"), ("look_e.grd", "look_n.grd", "look_u.grd"), ("los.rdr.geo.vrt",), ("los.rdr.geo",))
_LATTICE = 65  # nodes a side between which map projections are interpolated
_MOST_VRT = 1 << 20  # bytes


@dataclass(frozen=True)
class Grid:
    """A band: values with NaN where there is none, and places of the pixels' centres in degrees."""

    name: str
    values: Array
    lon: Array
    lat: Array
    unit: str | None


def open_raster(file: pathlib.Path, reading: Reading) -> Found:
    """Reads values and look. Raises NotFound, InvalidArgument, Unavailable without GDAL."""
    if reading.dates:
        invalid(f"{file.name}: dates", f"must be left out, for grids have none, got {' '.join(reading.dates)}")
    if re.search(r"diff_pha|phasefilt|phase_ll|\.int(\.|$)", file.name):
        invalid(f"{file.name}: phase", "must be unwrapped, got a file with the name of wrapped phase")
    grid = open_grid(file, reading.band)
    look = constant_look(file.name, grid.values.shape, reading)
    if look is None:
        look = _look(file, grid, reading)
    if _is_phase(reading.unit or grid.unit):
        # LiCSAR's unwrapped phase is 0 where there is none, and ISCE's too.
        grid = Grid(grid.name, np.where(grid.values == 0.0, np.nan, grid.values), grid.lon, grid.lat, grid.unit)
    return Found(grid.values, grid.lon, grid.lat, look, grid.unit)


def _is_phase(unit: str | None) -> bool:
    return (unit or "").strip().lower() in ("radian", "radians", "rad")


def _look(file: pathlib.Path, grid: Grid, reading: Reading) -> Array:
    names = [pathlib.Path(name) for name in reading.look] or _beside(file)
    if len(names) == 1:
        bands = [open_grid(names[0], band) for band in (1, 2)]
        for one in bands:
            _same_pixels(grid, one)
        incidence = np.where(bands[0].values == 0.0, np.nan, bands[0].values)
        azimuth = np.where(np.isfinite(incidence), bands[1].values, np.nan)
        return units.look_of_angles(names[0].name, incidence, azimuth, reading.angles)
    if len(names) != 3:
        invalid(f"{file.name}: look", "must be given (--look E N U, or --look FILE with incidence and azimuth, or "
                                      f"--incidence-deg and --heading-deg), got {len(names)} files")
    parts = [open_grid(name, None) for name in names]
    for part in parts:
        _same_pixels(grid, part)
    return np.stack([part.values for part in parts])


def _beside(file: pathlib.Path) -> list[pathlib.Path]:
    """Returns the look files of the same folder that have their usual names."""
    for patterns in _LOOKS:
        found = [sorted(file.parent.glob(pattern)) for pattern in patterns]
        if all(len(paths) == 1 for paths in found):
            return [paths[0] for paths in found]
    return []


def _same_pixels(grid: Grid, other: Grid) -> None:
    rows, columns = grid.values.shape
    if other.values.shape != (rows, columns):
        invalid(f"{other.name}: pixels", f"must be the {rows} x {columns} of {grid.name}, got "
                                         f"{other.values.shape[0]} x {other.values.shape[1]}")
    step = max(abs(grid.lon[0, 1] - grid.lon[0, 0]), abs(grid.lat[1, 0] - grid.lat[0, 0]))
    away = max(np.abs(grid.lon - other.lon).max(), np.abs(grid.lat - other.lat).max())
    if away > 0.5 * step:
        invalid(f"{other.name}: pixels", f"must lie at those of {grid.name} within half a pixel ({0.5 * step:.3g} "
                                         f"degrees), are {away:.3g} degrees away")


def open_grid(file: pathlib.Path, band: int | None) -> Grid:
    """Reads one band; ``band`` may be left out where there is one, and of unwrapped phase of ISCE."""
    gdal: Any = need("osgeo.gdal", "python3-gdal", f"reading {file.name}")
    if file.suffix == ".xml":
        file = file.with_suffix("")  # ISCE's header; its values stand in the file that it is named after
    if not file.is_file():
        raise Error("NotFound", f"{file} is not there")
    _refuse_links(file)
    gdal.UseExceptions()
    gdal.PushErrorHandler("CPLQuietErrorHandler")
    try:
        data = _opened(gdal, file)
        if band is None:
            band = 2 if data.RasterCount == 2 and ".unw" in file.name else 1 if data.RasterCount == 1 else None
        if band is None or not 1 <= band <= data.RasterCount:
            invalid(f"{file.name}: band", f"must be 1 to {data.RasterCount} (--band), got {band}")
        if data.RasterXSize * data.RasterYSize > MOST_PIXELS:
            invalid(f"{file.name}: pixels", f"must be at most {MOST_PIXELS}, got {data.RasterXSize} x {data.RasterYSize}")
        one = data.GetRasterBand(band)
        if gdal.GetDataTypeName(one.DataType).startswith("C"):
            invalid(f"{file.name}: band {band}", "must hold unwrapped phase or motion, got complex numbers")
        with np.errstate(invalid="ignore"):  # Bytes that are no number of their type are NaN.
            values = np.array(one.ReadAsArray(), dtype=np.float64)
        missing = one.GetNoDataValue()
        if missing is not None:
            values[values == missing] = np.nan
        values = values * (one.GetScale() or 1.0) + (one.GetOffset() or 0.0)
        lon, lat = _places(file.name, data)
        return Grid(file.name, values, lon, lat, _unit(one))
    except (RuntimeError, ValueError, TypeError, MemoryError, AttributeError, OverflowError) as error:
        raise Error("InvalidArgument", f"{file}: must be a readable grid: {' '.join(str(error).split())}") from error
    finally:
        gdal.PopErrorHandler()


def _opened(gdal: Any, file: pathlib.Path) -> Any:
    data = gdal.OpenEx(str(file), gdal.OF_RASTER, allowed_drivers=_DRIVERS)
    if data is None:
        invalid(file.name, f"must be a grid that GDAL reads ({', '.join(_DRIVERS)})")
    inner = data.GetSubDatasets()
    if data.RasterCount == 0 and inner:
        wanted = [name for name, _ in inner if name.endswith(":z")]
        if len(wanted) != 1:
            invalid(f"{file.name}", f"must hold one variable, or z, got {', '.join(n for n, _ in inner)}")
        data = gdal.OpenEx(wanted[0], gdal.OF_RASTER, allowed_drivers=_DRIVERS)
    if data is None or data.RasterCount == 0:
        invalid(file.name, "must hold a grid, got none")
    return data


def _unit(band: Any) -> str | None:
    """Returns the band's unit where it is one of lengths, rates or radians; GMT also writes 'z'."""
    text = (band.GetUnitType() or "").strip()
    return text if re.fullmatch(r"([cm]?m|met[re]{2}s?)([/_ ].*)?|rad(ian)?s?", text) else None


def _refuse_links(file: pathlib.Path) -> None:
    """Refuses a VRT that leads out of its folder."""
    if file.suffix.lower() != ".vrt":
        return
    text = file.read_bytes()[:_MOST_VRT + 1].decode("utf-8", "replace")
    if len(text) > _MOST_VRT:
        invalid(file.name, f"must have at most {_MOST_VRT} bytes")
    sources = re.findall(r"<(?:SourceFilename|SourceDataset)[^>]*>([^<]*)<", text)
    for source in sources:
        if "\0" in source:
            invalid(f"{file.name}: SourceFilename", "must be a name, got one with a zero byte")
        path = (file.parent / source.strip()).resolve()
        if not path.is_file() or path.parent != file.parent.resolve() or path.suffix.lower() == ".vrt":
            invalid(f"{file.name}: SourceFilename", f"must be a file of raw values in the same folder, got '{source}'")


def _places(name: str, data: Any) -> tuple[Array, Array]:
    turn = data.GetGeoTransform(can_return_null=True)
    if turn is None:
        invalid(f"{name}: places", "must be those of a geocoded grid, got none")
    if not np.isfinite(turn).all() or turn[1] * turn[5] == turn[2] * turn[4]:
        invalid(f"{name}: places", f"must have pixels of a size, got the transform {turn}")
    reference = data.GetSpatialRef()
    x = turn[0] + (np.arange(data.RasterXSize) + 0.5) * turn[1]
    y = turn[3] + (np.arange(data.RasterYSize) + 0.5) * turn[5]
    if reference is not None and reference.IsProjected():
        if turn[2] or turn[4]:
            invalid(f"{name}: places", "must not be a turned map projection")
        return unprojected(name, x, y, reference)
    lon, lat = np.meshgrid(x, y)
    if turn[2] or turn[4]:
        rows, columns = np.arange(data.RasterYSize) + 0.5, np.arange(data.RasterXSize) + 0.5
        lon, lat = lon + turn[2] * rows[:, None], lat + turn[4] * columns[None, :]
    return lon, lat


def unprojected(name: str, x: Array, y: Array, reference: Any) -> tuple[Array, Array]:
    """Returns longitudes and latitudes [y][x] of a map projection, of an EPSG code or as GDAL has it.

    Between a lattice of 65 x 65 nodes they are interpolated, which moves the pixels of a scene of 250 km
    by less than a metre.
    """
    osr: Any = need("osgeo.osr", "python3-gdal", f"reading {name}")
    osr.UseExceptions()
    try:
        if isinstance(reference, str):
            code, reference = reference, osr.SpatialReference()
            reference.ImportFromEPSG(int(code.upper().removeprefix("EPSG:")))
        degrees = osr.SpatialReference()
        degrees.ImportFromEPSG(4326)
        degrees.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
        reference.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
        turn = osr.CoordinateTransformation(reference, degrees)
        some_x = np.linspace(x[0], x[-1], _LATTICE)
        some_y = np.linspace(y[0], y[-1], _LATTICE)
        found = np.array(turn.TransformPoints([(a, b) for b in some_y for a in some_x]))
    except (RuntimeError, ValueError, TypeError) as error:
        raise Error("InvalidArgument", f"{name}: places: must have a map projection that is known: {error}") from error
    nodes = found[:, :2].reshape(_LATTICE, _LATTICE, 2)
    return _between(nodes[..., 0], x.size, y.size), _between(nodes[..., 1], x.size, y.size)


def _between(nodes: Array, columns: int, rows: int) -> Array:
    """Interpolates a lattice linearly to rows and columns."""
    for axis, count in ((0, rows), (1, columns)):
        place = np.linspace(0.0, nodes.shape[axis] - 1.0, count)
        low = np.minimum(place.astype(np.int64), nodes.shape[axis] - 2)
        part = (place - low).reshape((-1, 1) if axis == 0 else (1, -1))
        nodes = (1.0 - part) * nodes.take(low, axis) + part * nodes.take(low + 1, axis)
    return nodes
