# SPDX-License-Identifier: BSD-3-Clause
"""Windows of pixels about the stations of a dataset of Green's functions, which need not be made anew."""
from __future__ import annotations

import pathlib
from dataclasses import dataclass

import numpy as np

from ...errors import Error, invalid
from .quadtree import Cells
from .raster import Array, Raster, local_m

_LARGEST = 256  # pixels of a side


@dataclass(frozen=True)
class Stations:
    """``station``: ids; ``lon``, ``lat`` [station] in degrees; ``greens``: the dataset's path."""

    station: tuple[str, ...]
    lon: Array
    lat: Array
    greens: str | None = None

    @classmethod
    def of_file(cls, path: pathlib.Path) -> Stations:
        """Reads the stations of a greens.h5. Raises NotFound, InvalidArgument."""
        from ...dataset import Dataset, of_path

        with of_path(path) as data:
            if not isinstance(data, Dataset):
                raise Error("InvalidArgument", f"{path}: must be a dataset of Green's functions")
            return cls(tuple(data.stations.id), np.asarray(data.stations.lon, dtype=np.float64),
                       np.asarray(data.stations.lat, dtype=np.float64), str(path))


def cells_at(raster: Raster, stations: Stations, fraction: float) -> tuple[Cells, tuple[str, ...]]:
    """Returns odd windows about stations that lie on the raster, and their ids.

    A window reaches half as far as the next station, so that none overlap, and is left out where too few of
    its pixels have a value.
    """
    x, y = raster.local_m()
    lon0, lat0 = raster.centre
    at_x, at_y = local_m((stations.lon - lon0 + 180.0) % 360.0 - 180.0 + lon0, stations.lat, lon0, lat0)
    step = raster.spacing_m
    valid = raster.valid
    rows, columns, sizes, names = [], [], [], []
    places = np.stack([at_x, at_y], axis=1)
    for k, name in enumerate(stations.station):
        nearest = _nearest(x, y, at_x[k], at_y[k])
        away = np.hypot(x[nearest] - at_x[k], y[nearest] - at_y[k])
        if not away <= np.hypot(*step):
            continue
        others = np.abs(np.delete(places, k, axis=0) - places[k]).max(axis=1)
        room = 0.5 * float(others.min()) / max(step) - 0.5 if others.size else _LARGEST / 2
        reach = int(min(max(room - 0.5, 0.0), _LARGEST / 2, nearest[0], nearest[1],
                        valid.shape[0] - 1 - nearest[0], valid.shape[1] - 1 - nearest[1]))
        window = valid[nearest[0] - reach:nearest[0] + reach + 1, nearest[1] - reach:nearest[1] + reach + 1]
        if window.mean() >= fraction:
            rows.append(nearest[0] - reach)
            columns.append(nearest[1] - reach)
            sizes.append(2 * reach + 1)
            names.append(name)
    if len(names) < 4:
        invalid("at", f"must have at least 4 stations on pixels of {raster.name} with values, got {len(names)} of "
                      f"{len(stations.station)}")
    return Cells(np.array(rows), np.array(columns), np.array(sizes)), tuple(names)


def _nearest(x: Array, y: Array, at_x: float, at_y: float) -> tuple[int, int]:
    """Returns row and column of the pixel nearest to a place."""
    # Rows and columns of a raster change evenly: a walk over thinned pixels and then about the best one.
    thin = max(1, int(np.sqrt(x.size) // 64))
    away = (x[::thin, ::thin] - at_x) ** 2 + (y[::thin, ::thin] - at_y) ** 2
    if not np.isfinite(away).any():
        return 0, 0
    row, column = (int(i) * thin for i in np.unravel_index(int(np.nanargmin(away)), away.shape))
    top, side = max(0, row - thin), max(0, column - thin)
    part = (slice(top, row + thin + 1), slice(side, column + thin + 1))
    away = (x[part] - at_x) ** 2 + (y[part] - at_y) ** 2
    i, j = np.unravel_index(int(np.nanargmin(away)), away.shape)
    return top + int(i), side + int(j)
