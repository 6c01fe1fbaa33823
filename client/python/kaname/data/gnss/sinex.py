# SPDX-License-Identifier: BSD-3-Clause
"""Positions and velocities with covariance: SINEX 2 (`.snx`, `.sin`, `.ssc`).

Format: IERS, "SINEX - Solution (Software/technique) INdependent EXchange Format", version 2.02,
www.iers.org/SharedDocs/Publikationen/EN/IERS/Documents/ac/sinex/sinex_v202_pdf.pdf. Read are the
blocks SITE/ID, SOLUTION/ESTIMATE and SOLUTION/MATRIX_ESTIMATE (L or U; COVA, CORR or INFO); without
a matrix errors are independent.
"""
from __future__ import annotations

import calendar
import datetime
import os
import re
from dataclasses import dataclass

import numpy as np

from .rows import Array, Rows, mjd_of, refuse, rows_of, text_lines
from .series import Series, Velocities, geodetic, to_local, turned

MOST_PARAMETERS = 12000  # whose matrix takes 1.2 GB
_POSITION, _VELOCITY = ("STAX", "STAY", "STAZ"), ("VELX", "VELY", "VELZ")
_LARGEST_M = 1e8


@dataclass
class _Estimates:
    """Rows of SOLUTION/ESTIMATE by (site, point, solution), and the covariance of all."""

    at: dict[tuple[str, str, str], dict[str, int]]
    mjd: Array
    value: Array
    covariance: Array


def read_sinex(path: str | os.PathLike[str]) -> tuple[list[Series], Velocities | None]:
    """Returns the velocities of a file, with the covariance between all of them; of one with
    positions alone a series of one epoch per station, so that a folder of weekly files makes
    series. Of several solutions of a station the one of the highest number is taken, and noted."""
    lines = text_lines(path)
    if not lines or not lines[0].startswith("%=SNX"):
        refuse(f"{path}:1", "first line", "must begin with %=SNX", lines[0] if lines else "")
    blocks = _blocks(str(path), lines)
    if "SOLUTION/ESTIMATE" not in blocks:
        refuse(str(path), "blocks", "must hold SOLUTION/ESTIMATE", ", ".join(blocks) or "none")
    found = _estimates(str(path), blocks)
    notes = []
    chosen: dict[str, tuple[str, str, str]] = {}
    for key, types in found.at.items():
        if not all(name in types for name in _POSITION):
            continue
        name = key[0] if sum(k[0] == key[0] and k[1] != key[1] for k in found.at) == 0 else key[0] + key[1]
        if name in chosen:
            notes.append(f"{name}: solution {max(chosen[name][2], key[2], key=_order)} of several is taken")
        if name not in chosen or _order(key[2]) > _order(chosen[name][2]):
            chosen[name] = key
    with_velocity = {name: key for name, key in chosen.items()
                     if all(v in found.at[key] for v in _VELOCITY)}
    if with_velocity:
        return [], _velocities(str(path), found, with_velocity, notes)
    if not chosen:
        refuse(str(path), "SOLUTION/ESTIMATE", "must hold STAX, STAY and STAZ of a station", "none")
    return [_one_epoch(str(path), found, name, key) for name, key in chosen.items()], None


def _order(solution: str) -> tuple[int, str]:
    return (int(solution) if solution.isdecimal() and solution.isascii() else -1, solution)


def _blocks(path: str, lines: list[str]) -> dict[str, tuple[int, list[str]]]:
    """First line's number and lines of each block; the title of a matrix has two more words."""
    found: dict[str, tuple[int, list[str]]] = {}
    name, begin = "", 0
    for number, line in enumerate(lines, 1):
        if line.startswith("+"):
            if name:
                refuse(f"{path}:{number}", "block", f"must not begin before {name} ends", line.strip())
            name, begin = " ".join(line[1:].split()), number
        elif line.startswith("-") and name:
            if " ".join(line[1:].split()).split(" ")[0] != name.split(" ")[0]:
                refuse(f"{path}:{number}", "block", f"must end {name}", line.strip())
            found[name] = (begin + 1, lines[begin:number - 1])
            name = ""
    if name:
        refuse(f"{path}:{begin}", "block", "must have an end, the file may have been cut", name)
    return found


