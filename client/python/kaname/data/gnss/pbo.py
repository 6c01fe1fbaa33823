# SPDX-License-Identifier: BSD-3-Clause
"""Series of the Plate Boundary Observatory and of EarthScope: `.pos`.

Format: its own header describes the fields; docs.earthscope.org, "GPS/GNSS position time series,
PBO .pos format", version 1.1.0. Rows have north before east, and correlations north-east,
north-up, east-up.
"""
from __future__ import annotations

import os
import re

import numpy as np

from .rows import Array, Rows, day_of_iso_date, refuse, rows_of, text_lines
from .series import Series, check_correlations, tidy, to_local

_LARGEST_M = 1e5  # of motion since the reference position
_OF_A_SPHERE = 8e-3  # most that the equator's radius is off an ellipsoid's, relative
_ROUNDED_M = 1e-4  # positions have five digits


def read_pos(path: str | os.PathLike[str]) -> Series:
    """One station's daily solutions."""
    lines = text_lines(path)
    end = next((k for k, line in enumerate(lines) if line.strip().startswith("End Field Description")), None)
    if end is None:
        refuse(f"{path}:1", "header", "must have a line 'End Field Description'", lines[0] if lines else "")
    station, place = _header(str(path), lines[:end])
    rows = rows_of(path, lines[end + 1:], end + 2, comments="#*")
    rows.need(24, 25, "(date ... correlations, solution)")
    days = np.array([_day(rows, row) for row in range(len(rows.words))])
    mjd = rows.between(2, "modified Julian day", 0.0, 1e5)
    rows.check(~((mjd < days) | (mjd > days + 1.0)), 2, "modified Julian day", "must be that of the date")
    move = [rows.between(c, n, -_LARGEST_M, _LARGEST_M) for c, n in ((16, "dE"), (15, "dN"), (17, "dU"))]
    sigma = [rows.positive(c, n) for c, n in ((19, "Se"), (18, "Sn"), (20, "Su"))]
    correlation = check_correlations(rows, (21, 23, 22), ("Rne", "Reu", "Rnu"))
    xyz = np.stack([rows.between(c, n, -1e8, 1e8) for c, n in ((3, "X"), (4, "Y"), (5, "Z"))], axis=1)
    motion = _on_the_ellipsoid(np.stack(move, axis=1), xyz, place)
    return tidy(rows, station, place, mjd, motion, np.stack(sigma, axis=1), correlation)


def _on_the_ellipsoid(motion: Array, xyz: Array, place: tuple[float, float, float]) -> Array:
    """Motion [row][east, north, up] of the positions ``xyz`` [row][3], in m.

    dN and dE of the archive's files are differences of latitude and longitude times 6,378,137 m, the
    equator's radius: by the ellipsoid's own radii up to 0.7 % less or more, millimetres of a great
    earthquake. ``motion`` as it stands is for files whose X, Y, Z do not agree with it so far, such as
    those that leave them at zero.
    """
    whole = np.flatnonzero(np.isfinite(xyz).all(axis=1) & np.isfinite(motion).all(axis=1))
    if whole.size == 0:
        return motion
    local: Array = (xyz - xyz[whole[0]]) @ to_local(*place[:2]).T + motion[whole[0]]
    off = float(np.abs(local - motion)[whole].max())
    size = float(np.abs(motion - motion[whole[0]])[whole].max())
    return local if off <= _ROUNDED_M + _OF_A_SPHERE * size else motion


def _header(path: str, lines: list[str]) -> tuple[str, tuple[float, float, float]]:
    """Station and place: ``4-character ID: P403`` and ``NEU Reference position : 48 235 284``."""
    station, place = "", None
    for number, line in enumerate(lines, 1):
        key, colon, value = line.partition(":")
        words = value.split()
        key = key.strip()
        if not colon:
            continue
        if key == "4-character ID":
            if not words:
                refuse(f"{path}:{number}", "4-character ID", "must name a station", value.strip())
            station = words[0]
        elif key == "NEU Reference position":
            if len(words) < 3 or not all(re.fullmatch(r"[-+]?\d+(\.\d*)?", w) for w in words[:3]):
                refuse(f"{path}:{number}", "NEU Reference position", "must be latitude, longitude and height", value.strip())
            lat, lon, height = (float(w) for w in words[:3])
            if not (-90.0 <= lat <= 90.0 and -360.0 <= lon <= 360.0):
                refuse(f"{path}:{number}", "NEU Reference position",
                       "must have a latitude of -90 to 90 and a longitude of -360 to 360", value.strip())
            place = ((lon + 180.0) % 360.0 - 180.0, lat, height)
    if not station:
        refuse(f"{path}:1", "header", "must have a line '4-character ID: ...'", lines[0] if lines else "")
    if place is None:
        refuse(f"{path}:1", "header", "must have a line 'NEU Reference position : ...'", lines[0])
    return station, place


def _day(rows: Rows, row: int) -> float:
    text = rows.words[row][0]
    day = day_of_iso_date(f"{text[:4]}-{text[4:6]}-{text[6:]}") if len(text) == 8 and text.isdecimal() else None
    if day is None:
        rows.refuse(row, "date", "must be a date as 20110311", text)
    return day
