# SPDX-License-Identifier: BSD-3-Clause
"""Velocities of GAMIT/GLOBK: the summary of an `.org` file, or a `.vel` file.

Format: GLOBK Reference Manual (geoweb.mit.edu/gg), "SUMMARY VELOCITY ESTIMATES FROM GLOBK":
longitude and latitude [degrees]; rates east and north, their adjustments, their standard deviations
[mm/yr]; their correlation; rate of height, adjustment, standard deviation [mm/yr]; site, with a
star behind sites that fix the frame.
"""
from __future__ import annotations

import os

import numpy as np

from .rows import refuse, rows_of, text_lines
from .series import Velocities

_TITLE = "SUMMARY VELOCITY ESTIMATES FROM GLOBK"
_LARGEST_MM = 1e5


def read_globk(path: str | os.PathLike[str]) -> Velocities:
    """All sites of the last summary of the file. A site's name loses its `_GPS` where the first four
    letters are those of no other site."""
    lines = text_lines(path)
    titles = [k for k, line in enumerate(lines) if _TITLE in line]
    if titles:
        begin = titles[-1] + 1
        while begin < len(lines) and lines[begin].strip() and not _is_row(lines[begin]):
            begin += 1
        end = begin
        while end < len(lines) and lines[end].strip():
            end += 1
    elif os.fspath(path).endswith(".vel"):
        begin, end = 0, len(lines)
        while begin < end and not _is_row(lines[begin]):
            begin += 1
    else:
        refuse(f"{path}:1", "summary", f"must begin with a line '{_TITLE}'", lines[0] if lines else "")
    rows = rows_of(path, lines[begin:end], begin + 1, comments="#*")
    if not rows.words:
        refuse(str(path), "sites", "must be one or more", 0)
    rows.need(13, 14, "(longitude ... site)")
    lon = rows.between(0, "longitude", -360.0, 360.0)
    lat = rows.between(1, "latitude", -90.0, 90.0)
    rate = np.stack([rows.between(c, n, -_LARGEST_MM, _LARGEST_MM) for c, n in (
        (2, "east rate"), (3, "north rate"), (9, "height rate"))], axis=1)
    sigma = np.stack([rows.positive(c, n) for c, n in (
        (6, "east +-"), (7, "north +-"), (11, "height +-"))], axis=1)
    rho = rows.between(8, "rho", -1.0, 1.0)
    for column, name in ((0, "longitude"), (1, "latitude")):
        rows.check(np.isfinite((lon, lat)[column]), column, name, "must be finite")
    kept = np.flatnonzero(np.isfinite(np.column_stack([rate, sigma, rho])).all(axis=1) & (np.abs(rho) < 1.0))
    if not kept.size:
        refuse(str(path), "sites", "must be one or more with finite numbers", 0)
    names = [rows.words[r][12].rstrip("*") for r in kept]
    seen: dict[str, int] = {}
    for row, name in zip(kept, names):
        if name in seen:
            rows.refuse(int(row), "site", f"must be there once, and is in line {seen[name]} too", name)
        seen[name] = rows.line[row]
    short = [name[:4] for name in names]
    stations = [s if short.count(s) == 1 else name for s, name in zip(short, names)]
    covariance = np.zeros((3 * kept.size, 3 * kept.size))
    for k, row in enumerate(kept):
        block = np.diag(sigma[row]**2)
        block[0, 1] = block[1, 0] = rho[row] * sigma[row, 0] * sigma[row, 1]
        covariance[3 * k:3 * k + 3, 3 * k:3 * k + 3] = block * 1e-6
    notes = [] if kept.size == len(rows.words) else [f"{len(rows.words) - kept.size} sites without a number left out"]
    return Velocities(stations, (lon[kept] + 180.0) % 360.0 - 180.0, lat[kept], rate[kept] * 1e-3,
                      covariance, str(path), notes)


def _is_row(line: str) -> bool:
    words = line.split()
    try:
        float(words[0])
        return len(words) >= 13
    except (ValueError, IndexError):
        return False
