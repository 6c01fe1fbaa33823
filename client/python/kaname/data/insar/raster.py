# SPDX-License-Identifier: BSD-3-Clause
"""A raster of motion towards a satellite, and the rules that each reader's must keep."""
from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ...errors import invalid

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

EARTH_RADIUS_M = 6371000.0
MOST_PIXELS = 200_000_000  # 8 GB of the arrays of a Raster
LENGTH_TOLERANCE = 0.01  # of look vectors, as `kaname invert` has it
LARGEST_MEDIAN_M = {False: 100.0, True: 1.0}  # of displacements; of rates per year


@dataclass(frozen=True)
class Raster:
    """Motion towards a satellite on pixels.

    Attributes
    ----------
    name : str
        The file's, for messages.
    values : [row][column] in m, of a rate in m/year
        Positive towards the satellite; NaN where there is none.
    lon, lat : [row][column] in degrees
        Of the pixels' centres.
    look : [3][row][column]
        East, north, up of the unit vector from the ground to the satellite.
    rate : bool
        True of velocities.
    notes : tuple of str
        What was done to the values that a reader of a report should know.
    """

    name: str
    values: Array
    lon: Array
    lat: Array
    look: Array
    rate: bool = False
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        rows, columns = self.values.shape
        return (f"<kaname.data.insar.Raster {self.name}: {rows} x {columns} pixels, "
                f"{int(self.valid.sum())} with values in {self.unit}>")

    @property
    def unit(self) -> str:
        return "m/year" if self.rate else "m"

    @property
    def valid(self) -> Mask:
        """[row][column]: True where there is a value."""
        return np.isfinite(self.values)

    def with_values(self, values: Array, *notes: str) -> Raster:
        """Returns a raster of the same pixels with other values."""
        return replace(self, values=values, notes=(*self.notes, *notes))

    @property
    def centre(self) -> tuple[float, float]:
        """Longitude and latitude of the middle of all places [deg]."""
        return (float(np.nanmin(self.lon) + np.nanmax(self.lon)) / 2,
                float(np.nanmin(self.lat) + np.nanmax(self.lat)) / 2)

    def local_m(self) -> tuple[Array, Array]:
        """Returns east and north [row][column] in m from the centre, on a sphere's tangent."""
        return local_m(self.lon, self.lat, *self.centre)

    @property
    def spacing_m(self) -> tuple[float, float]:
        """Median distance of neighbouring rows and of neighbouring columns [m]."""
        x, y = self.local_m()
        rows = np.hypot(np.diff(x[:, ::7], axis=0), np.diff(y[:, ::7], axis=0))
        columns = np.hypot(np.diff(x[::7], axis=1), np.diff(y[::7], axis=1))
        return float(np.nanmedian(rows)), float(np.nanmedian(columns))

    def to_xarray(self) -> object:
        """Returns an xarray.Dataset with ``los`` and ``look`` over row and column."""
        from ...errors import need

        xarray = need("xarray", "python3-xarray", "to_xarray")
        axes = ("row", "column")
        return xarray.Dataset(
            {"los": (axes, self.values, {"units": self.unit.replace("/year", " year-1")}),
             "look": (("direction", *axes), self.look, {"units": "1"})},
            {"lon": (axes, self.lon, {"units": "degrees_east"}),
             "lat": (axes, self.lat, {"units": "degrees_north"}),
             "direction": ["east", "north", "up"]}, {"title": self.name})


def local_m(lon: Array, lat: Array, lon0: float, lat0: float) -> tuple[Array, Array]:
    """Returns east and north in m from a place."""
    scale = np.radians(EARTH_RADIUS_M)
    return scale * np.cos(np.radians(lat0)) * (lon - lon0), scale * (lat - lat0)


