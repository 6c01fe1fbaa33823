# SPDX-License-Identifier: BSD-3-Clause
"""Units of values and conventions of angles.

Values become metres towards the satellite. Phase phi in radians grows with the distance, so that
motion towards the satellite is d = -phi lambda / (4 pi) (Rosen et al. 2000), as MintPy, GMTSAR, ISCE
and LiCSBAS have it.
"""
from __future__ import annotations

import numpy as np

from ...errors import invalid
from .raster import Array

_LENGTHS = {"m": 1.0, "meter": 1.0, "meters": 1.0, "metre": 1.0, "metres": 1.0, "cm": 1e-2, "mm": 1e-3}
_YEARS = ("/year", "/yr", "/y", "/a", "_per_year", "_per_yr", " per year", " year-1", " yr-1")
_RADIANS = ("radian", "radians", "rad")
_NAMES = "m, cm, mm, m/year, cm/year, mm/year or radian"
_WAVELENGTHS_M = (0.005, 2.0)
_WRAPPED_SPAN = 1.9 * np.pi


def in_metres(name: str, values: Array, unit: str | None, wavelength_m: float | None) -> tuple[Array, bool]:
    """Returns values in m or m/year, and True for the latter.

    Raises InvalidArgument where the unit is not known, phase has no wavelength, or phase is wrapped.
    """
    if unit is None or not unit.strip():
        invalid(f"{name}: unit", f"must be given (--unit) as {_NAMES}, for the file does not name it")
    text = unit.strip().lower()
    if text in _RADIANS:
        refuse_wrapped(name, values)
        return values * (-wavelength(name, wavelength_m) / (4.0 * np.pi)), False
    rate = False
    for ending in _YEARS:
        if text.endswith(ending):
            text, rate = text.removesuffix(ending), True
            break
    if text not in _LENGTHS:
        invalid(f"{name}: unit", f"must be {_NAMES}, got '{unit}'")
    return values * _LENGTHS[text], rate


def wavelength(name: str, value: float | None) -> float:
    """Returns a wavelength [m] that a radar may have."""
    low, high = _WAVELENGTHS_M
    if value is None:
        invalid(f"{name}: wavelength", "must be given (--wavelength-m) to turn radians into metres")
    if not low <= value <= high:
        invalid(f"{name}: wavelength", f"must be {low:g} to {high:g} m, got {value:g}")
    return value


def refuse_wrapped(name: str, phase: Array) -> None:
    """Raises InvalidArgument where all phases lie within one turn and fill it."""
    there = phase[np.isfinite(phase)]
    if there.size < 16:
        return
    low, high = float(there.min()), float(there.max())
    # Noise of unwrapped phase leaves a turn; wrapped phase lies in [-pi, pi] or in [0, 2 pi].
    within = max(-low, high) <= np.pi + 1e-3 or (low >= -1e-3 and high <= 2.0 * np.pi + 1e-3)
    if within and high - low > _WRAPPED_SPAN:
        invalid(f"{name}: phase", f"must be unwrapped, got values that fill one turn from {low:.4g} to {high:.4g} "
                                  "radians")


def look_of_angles(name: str, incidence: Array, azimuth: Array, angles: str = "degrees") -> Array:
    """Returns [3][...] east, north, up of the vector to the satellite.

    ``incidence`` is counted from the vertical; ``azimuth`` is the direction from the ground to the
    satellite, counted from north anticlockwise (MintPy's azimuthAngle, ISCE's los files).
    """
    theta = np.radians(_degrees(f"{name}: incidence", incidence, angles, 0.0, 90.0))
    turn = np.radians(_degrees(f"{name}: azimuth", azimuth, angles, -360.0, 360.0))
    return np.stack([-np.sin(theta) * np.sin(turn), np.sin(theta) * np.cos(turn),
                     np.cos(theta) + 0.0 * turn])


def look_of_heading(name: str, incidence: Array, heading: float) -> Array:
    """Returns the same for a satellite that flies towards ``heading``, in degrees clockwise from
    north, and looks to its right; incidence in degrees."""
    theta = np.radians(_degrees(f"{name}: incidence", incidence, "degrees", 0.0, 90.0))
    if not -360.0 <= heading <= 360.0:
        invalid(f"{name}: heading", f"must be -360 to 360 degrees, got {heading:g}")
    return np.stack([-np.sin(theta) * np.cos(np.radians(heading)), np.sin(theta) * np.sin(np.radians(heading)),
                     np.cos(theta)])


def look_of_elevation(name: str, elevation: Array, direction: Array) -> Array:
    """Returns the same of kite's angles in radians: theta up from the horizontal, phi from east
    anticlockwise, both towards the satellite."""
    theta = np.radians(_degrees(f"{name}: theta", elevation, "radians", -90.0, 90.0))
    phi = np.radians(_degrees(f"{name}: phi", direction, "radians", -360.0, 360.0))
    return np.stack([np.cos(theta) * np.cos(phi), np.cos(theta) * np.sin(phi), np.sin(theta) + 0.0 * phi])


def _degrees(field: str, values: Array, angles: str, low: float, high: float) -> Array:
    """Returns angles in degrees; refuses those that are out of range or of the other unit."""
    if angles not in ("degrees", "radians"):
        invalid("angles", f"must be degrees or radians, got '{angles}'")
    there = values[np.isfinite(values)]
    if not there.size:
        invalid(field, "must have finite angles, got none")
    largest = float(np.abs(there).max())
    if angles == "radians":
        if largest > np.radians(high) + 1e-3:
            invalid(field, f"must be at most {np.radians(high):.4g} radians, got {largest:.4g}; is its unit degrees?")
        return np.degrees(values)
    if there.min() < low or there.max() > high:
        worst = there.max() if there.max() > high else there.min()
        invalid(field, f"must be {low:g} to {high:g} degrees, got {worst:.4g}")
    # No imaging radar looks down within 2 degrees of the vertical.
    if field.endswith("incidence") and largest <= 0.5 * np.pi:
        invalid(field, f"must be in degrees, got at most {largest:.4g}; if it is in radians, give --angles radians")
    return values
