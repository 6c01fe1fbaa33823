# SPDX-License-Identifier: BSD-3-Clause
"""A file or a folder of series and velocities, by the endings of names."""
from __future__ import annotations

import os
import pathlib
from dataclasses import dataclass, field
from typing import Any, Callable

import numpy as np

from ...errors import Error
from .gipsyx import read_series
from .globk import read_globk
from .pbo import read_pos
from .rows import refuse
from .series import Series, Velocities
from .sinex import of_positions, read_sinex
from .unr import read_tenv3, read_txyz2

_SERIES: dict[str, Callable[[Any], Series]] = {
    ".tenv3": read_tenv3, ".txyz2": read_txyz2, ".pos": read_pos, ".series": read_series}
_GLOBK = (".org", ".vel")
_SINEX = (".snx", ".sin", ".ssc")
# _LARGEST_SIGMA_M is far above those of daily solutions (0.6 to 10 mm) and below these in mm.
_LARGEST_SIGMA_M = 0.2
ENDINGS = (*_SERIES, *_GLOBK, *_SINEX)


@dataclass
class Network:
    """Holds what is in a folder: series by station, tables of velocities, and what was passed over."""

    series: dict[str, Series] = field(default_factory=dict)
    velocities: list[Velocities] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def files_of(path: str | os.PathLike[str]) -> tuple[list[pathlib.Path], int]:
    """The files that have a reader, by name, and how many others there are. Raises NotFound,
    InvalidArgument."""
    place = pathlib.Path(path)
    if place.is_dir():
        files = sorted(p for p in place.iterdir() if p.is_file() and not p.name.startswith("."))
        known = [p for p in files if p.suffix.lower() in ENDINGS]
        if not known:
            refuse(str(path), "folder", f"must have files that end in one of {' '.join(ENDINGS)}",
                   f"{len(files)} others")
        return known, len(files) - len(known)
    if not place.exists():
        raise Error("NotFound", f"{path}: must be a file or a folder, got none of this name")
    if place.suffix.lower() not in ENDINGS:
        refuse(str(path), "file", f"must end in one of {' '.join(ENDINGS)}", place.name)
    return [place], 0


def read(path: str | os.PathLike[str], map_files: Callable[..., Any] = map) -> Network:
    """Everything of a file or a folder. ``map_files`` is used as ``map``, such as that of a pool.
    A station that is in two files is refused, but for positions in SINEX, which make a series.

    Raises Error: NotFound, InvalidArgument naming file, line, field, rule and value.
    """
    files, others = files_of(path)
    network = Network()
    if others:
        network.notes.append(f"{others} files with other endings passed over")
    positions: dict[str, list[Series]] = {}
    for series, velocities, loose in map_files(read_file, files):
        if series is not None:
            _add(network, series)
        if velocities is not None:
            network.velocities.append(velocities)
        for one in loose:
            positions.setdefault(one.station, []).append(one)
    for parts in positions.values():
        _add(network, of_positions(parts))
    return network


def read_file(path: pathlib.Path) -> tuple[Series | None, Velocities | None, list[Series]]:
    ending = path.suffix.lower()
    if ending in _SERIES:
        series = _SERIES[ending](path)
        _check_unit(series)
        return series, None, []
    if ending in _GLOBK:
        return None, read_globk(path), []
    loose, velocities = read_sinex(path)
    return None, velocities, loose


def _check_unit(series: Series) -> None:
    """Refuses series whose standard deviations no daily solution has in metres."""
    middle = float(np.median(series.sigma_m, axis=0).max())
    if middle > _LARGEST_SIGMA_M:
        refuse(series.path, "standard deviations", f"must have a median of at most {_LARGEST_SIGMA_M:g} m; are they in mm?",
               f"{middle:g}")


def _add(network: Network, series: Series) -> None:
    other = network.series.get(series.station)
    if other is not None:
        refuse(series.path, "station", f"must be in one file, and is in {other.path} too", series.station)
    network.series[series.station] = series