def checked(name: str, values: Array, lon: Array, lat: Array, look: Array, rate: bool,
            notes: tuple[str, ...] = ()) -> Raster:
    """Returns the raster of these arrays, without pixels that lack a value, a place or a look.

    Raises InvalidArgument where shapes disagree, no value is left, a place does not exist, a look
    vector is no unit vector that points up, or values are too large for their unit.
    """
    if values.ndim != 2 or min(values.shape) < 2:
        invalid(name, f"must have at least 2 rows and 2 columns, got shape {values.shape}")
    for field, array in (("longitudes", lon), ("latitudes", lat), ("look", look[0])):
        if array.shape != values.shape:
            invalid(f"{name}: {field}", f"must have the {values.shape[0]} x {values.shape[1]} pixels "
                                        f"of the values, got {array.shape}")
    length = np.sqrt((look * look).sum(axis=0))
    there = np.isfinite(values) & np.isfinite(lon) & np.isfinite(lat) & np.isfinite(length) & (length > 0)
    if there.sum() < 4:
        invalid(f"{name}: values", "must be finite in 4 pixels that have a place and a look, got "
                                   f"{int(there.sum())} of {int(np.isfinite(values).sum())} finite values")
    _check_places(name, lon[there], lat[there])
    _check_look(name, look[:, there], length[there])
    middle = float(np.median(np.abs(values[there])))
    if middle > LARGEST_MEDIAN_M[rate]:
        unit = "m/year" if rate else "m"
        invalid(f"{name}: values", f"must have a median size of at most {LARGEST_MEDIAN_M[rate]:g} {unit}, got "
                                   f"{middle:g} {unit}; is their unit another one?")
    first = float(lon[there][0])
    lon = first + (lon - first + 180.0) % 360.0 - 180.0
    return Raster(name, np.where(there, values, np.nan).astype(np.float64), lon.astype(np.float64),
                  lat.astype(np.float64), look, rate, notes)


def _check_places(name: str, lon: Array, lat: Array) -> None:
    for field, array, low, high in (("longitudes", lon, -360.0, 360.0), ("latitudes", lat, -90.0, 90.0)):
        if array.min() < low or array.max() > high:
            worst = array.max() if array.max() > high else array.min()
            invalid(f"{name}: {field}", f"must be {low:g} to {high:g} degrees, got {worst:g}")
    if lon.min() == lon.max() or lat.min() == lat.max():
        invalid(f"{name}: places", "must differ in longitude and latitude, got one line")


def _check_look(name: str, look: Array, length: Array) -> None:
    away = np.abs(length - 1.0)
    if away.max() > LENGTH_TOLERANCE:
        worst = int(np.argmax(away))
        vector = ", ".join(f"{v:.4g}" for v in look[:, worst])
        invalid(f"{name}: look", f"must have length 1 within {LENGTH_TOLERANCE:g}, got {length[worst]:.4g} of "
                                 f"({vector})")
    if look[2].min() <= 0.0:
        turn = "; --turn-look turns vectors that point down" if look[2].max() < 0.0 else ""
        invalid(f"{name}: look", "must point up, from the ground to the satellite, got an upward component of "
                                 f"{look[2].min():.4g}{turn}")


def check_orbit(name: str, look: Array, orbit: str | None, left: bool = False) -> None:
    """Refuses a look that no satellite of this orbit has: one that flies north and looks to its
    right stands west of what it sees."""
    if not orbit:
        return
    known = {"ascending": -1.0, "asc": -1.0, "descending": 1.0, "desc": 1.0, "dsc": 1.0}
    if orbit.lower() not in known:
        invalid(f"{name}: orbit", f"must be ascending or descending, got '{orbit}'")
    side = known[orbit.lower()] * (-1.0 if left else 1.0)
    east = float(np.nanmedian(look[0]))
    if east * side < 0.0:
        invalid(f"{name}: look", f"must point {'east' if side > 0 else 'west'} from the ground, for the satellite is "
                                 f"{orbit.lower()} and looks {'left' if left else 'right'}, got an eastward "
                                 f"component of {east:.3g}; are its angles of another convention?")