def _day(rows: Rows, row: int, text: str) -> float:
    """The modified Julian day of YY:DDD:SSSSS; 00:000:00000 has none (NaN)."""
    match = re.fullmatch(r"(\d{2}|\d{4}):(\d{3}):(\d{5})", text, re.ASCII)
    if not match or int(match[2]) > 366 or int(match[3]) > 86400:
        rows.refuse(row, "epoch", "must be as 10:209:43200", text)
    year, day = int(match[1]), int(match[2])
    if day == 0:
        return float("nan")
    if len(match[1]) == 2:
        year += 1900 if year > 50 else 2000
    if not 1 <= year <= 9999:
        rows.refuse(row, "epoch", "must have a year from 1 on", text)
    if day > 365 and not calendar.isleap(year):
        rows.refuse(row, "epoch", f"must have at most 365 days, for {year} is no leap year", text)
    return mjd_of(datetime.date(year, 1, 1)) + day - 1 + int(match[3]) / 86400.0


def _estimates(path: str, blocks: dict[str, tuple[int, list[str]]]) -> _Estimates:
    begin, lines = blocks["SOLUTION/ESTIMATE"]
    rows = rows_of(path, lines, begin, comments="*")
    rows.need(9, 10, "(index ... standard deviation)")
    n = len(rows.words)
    if not 1 <= n <= MOST_PARAMETERS:
        refuse(path, "SOLUTION/ESTIMATE", f"must hold 1 to {MOST_PARAMETERS} parameters", n)
    index = rows.between(0, "index", 1, 10**6)
    rows.check(index == np.arange(1, n + 1), 0, "index", "must count from 1")
    width = {len(words) for words in rows.words}
    if len(width) > 1:
        rows.refuse(int(np.argmax([len(w) != len(rows.words[0]) for w in rows.words])), "number of columns",
                    f"must be {len(rows.words[0])} as in the first row", sorted(width))
    last = width.pop()
    # Without a point code the row has nine words.
    at: dict[tuple[str, str, str], dict[str, int]] = {}
    mjd = np.empty(n)
    for row, words in enumerate(rows.words):
        point, solution, epoch = (words[3], words[4], words[5]) if last == 10 else ("A", words[3], words[4])
        mjd[row] = _day(rows, row, epoch)
        types = at.setdefault((words[2], point, solution), {})
        if words[1] in types:
            rows.refuse(row, "type", f"must be there once for station {words[2]}", words[1])
        types[words[1]] = row
        unit = words[last - 4].lower()
        if words[1] in _POSITION + _VELOCITY and unit not in ("m", "m/y", "m/yr"):
            rows.refuse(row, "unit", "must be m or m/y", unit)
    value = rows.between(last - 2, "estimate", -_LARGEST_M, _LARGEST_M)
    sigma = rows.positive(last - 1, "standard deviation")
    for column, values, name in ((last - 2, value, "estimate"), (last - 1, sigma, "standard deviation")):
        rows.check(np.isfinite(values), column, name, "must be finite")
    return _Estimates(at, mjd, value, _covariance(path, blocks, sigma))


