# SPDX-License-Identifier: BSD-3-Clause
"""A station's positions as a series, and tables of velocities; from Cartesian to local axes."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import need
from .rows import Array, Rows, refuse

COMPONENTS = ("east", "north", "up")
DAYS_OF_YEAR = 365.25
_WGS84_A, _WGS84_F = 6378137.0, 1 / 298.257223563
_E2 = _WGS84_F * (2 - _WGS84_F)
_LARGEST_M = 1e8  # of a Cartesian coordinate
_MJD_2000 = 51544.0


@dataclass
class Series:
    """Positions of one station, one row per epoch, in order of time and without repeats.

    Attributes
    ----------
    station : str
    lon_deg, lat_deg, height_m : float
        Its place (WGS84); NaN where the file has none.
    mjd : array [epoch]
        Modified Julian days; a daily solution stands at noon.
    position_m : array [epoch][3]
        East, north, up since the first epoch.
    sigma_m : array [epoch][3]
        Standard deviations as the file has them.
    correlation : array [epoch][3]
        East-north, east-up, north-up.
    antenna_changes : list of float
        Days from which on another antenna height was used, where the file has that.
    notes : list of str
        Repeats, missing values: everything that was left out, and why.
    """

    station: str
    lon_deg: float
    lat_deg: float
    height_m: float
    mjd: Array
    position_m: Array
    sigma_m: Array
    correlation: Array
    path: str = ""
    antenna_changes: list[float] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def year(self) -> Array:
        """Decimal years of 365.25 days, 2000.0 being 1 January 2000."""
        return years(self.mjd)

    @property
    def time(self) -> npt.NDArray[np.datetime64]:
        """[epoch] as numpy's times, in seconds."""
        return times(self.mjd)

    def to_xarray(self) -> Any:
        """Returns an xarray.Dataset: ``position`` and ``sigma`` [m] over time and component, ``correlation`` over time
        and pair; station, place and notes are attributes."""
        xarray = need("xarray", "python3-xarray", "to_xarray")
        axes = ("time", "component")
        return xarray.Dataset(
            {"position": (axes, self.position_m, {"units": "m"}), "sigma": (axes, self.sigma_m, {"units": "m"}),
             "correlation": (("time", "pair"), self.correlation, {"units": "1"})},
            {"time": self.time, "component": list(COMPONENTS), "pair": ["east-north", "east-up", "north-up"]},
            {"station": self.station, "lon_deg": self.lon_deg, "lat_deg": self.lat_deg, "height_m": self.height_m,
             "notes": "; ".join(self.notes)})


@dataclass
class Velocities:
    """Motion per year of stations, with the covariance of all of it.

    ``rate_m`` is [station][3] (east, north, up) in m/year, ``covariance_m2`` [3 n][3 n] in
    (m/year)^2 in the order east, north, up of the first station, then of the next.
    """

    station: list[str]
    lon_deg: Array
    lat_deg: Array
    rate_m: Array
    covariance_m2: Array
    path: str = ""
    notes: list[str] = field(default_factory=list)


def times(mjd: Array) -> npt.NDArray[np.datetime64]:
    """Times of modified Julian days, which begin at midnight of 17 November 1858 (UTC)."""
    # xarray keeps times in nanoseconds.
    seconds = np.rint(np.asarray(mjd) * 86400.0).astype("timedelta64[s]")
    found: npt.NDArray[np.datetime64] = np.datetime64("1858-11-17", "ns") + seconds
    return found


def years(mjd: Array) -> Array:
    return 2000.0 + (np.asarray(mjd) - _MJD_2000) / DAYS_OF_YEAR


def tidy(rows: Rows, station: str, place: tuple[float, float, float], mjd: Array, position: Array,
         sigma: Array, correlation: Array, antenna: Array | None = None) -> Series:
    """The series of a file's rows: without rows that lack a number, sorted, of rows of one day the
    one with the smallest standard deviations. Refuses a file without a single row."""
    notes = []
    whole = np.isfinite(np.column_stack([mjd, position, sigma, correlation])).all(axis=1)
    if not whole.all():
        notes.append(f"epochs without a number (nan), left out: {int((~whole).sum())}")
    kept = np.flatnonzero(whole)
    if not kept.size:
        refuse(rows.path, "epochs", "must be one or more with finite numbers", 0)
    size = np.einsum("rc,rc->r", sigma, sigma)
    day = np.floor(mjd)
    order = kept[np.lexsort((size[kept], day[kept]))]
    if (np.diff(day[kept]) < 0).any():
        notes.append("epochs were not in order of time, and are sorted")
    first = np.r_[True, np.diff(day[order]) > 0]
    if not first.all():
        notes.append(f"repeats of a day, of which the one with the smallest sigma is kept: {int((~first).sum())}")
    order = order[first]
    changes: list[float] = []
    if antenna is not None:
        height = antenna[order]
        steps = np.flatnonzero(np.abs(np.diff(height)) > 5e-5) + 1
        changes = [float(mjd[order[row]]) for row in steps]
        if changes:
            notes.append(f"changes of antenna height: {len(changes)}")
    position = position[order] - position[order[0]]
    return Series(station, *place, mjd[order], position, sigma[order], correlation[order],
                  rows.path, changes, notes)


