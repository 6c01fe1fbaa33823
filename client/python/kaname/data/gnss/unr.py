# SPDX-License-Identifier: BSD-3-Clause
"""Files of the Nevada Geodetic Laboratory: `.tenv3`, `.txyz2` and its list of steps.

Formats: geodesy.unr.edu/gps_timeseries/README_tenv3.txt and README_txyz2.txt,
geodesy.unr.edu/NGLStationPages/steps_readme.txt; Blewitt, Hammond and Kreemer 2018,
doi:10.1029/2018EO104623. A newer `.tenv3` has three columns more, the station's latitude, longitude
and height; of an older one the place follows from its eastings and northings.
"""
from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np

from .rows import Array, Rows, rows_of, text_lines
from .series import DAYS_OF_YEAR, Series, check_correlations, near_the_ground, tidy, turned

_NOON = 0.5  # of a daily solution
_MJD_2000 = 51544.0
# _QUARTER_M is the meridian's length from equator to pole, WGS84.
_QUARTER_M = 10001965.73
_LARGEST_M = 1e8


@dataclass(frozen=True)
class Step:
    """A day on which a station may have moved at once. ``earthquake`` is false of changes of
    equipment; ``about`` is the kind of change, or magnitude and event."""

    station: str
    mjd: float
    earthquake: bool
    about: str


def read_tenv3(path: str | os.PathLike[str]) -> Series:
    """One station's daily solutions."""
    lines = text_lines(path)
    first = 1
    if lines and lines[0].split()[:1] == ["site"]:
        lines, first = lines[1:], 2
    rows = rows_of(path, lines, first)
    rows.need(20, 23, "(station ... height)")
    station = _one_station(rows)
    mjd = _checked_days(rows, rows.days(1, "date"), 2, 3)
    reference = rows.between(6, "reference longitude", -180.1, 180.1)
    parts = [rows.between(column, name, -_LARGEST_M, _LARGEST_M) for column, name in (
        (7, "east"), (8, "east"), (9, "north"), (10, "north"), (11, "up"), (12, "up"))]
    antenna = rows.numbers(13, "antenna height")
    sigma = np.stack([rows.positive(c, f"sigma {n}") for c, n in ((14, "east"), (15, "north"), (16, "up"))], axis=1)
    correlation = check_correlations(rows, (17, 18, 19), ("correlation east-north", "correlation east-up",
                                                          "correlation north-up"))
    whole, fraction = np.stack(parts[::2], axis=1), np.stack(parts[1::2], axis=1)
    if len(whole):
        fraction = fraction + (whole - whole[np.argmax(np.isfinite(whole).all(axis=1))])
    place = _place(rows, reference, whole)
    return tidy(rows, station, place, mjd, fraction, sigma, correlation, antenna)


def read_txyz2(path: str | os.PathLike[str]) -> Series:
    """One station's daily Cartesian solutions; the columns of correlations are xy, yz, xz
    (10 to 12 of README_txyz2.txt), in another order than those of `.pos`."""
    rows = rows_of(path, text_lines(path))
    rows.need(12, 13, "(station ... correlations, antenna height)")
    station = _one_station(rows)
    mjd = _checked_days(rows, rows.days(1, "date"), 2, None)
    xyz = np.stack([rows.between(c, n, -_LARGEST_M, _LARGEST_M) for c, n in ((3, "x"), (4, "y"), (5, "z"))], axis=1)
    near_the_ground(rows, xyz, 3)
    sigma = np.stack([rows.positive(c, f"sigma {n}") for c, n in ((6, "x"), (7, "y"), (8, "z"))], axis=1)
    correlation = check_correlations(rows, (9, 11, 10), ("correlation xy", "correlation xz", "correlation yz"))
    antenna = rows.numbers(12, "antenna height") if all(len(w) == 13 for w in rows.words) else None
    return turned(rows, station, mjd, xyz, sigma, correlation, antenna)


