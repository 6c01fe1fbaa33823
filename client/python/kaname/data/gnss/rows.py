# SPDX-License-Identifier: BSD-3-Clause
"""Tables of words as columns of numbers; every refusal names file, line, field, rule and value."""
from __future__ import annotations

import datetime
import os
import pathlib
from dataclasses import dataclass
from typing import NoReturn, Sequence

import numpy as np
import numpy.typing as npt

from ...errors import Error, Violation

Array = npt.NDArray[np.float64]

LARGEST_BYTES = 2 << 30  # of a file; ten years of daily positions are below 1 MB
_MONTHS = {name: number for number, name in enumerate(
    "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(), 1)}
_MJD_ORIGIN = datetime.date(1858, 11, 17)
_SHOWN = 60


def refuse(place: str, field: str, rule: str, value: object) -> NoReturn:
    """Raises InvalidArgument: ``place: field: rule, got value``."""
    text = str(value)
    text = text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
    message = f"{rule}, got '{text}'"
    raise Error("InvalidArgument", f"{place}: {field}: {message}", [Violation(f"{place}: {field}", message)])


def text_lines(path: str | os.PathLike[str]) -> list[str]:
    """The lines of a text file. Raises NotFound, Unavailable, InvalidArgument."""
    file = pathlib.Path(path)
    try:
        size = file.stat().st_size
        if size > LARGEST_BYTES:
            refuse(str(path), "size", f"must be at most {LARGEST_BYTES} bytes", size)
        return file.read_bytes().decode("utf-8", "replace").split("\n")
    except FileNotFoundError:
        raise Error("NotFound", f"{path}: must be a file, got none of this name") from None
    except OSError as error:
        raise Error("Unavailable", f"{path}: must be a file that can be read: {error}") from error


@dataclass
class Rows:
    """Lines of one file as words: ``words[r]`` of line ``line[r]``, counted from 1."""

    path: str
    words: list[list[str]]
    line: list[int]

    def refuse(self, row: int, field: str, rule: str, value: object) -> NoReturn:
        refuse(f"{self.path}:{self.line[row]}", field, rule, value)

    def need(self, least: int, most: int, what: str) -> None:
        """Refuses a row with fewer or more words than the format has."""
        for row, words in enumerate(self.words):
            if not least <= len(words) <= most:
                rule = f"must be {least}" if least == most else f"must be {least} to {most}"
                self.refuse(row, "number of columns", f"{rule} {what}", len(words))

    def numbers(self, column: int, field: str) -> Array:
        """One column [row]; NaN stands for missing. Refuses words and infinite numbers."""
        texts = [words[column] for words in self.words]
        try:
            values = np.array([float(text) for text in texts])
        except ValueError:
            for row, text in enumerate(texts):
                try:
                    float(text)
                except ValueError:
                    self.refuse(row, field, "must be a number", text)
            raise
        self.check(~np.isinf(values), column, field, "must be finite or nan")
        return values

    def check(self, good: npt.NDArray[np.bool_], column: int, field: str, rule: str) -> None:
        """Refuses the first row that is not good."""
        if not good.all():
            row = int(np.argmin(good))
            self.refuse(row, field, rule, self.words[row][column])

    def between(self, column: int, field: str, low: float, high: float) -> Array:
        """Numbers within limits, both included, or NaN."""
        values = self.numbers(column, field)
        self.check(~((values < low) | (values > high)), column, field, f"must be {low:g} to {high:g}")
        return values

    def positive(self, column: int, field: str) -> Array:
        """Numbers above 0, or NaN."""
        values = self.numbers(column, field)
        self.check(~(values <= 0.0), column, field, "must be > 0")
        return values

    def days(self, column: int, field: str) -> Array:
        """Modified Julian days of dates as 10JUL28."""
        known: dict[str, float] = {}
        for row, words in enumerate(self.words):
            text = words[column]
            if text not in known:
                day = day_of_short_date(text)
                if day is None:
                    self.refuse(row, field, "must be a date as 10JUL28", text)
                known[text] = day
        return np.array([known[words[column]] for words in self.words])


def rows_of(path: str | os.PathLike[str], lines: Sequence[str], first: int = 1,
            comments: str = "#") -> Rows:
    """Lines that are neither blank nor comments, split at blanks; ``first`` is the number of the
    first line."""
    words, numbers = [], []
    for number, line in enumerate(lines, first):
        found = line.split()
        if found and found[0][0] not in comments:
            words.append(found)
            numbers.append(number)
    return Rows(str(path), words, numbers)


def mjd_of(day: datetime.date) -> float:
    return float((day - _MJD_ORIGIN).days)


def date_of(mjd: float) -> datetime.date:
    return _MJD_ORIGIN + datetime.timedelta(days=int(np.floor(mjd)))


def day_of_short_date(text: str) -> float | None:
    """The modified Julian day of a date as 10JUL28; years below 80 are of this century. None where
    it is no date."""
    if not (len(text) == 7 and text[:2].isdecimal() and text[5:].isdecimal() and text.isascii()):
        return None
    month = _MONTHS.get(text[2:5].upper())
    year = int(text[:2])
    try:
        return mjd_of(datetime.date(year + (1900 if year >= 80 else 2000), month or 0, int(text[5:])))
    except ValueError:
        return None


def day_of_iso_date(text: str) -> float | None:
    """The modified Julian day of 2011-03-11 or 2011-03-11T05:46. None where it is no date."""
    try:
        return mjd_of(datetime.datetime.fromisoformat(text).date())
    except ValueError:
        return None