def geodetic(xyz: Array) -> tuple[float, float, float]:
    """Longitude and latitude [degrees] and height [m] on WGS84 of a Cartesian position [m]
    (Bowring 1976)."""
    x, y, z = (float(v) for v in xyz)
    p = np.hypot(x, y)
    b = _WGS84_A * (1 - _WGS84_F)
    theta = np.arctan2(z * _WGS84_A, p * b)
    lat = np.arctan2(z + _E2 / (1 - _E2) * b * np.sin(theta)**3,
                     p - _E2 * _WGS84_A * np.cos(theta)**3)
    n = _WGS84_A / np.sqrt(1 - _E2 * np.sin(lat)**2)
    height = p * np.cos(lat) + z * np.sin(lat) - n * (1 - _E2 * np.sin(lat)**2)
    return float(np.degrees(np.arctan2(y, x))), float(np.degrees(lat)), float(height)


def to_local(lon_deg: float, lat_deg: float) -> Array:
    """The matrix [3][3] from Cartesian x, y, z to east, north, up."""
    lon, lat = np.radians(lon_deg), np.radians(lat_deg)
    return np.array([[-np.sin(lon), np.cos(lon), 0.0],
                     [-np.sin(lat) * np.cos(lon), -np.sin(lat) * np.sin(lon), np.cos(lat)],
                     [np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)]])


def near_the_ground(rows: Rows, xyz: Array, column: int) -> None:
    """Refuses Cartesian positions that are not those of a station on the Earth."""
    radius = np.sqrt(np.einsum("rc,rc->r", np.clip(xyz, -_LARGEST_M, _LARGEST_M),
                               np.clip(xyz, -_LARGEST_M, _LARGEST_M)))
    rows.check(~((radius < 6.3e6) | (radius > 6.5e6)), column, "x, y, z",
               "must lie 6.3e6 to 6.5e6 m from the Earth's centre")


def turned(rows: Rows, station: str, mjd: Array, xyz: Array, sigma: Array, correlation: Array,
           antenna: Array | None = None) -> Series:
    """The series of Cartesian positions [row][3] with correlations xy, xz, yz."""
    good = np.isfinite(xyz).all(axis=1)
    if not good.any():
        refuse(rows.path, "epochs", "must be one or more with finite numbers", 0)
    centre = np.median(xyz[good], axis=0)
    place = geodetic(centre)
    turn = to_local(*place[:2])
    full = np.empty((len(mjd), 3, 3))
    for k in range(3):
        full[:, k, k] = sigma[:, k]**2
    for k, (a, b) in enumerate(((0, 1), (0, 2), (1, 2))):
        full[:, a, b] = full[:, b, a] = correlation[:, k] * sigma[:, a] * sigma[:, b]
    full = np.einsum("ia,rab,jb->rij", turn, full, turn)
    variance = np.einsum("rii->ri", full)
    bad = (variance <= 0.0).any(axis=1)
    if bad.any():
        row = int(np.argmax(bad))
        rows.refuse(row, "correlations", "must make a positive definite covariance",
                    " ".join(f"{v:g}" for v in correlation[row]))
    sigma = np.sqrt(variance)
    turned_correlation = np.stack([full[:, a, b] / (sigma[:, a] * sigma[:, b])
                                   for a, b in ((0, 1), (0, 2), (1, 2))], axis=1)
    return tidy(rows, station, place, mjd, (xyz - centre) @ turn.T, sigma, turned_correlation, antenna)


def check_correlations(rows: Rows, columns: tuple[int, int, int], names: tuple[str, str, str]
                       ) -> npt.NDArray[np.float64]:
    """Three columns within -1 and 1, as [row][3]."""
    return np.stack([rows.between(c, name, -1.0, 1.0) for c, name in zip(columns, names)], axis=1)
