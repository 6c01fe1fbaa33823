# SPDX-License-Identifier: BSD-3-Clause
"""Colours, round numbers, texts and errors that all pictures share."""
import math
import pathlib

import numpy as np

from .self_contained import NotSelfContained, open_file

YEAR_S = 365.25 * 86400.0
INK, GREY, SEA = "#1b1f24", "#6b7480", "#eaf1f6"
DPI = 100
# The exit codes of kaname (docs/user/cli.md).
BAD_INPUT, NOT_FOUND, UNAVAILABLE, CONFLICT = 2, 3, 5, 6


class PlotError(Exception):
    """A message for people and the exit code that goes with it."""

    def __init__(self, message, code=BAD_INPUT):
        super().__init__(message)
        self.code = code


def texts(values):
    return [v.decode() if isinstance(v, bytes) else str(v) for v in values]


def open_dataset(path):
    """An h5py.File to read that holds its values itself. Raises OSError, PlotError."""
    try:
        return open_file(path)
    except NotSelfContained as error:
        raise PlotError(f"{path}: {error}") from error


def middle_longitude(lon):
    """The longitude about which the given ones lie closest, whichever turn each was counted in."""
    turns = np.exp(1j * np.radians(np.asarray(lon, dtype=float).ravel()))
    mean = turns[np.isfinite(turns)].mean() if np.isfinite(turns).any() else 1.0
    return float(np.degrees(np.angle(mean)))


def beside(lon, middle):
    """Longitudes within half a turn of one: a map has no seam at 180 degrees."""
    return middle + (np.asarray(lon, dtype=float) - middle + 180.0) % 360.0 - 180.0


def kind_of(path):
    """A dataset's attribute `kind`; empty: it has none, or is no file, which others complain of."""
    try:
        with open_dataset(path) as file:
            return texts([file.attrs.get("kind", "")])[0]
    except OSError:
        return ""


def nice_above(value):
    """Smallest of a few round numbers that is not below value."""
    power = 10.0 ** math.floor(math.log10(value)) if value > 0.0 else 1.0
    return next(m * power for m in (1, 1.5, 2, 3, 4, 5, 6, 8, 10) if m * power >= 0.999999 * value)


def nice_below(value):
    """Largest of 1, 2, 5 times a power of ten that is not above value."""
    if not value > 0.0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return max(m * power for m in (1.0, 2.0, 5.0) if m * power <= value * 1.000001)


def unit_for(metres):
    """Factor and name of the largest unit in which a length is at least one."""
    units = ((1.0, "m"), (1e-2, "cm"), (1e-3, "mm"))
    return next((u for u in units if metres >= u[0] * 0.999999), (1e-6, "µm"))


def length_text(metres):
    factor, unit = unit_for(metres)
    return f"{metres / factor:g} {unit}"


def time_text(seconds):
    if seconds <= 0.0:
        return "0"
    years = seconds / YEAR_S
    return f"{years:.3g} years" if years >= 0.1 else f"{seconds / 86400.0:.3g} days"


def epoch_title(seconds):
    return "at once" if seconds <= 0.0 else f"after {time_text(seconds)}"


def output_path(wanted, dataset, ending, force):
    """Where the picture goes: `wanted`, or beside the dataset. Nothing is written over unasked."""
    source = pathlib.Path(dataset)
    path = pathlib.Path(wanted) if wanted else source.with_name(f"{source.stem}_{ending}.png")
    if path.is_dir():
        raise PlotError(f"--output: {path} is a folder, must be a file")
    if path.exists() and not force:
        raise PlotError(f"{path} exists; --force writes over it, --output names another file",
                        CONFLICT)
    if not path.absolute().parent.is_dir():
        raise PlotError(f"--output: folder {path.parent} is not there", NOT_FOUND)
    return path


def save(figure, path):
    """Under its name only when it is complete."""
    part = path.with_name(path.name + ".part")
    try:
        figure.savefig(part, dpi=DPI, format=path.suffix.lstrip(".").lower() or "png")
        part.replace(path)
    except (OSError, ValueError) as error:
        part.unlink(missing_ok=True)
        raise PlotError(f"{path}: cannot be written: {error}", UNAVAILABLE) from error
