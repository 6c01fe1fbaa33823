# SPDX-License-Identifier: BSD-3-Clause
"""Points that stand for a raster, the covariance of their errors, and the files that `invert` takes."""
from __future__ import annotations

import json
import os
import pathlib
import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import Error, invalid, need
from .covariogram import Covariogram
from .quadtree import Cells
from .raster import EARTH_RADIUS_M, Array, Raster

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")


@dataclass(frozen=True)
class Points:
    """Means of cells of a raster.

    Attributes
    ----------
    station : tuple of str
    lon, lat : [point] in degrees
        The middle of the cell's pixels that have a value.
    los : [point] in m, of a rate m/year
        Their mean, positive towards the satellite.
    look : [point][3]
        Unit vector from the ground to the satellite.
    covariance : [point][point] in m^2, of a rate (m/year)^2
    pixels, size : [point]
        Pixels with a value, and the cell's side in pixels.
    spread : [point]
        Standard deviation of the values of the cell.
    rate : bool
    covariogram : Covariogram or None
    cells : Cells
    notes : tuple of str
    """

    name: str
    station: tuple[str, ...]
    lon: Array
    lat: Array
    los: Array
    look: Array
    covariance: Array
    pixels: npt.NDArray[np.int64]
    size: npt.NDArray[np.int64]
    spread: Array
    rate: bool
    covariogram: Covariogram | None
    cells: Cells
    greens: str | None = None
    notes: tuple[str, ...] = field(default=())

    def __len__(self) -> int:
        return int(self.los.size)

    def __repr__(self) -> str:
        return f"<kaname.data.insar.Points {self.name}: {len(self)} points of {int(self.pixels.sum())} pixels>"

    @property
    def sigma(self) -> Array:
        """[point] standard deviation of the errors."""
        return np.sqrt(np.diag(self.covariance))

    def to_xarray(self) -> Any:
        """Returns an xarray.Dataset: ``los``, ``sigma``, ``spread`` [m, rates m/year] and ``look`` over point, ``covariance``
        over point and other_point."""
        xarray = need("xarray", "python3-xarray", "to_xarray")
        unit = {"units": "m year-1" if self.rate else "m"}
        return xarray.Dataset(
            {"los": ("point", self.los, unit), "sigma": ("point", self.sigma, unit), "spread": ("point", self.spread, unit),
             "look": (("point", "direction"), self.look, {"units": "1"}), "pixels": ("point", self.pixels),
             "size_pixels": ("point", self.size), "covariance": (("point", "other_point"), self.covariance)},
            {"station": ("point", list(self.station)), "lon": ("point", self.lon, {"units": "degrees_east"}),
             "lat": ("point", self.lat, {"units": "degrees_north"}), "direction": ["east", "north", "up"]},
            {"title": self.name, "notes": "; ".join(self.notes)})

    def outlines(self, raster: Raster) -> Array:
        """Returns the corners of the cells [point][4][lon, lat] in degrees, from the places of the raster's pixels; NaN
        where a corner's pixel has none."""
        corners = []
        rows, columns = raster.values.shape
        half = 0.5 * np.degrees(np.array(raster.spacing_m[::-1]) / EARTH_RADIUS_M)
        half[0] /= np.cos(np.radians(raster.centre[1]))
        for row, column, size in zip(self.cells.row, self.cells.column, self.cells.size):
            last = min(row + size, rows) - 1, min(column + size, columns) - 1
            cell = np.array([(raster.lon[i, j], raster.lat[i, j]) for i, j in
                             ((row, column), (row, last[1]), last, (last[0], column))])
            middle = cell.mean(axis=0)
            # Places are those of pixels' middles; their edges lie half a pixel beyond.
            corners.append(middle + (cell - middle) * size / (size - 1) if size > 1
                           else middle + half * [(-1, -1), (1, -1), (1, 1), (-1, 1)])
        return np.array(corners)

    def write(self, folder: str | os.PathLike[str], force: bool = False, nuisance: tuple[str, ...] = ("offset",)
              ) -> dict[str, pathlib.Path]:
        """Writes NAME.csv, NAME_covariance.csv and inversion.yaml to a folder; returns their paths.

        Raises Conflict where one is there and ``force`` is not given.
        """
        place = pathlib.Path(folder)
        paths = {"table": place / f"{self.name}.csv", "covariance": place / f"{self.name}_covariance.csv",
                 "request": place / "inversion.yaml"}
        refuse_present(paths.values(), force)
        place.mkdir(parents=True, exist_ok=True)
        paths["table"].write_text(self.table(), encoding="utf-8")
        np.savetxt(paths["covariance"], self.covariance, fmt="%.9e", delimiter=",")
        # Paths of a request count from its folder.
        greens = os.path.relpath(self.greens, place) if self.greens else "greens.h5"
        paths["request"].write_text(self.request(paths["table"].name, paths["covariance"].name, nuisance, greens),
                                    encoding="utf-8")
        return paths

    def table(self) -> str:
        """Returns the table of observations; cells' size, pixels and spread are for people."""
        unit = "m_per_year" if self.rate else "m"
        lines = [f"# {note}" for note in self.notes]
        lines.append(f"station,lon_deg,lat_deg,los_{unit},sigma,look_east,look_north,look_up,pixels,size_pixels,"
                     f"spread_{unit}")
        sigma = self.sigma
        for k, name in enumerate(self.station):
            look = ",".join(f"{v:.7f}" for v in self.look[k])
            lines.append(f"{name},{self.lon[k]:.7f},{self.lat[k]:.7f},{self.los[k]:.9g},{sigma[k]:.6g},{look},"
                         f"{self.pixels[k]},{self.size[k]},{self.spread[k]:.6g}")
        return "\n".join(lines) + "\n"

    def request(self, table: str, covariance: str, nuisance: tuple[str, ...] = ("offset",),
                greens: str = "greens.h5") -> str:
        """Returns the request of an inversion of these points (YAML)."""
        unknown = f"\n    nuisance: [{', '.join(nuisance)}]" if nuisance else ""
        return (f"schema: kaname.v1.Inversion\nname: {self.name}\ngreens: {json.dumps(greens)}\n"
                f"data:\n  - name: {self.name}\n    kind: insar\n    file: {table}\n"
                f"    covariance: {covariance}{unknown}\n")


def refuse_present(paths: object, force: bool) -> None:
    """Raises Conflict where one of the files is there."""
    for path in list(paths):  # type: ignore[call-overload]
        if path.exists() and not force:
            raise Error("Conflict", f"{path} is there; --force replaces it")


def check_name(name: str) -> str:
    """Returns a name that a set of observations may have."""
    if not _NAME.fullmatch(name):
        invalid("name", f"must have 1 to 63 lower-case letters, digits and hyphens, got '{name}'")
    return name


def name_of(file: str) -> str:
    """Returns a name of a raster's file that a set of observations may have."""
    text = re.sub(r"[^a-z0-9]+", "-", pathlib.Path(file).stem.lower()).strip("-")[:63]
    return text.strip("-") or "insar"