def _covariance(path: str, blocks: dict[str, tuple[int, list[str]]], sigma: Array) -> Array:
    n = len(sigma)
    titles = [t for t in blocks if t.split(" ")[0] == "SOLUTION/MATRIX_ESTIMATE"]
    if not titles:
        return np.diag(sigma**2)
    words = titles[0].split(" ")[1:]
    begin, lines = blocks[titles[0]]
    if len(words) != 2 or words[0] not in ("L", "U") or words[1] not in ("COVA", "CORR", "INFO"):
        refuse(f"{path}:{begin - 1}", "SOLUTION/MATRIX_ESTIMATE", "must be L or U and COVA, CORR or INFO", " ".join(words))
    rows = rows_of(path, lines, begin, comments="*")
    rows.need(3, 5, "(row, column, one to three elements)")
    first, second = (rows.between(c, name, 1, n) for c, name in ((0, "row"), (1, "column")))
    for c, name, values in ((0, "row", first), (1, "column", second)):
        rows.check(np.isfinite(values) & (values == np.floor(values)), c, name, "must be a whole number")
    matrix = np.zeros((n, n))
    for row, found in enumerate(rows.words):
        r, c = int(first[row]) - 1, int(second[row]) - 1
        if c + len(found) - 2 > n:
            rows.refuse(row, "column", f"must lie within the {n} parameters", c + len(found) - 2)
        try:
            elements = [float(text) for text in found[2:]]
        except ValueError:
            rows.refuse(row, "element", "must be a number", " ".join(found[2:]))
        if not np.isfinite(elements).all() or np.max(np.abs(elements)) > 1e30:
            rows.refuse(row, "element", "must be finite and at most 1e30", " ".join(found[2:]))
        matrix[r, c:c + len(elements)] = elements
        matrix[c:c + len(elements), r] = elements
    diagonal = matrix.diagonal().copy()
    if (diagonal <= 0.0).any():
        k = int(np.argmax(diagonal <= 0.0))
        refuse(path, f"SOLUTION/MATRIX_ESTIMATE: element {k + 1}, {k + 1}", "must be > 0", f"{diagonal[k]:g}")
    if words[1] == "CORR":
        np.fill_diagonal(matrix, 1.0)
        matrix *= np.outer(sigma, sigma)
    try:
        np.linalg.cholesky(matrix / np.sqrt(np.outer(matrix.diagonal(), matrix.diagonal())))
        if words[1] == "INFO":
            matrix = np.linalg.inv(matrix)
    except np.linalg.LinAlgError:
        refuse(path, "SOLUTION/MATRIX_ESTIMATE", "must be positive definite", "a matrix that is not")
    return (matrix + matrix.T) / 2


def _place(path: str, found: _Estimates, name: str, key: tuple[str, str, str]) -> tuple[float, float, float]:
    xyz = found.value[[found.at[key][p] for p in _POSITION]]
    radius = float(np.linalg.norm(xyz))
    if not 6.3e6 <= radius <= 6.5e6:
        refuse(path, f"station {name}", "must lie 6.3e6 to 6.5e6 m from the Earth's centre", f"{radius:g}")
    return geodetic(xyz)


def _velocities(path: str, found: _Estimates, chosen: dict[str, tuple[str, str, str]],
                notes: list[str]) -> Velocities:
    places = np.array([_place(path, found, name, key) for name, key in chosen.items()])
    rows = np.array([[found.at[key][v] for v in _VELOCITY] for key in chosen.values()])
    turns = [to_local(lon, lat) for lon, lat, _ in places]
    rate = np.stack([turn @ found.value[r] for turn, r in zip(turns, rows)])
    n = len(rows)
    blocks = found.covariance[np.ix_(rows.ravel(), rows.ravel())].reshape(n, 3, n, 3)
    blocks = np.einsum("sia,satb,tjb->sitj", np.array(turns), blocks, np.array(turns), optimize=True)
    return Velocities(list(chosen), places[:, 0], places[:, 1], rate, blocks.reshape(3 * n, 3 * n), path, notes)


def _one_epoch(path: str, found: _Estimates, name: str, key: tuple[str, str, str]) -> Series:
    """A series whose one position is Cartesian, for `of_positions` to turn."""
    rows = [found.at[key][p] for p in _POSITION]
    mjd = found.mjd[rows[0]]
    if not np.isfinite(mjd):
        refuse(path, f"station {name}: epoch", "must be a date", "00:000:00000")
    block = found.covariance[np.ix_(rows, rows)]
    sigma = np.sqrt(block.diagonal())
    correlation = np.array([block[a, b] / (sigma[a] * sigma[b]) for a, b in ((0, 1), (0, 2), (1, 2))])
    return Series(name, *_place(path, found, name, key), np.array([mjd]), found.value[rows][None],
                  sigma[None], correlation[None], path)


def of_positions(parts: list[Series]) -> Series:
    """One series of a station from the positions of several files."""
    rows = Rows(parts[0].path, [[part.path] for part in parts], [1] * len(parts))
    join = [np.concatenate([getattr(part, key) for part in parts])
            for key in ("mjd", "position_m", "sigma_m", "correlation")]
    return turned(rows, parts[0].station, *join)
