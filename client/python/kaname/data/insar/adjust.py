# SPDX-License-Identifier: BSD-3-Clause
"""Areas, masks, a reference and a ramp of a raster."""
from __future__ import annotations

from typing import Sequence

import numpy as np

from ...errors import invalid
from .raster import Array, Mask, Raster

Area = Sequence[float]  # west, east, south, north [deg]
_FEWEST_PIXELS = 10


def inside(raster: Raster, area: Area, field: str) -> Mask:
    """Returns [row][column], True in an area of west, east, south, north; it may cross 180 degrees.

    Raises InvalidArgument where the area is none or holds no value of the raster.
    """
    west, east, south, north = _checked(area, field)
    turned = (raster.lon - west) % 360.0
    found: Mask = (turned <= (east - west)) & (raster.lat >= south) & (raster.lat <= north)
    if not (found & raster.valid).any():
        low_lon, high_lon = float(np.nanmin(raster.lon)), float(np.nanmax(raster.lon))
        low_lat, high_lat = float(np.nanmin(raster.lat)), float(np.nanmax(raster.lat))
        invalid(field, f"must hold values of {raster.name}, which lies within {low_lon:.6g} {high_lon:.6g} "
                       f"{low_lat:.6g} {high_lat:.6g}, got {west:g} {east:g} {south:g} {north:g}")
    return found


def _checked(area: Area, field: str) -> tuple[float, float, float, float]:
    text = " ".join(f"{v:g}" for v in area)
    if len(area) != 4 or not np.isfinite(area).all():
        invalid(field, f"must be west, east, south, north in degrees, got {text}")
    west, east, south, north = area
    if east < west:
        east += 360.0
    if not (-360.0 <= west <= 360.0 and 0.0 < east - west <= 360.0 and -90.0 <= south < north <= 90.0):
        invalid(field, f"must be west, east, south, north in degrees with south below north, got {text}")
    return west, east, south, north


def within(raster: Raster, area: Area) -> Raster:
    """Returns the part of the raster that lies in an area; rows and columns without values go."""
    kept = inside(raster, area, "bounds") & raster.valid
    rows, columns = np.flatnonzero(kept.any(axis=1)), np.flatnonzero(kept.any(axis=0))
    part = (slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1))
    if min(rows[-1] - rows[0], columns[-1] - columns[0]) < 1:
        invalid("bounds", "must hold at least 2 rows and 2 columns of values, got one")
    values = np.where(kept[part], raster.values[part], np.nan)
    return Raster(raster.name, values, raster.lon[part], raster.lat[part], raster.look[(slice(None), *part)],
                  raster.rate, raster.notes)


def masked(raster: Raster, mask: Mask) -> Raster:
    """Returns the raster without the pixels in which the mask is False."""
    if mask.shape != raster.values.shape:
        invalid("mask", f"must have the pixels of {raster.name}, {raster.values.shape}, got {mask.shape}")
    return raster.with_values(np.where(mask, raster.values, np.nan))


def referenced(raster: Raster, area: Area) -> Raster:
    """Returns motion relative to an area, whose median becomes 0."""
    there = inside(raster, area, "reference") & raster.valid
    if there.sum() < _FEWEST_PIXELS:
        invalid("reference", f"must hold at least {_FEWEST_PIXELS} values, got {int(there.sum())}")
    level = float(np.median(raster.values[there]))
    return raster.with_values(raster.values - level, f"reference: {level:.4g} {raster.unit} of "
                              f"{int(there.sum())} pixels is subtracted")


def deramped(raster: Raster, without: Mask | None = None) -> Raster:
    """Returns the raster less the plane that fits it best outside ``without`` [row][column]."""
    there = raster.valid if without is None else raster.valid & ~without
    plane, slopes = fitted_plane(raster, there)
    return raster.with_values(raster.values - plane, f"ramp: {1e6 * slopes[0]:.3g} mm/km to the east and "
                              f"{1e6 * slopes[1]:.3g} mm/km to the north are subtracted")


def fitted_plane(raster: Raster, there: Mask) -> tuple[Array, tuple[float, float]]:
    """Returns the plane [row][column] that fits the values ``there``, and its slopes [1]."""
    if there.sum() < _FEWEST_PIXELS:
        invalid("ramp", f"must have at least {_FEWEST_PIXELS} values outside the deformation, got {int(there.sum())}")
    x, y = raster.local_m()
    scale = max(float(np.nanmax(np.abs(x))), float(np.nanmax(np.abs(y))))
    rows = np.stack([np.ones(int(there.sum())), x[there] / scale, y[there] / scale])
    a, b, c = np.linalg.lstsq(rows @ rows.T, rows @ raster.values[there], rcond=None)[0]
    return a + (b * x + c * y) / scale, (float(b / scale), float(c / scale))