def read_steps(path: str | os.PathLike[str]) -> list[Step]:
    """UNR's list: station, date, 1 and the kind of change, or 2, a threshold distance, distance
    [km], magnitude and event."""
    rows = rows_of(path, text_lines(path))
    rows.need(3, 64, "(station, date, code, ...)")
    days = rows.days(1, "date")
    found = []
    for row, words in enumerate(rows.words):
        if words[2] not in ("1", "2"):
            rows.refuse(row, "code", "must be 1 (equipment) or 2 (earthquake)", words[2])
        if words[2] == "2" and len(words) < 6:
            rows.refuse(row, "number of columns", "of an earthquake must be at least 6", len(words))
        about = " ".join(words[3:]) if words[2] == "1" else f"M{words[5]} at {words[4]} km"
        found.append(Step(words[0], float(days[row]), words[2] == "2", about))
    return found


def _one_station(rows: Rows) -> str:
    """The station that all rows name."""
    if not rows.words:
        return ""
    station = rows.words[0][0]
    for row, words in enumerate(rows.words):
        if words[0] != station:
            rows.refuse(row, "station", f"must be {station} as in the first row", words[0])
    return station


def _checked_days(rows: Rows, day: Array, year_column: int, mjd_column: int | None) -> Array:
    """Noons of the days, where date, decimal year and modified Julian day agree."""
    year = rows.between(year_column, "decimal year", 1980.0, 2100.0)
    rows.check(~(np.abs((year - 2000.0) * DAYS_OF_YEAR + _MJD_2000 - day) > 1.5), year_column,
               "decimal year", "must agree with the date within a day")
    if mjd_column is not None:
        mjd = rows.numbers(mjd_column, "modified Julian day")
        rows.check(~(np.abs(mjd - day) > 0.5), mjd_column, "modified Julian day", "must be that of the date")
    return day + _NOON


def _place(rows: Rows, reference: Array, whole: Array) -> tuple[float, float, float]:
    if rows.words and all(len(words) == 23 for words in rows.words):
        lat = rows.between(20, "latitude", -90.0, 90.0)
        lon = rows.between(21, "longitude", -360.0, 360.0)
        height = rows.between(22, "height", -1e4, 1e4)
        there = np.isfinite(lon) & np.isfinite(lat) & np.isfinite(height)
        if not there.any():
            rows.refuse(0, "latitude, longitude, height", "must be finite in one row or more", "nan")
        middle = [float(np.median(values[there])) for values in (lon, lat, height)]
        return ((middle[0] + 180.0) % 360.0 - 180.0, middle[1], middle[2])
    if not len(whole) or not np.isfinite(whole[0]).all() or not np.isfinite(reference[0]):
        return (float("nan"),) * 3
    if abs(whole[0][1]) > _QUARTER_M:
        rows.refuse(0, "north", f"must be at most {_QUARTER_M:g} m from the equator", rows.words[0][9])
    east, north, up = whole[0]
    footpoint = _latitude(float(north))
    radius = 6378137.0 * np.cos(footpoint) / np.sqrt(1 - 0.00669437999014 * np.sin(footpoint)**2)
    degrees = float(reference[0] + np.degrees(east / max(radius, 1.0)))
    return ((degrees + 180.0) % 360.0 - 180.0, float(np.degrees(footpoint)), float(up))


def _latitude(northing: float) -> float:
    """The latitude [rad] at a distance along the meridian from the equator: the footpoint series of
    Snyder 1987, eq. 3-26."""
    mu = northing / _QUARTER_M * np.pi / 2
    root = np.sqrt(1 - 0.00669437999014)
    e = (1 - root) / (1 + root)
    return float(mu + (3 * e / 2 - 27 * e**3 / 32) * np.sin(2 * mu)
                 + (21 * e**2 / 16) * np.sin(4 * mu) + (151 * e**3 / 96) * np.sin(6 * mu))
