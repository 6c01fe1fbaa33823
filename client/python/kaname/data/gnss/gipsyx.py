# SPDX-License-Identifier: BSD-3-Clause
"""Series of JPL's GipsyX: `.series`.

Format: sideshow.jpl.nasa.gov/post/tables/GNSS_Time_Series.pdf: decimal year; east, north, vertical
[m]; their standard deviations [m]; correlations east-north, east-vertical, north-vertical; seconds
since J2000; year, month, day, hour, minute, second. The station is the file's stem, and its place
is not in the file.
"""
from __future__ import annotations

import datetime
import os
import pathlib

import numpy as np

from .rows import mjd_of, rows_of, text_lines
from .series import DAYS_OF_YEAR, Series, tidy

_MJD_J2000 = 51544.5
_LARGEST_M = 1e5


def read_series(path: str | os.PathLike[str]) -> Series:
    """One station's daily solutions. Correlations beyond 1, which such files have, are taken as
    unknown (0) and counted in the notes."""
    rows = rows_of(path, text_lines(path))
    rows.need(17, 17, "(decimal year ... second)")
    year = rows.between(0, "decimal year", 1980.0, 2100.0)
    seconds = rows.between(10, "seconds since J2000", -1e9, 4e9)
    mjd = seconds / 86400.0 + _MJD_J2000
    rows.check(~(np.abs((year - 2000.0) * DAYS_OF_YEAR + _MJD_J2000 - mjd) > 1.5), 0, "decimal year",
               "must agree with the seconds since J2000 within a day")
    for row, words in enumerate(rows.words):
        try:
            day = mjd_of(datetime.date(int(words[11]), int(words[12]), int(words[13])))
        except (ValueError, OverflowError):
            rows.refuse(row, "date", "must be year, month and day", " ".join(words[11:14]))
        if not abs(mjd[row] - day - 0.5) <= 0.6 and np.isfinite(mjd[row]):
            rows.refuse(row, "date", "must be that of the seconds since J2000", " ".join(words[11:14]))
    move = [rows.between(c, n, -_LARGEST_M, _LARGEST_M) for c, n in ((1, "east"), (2, "north"), (3, "vertical"))]
    sigma = [rows.positive(c, f"sigma {n}") for c, n in ((4, "east"), (5, "north"), (6, "vertical"))]
    correlation = np.stack([rows.numbers(c, f"correlation {n}") for c, n in (
        (7, "east-north"), (8, "east-vertical"), (9, "north-vertical"))], axis=1)
    beyond = np.abs(correlation) > 1.0
    correlation[beyond] = 0.0
    nan = (float("nan"),) * 3
    series = tidy(rows, pathlib.Path(path).name.split(".")[0], nan, mjd, np.stack(move, axis=1),
                  np.stack(sigma, axis=1), correlation)
    if beyond.any():
        series.notes.append(f"{int(beyond.any(axis=1).sum())} epochs with a correlation beyond 1, taken as unknown")
    return series
