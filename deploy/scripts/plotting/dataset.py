# SPDX-License-Identifier: BSD-3-Clause
"""What the pictures need of a greens.h5: unit sources or a scenario, on the globe or not."""
import math

import numpy as np

from .common import (NOT_FOUND, YEAR_S, PlotError, beside, middle_longitude, open_dataset,
                     texts)

DONE = 1
TOTAL = "total"  # the row of a scenario's dataset that is the sum of its events
SAME_EPOCH = 1e-6  # of the epoch wanted


class Dataset:
    """Places are `x`, `y`: longitude and latitude in degrees, or km where there is no projection.

    station [n], outline [source][corner], source centre [source]; slip of unit sources is 1 m.
    """

    def __init__(self, path):
        self.path = str(path)
        try:
            with open_dataset(path) as file:
                self._read(file)
        except FileNotFoundError as error:
            raise PlotError(f"{path} is not there", NOT_FOUND) from error
        except IsADirectoryError as error:
            raise PlotError(f"{path}: is a folder: name a file in it, as greens.h5") from error
        except (OSError, KeyError, ValueError) as error:
            raise PlotError(f"{path}: is no dataset of Kaname: {error}") from error

    def _read(self, file):
        self.projected = "crs" not in file.attrs  # the attribute says that there is none
        east, north, scale = ("lon", "lat", 1.0) if self.projected else ("x", "y", 1e-3)
        self.title = texts([file.attrs.get("title", "")])[0]
        self.per_slip = texts([file.attrs.get("unit", "")])[0] != "m" and "events" not in file
        self.source_id = texts(file["source"][:])
        self.patch_id = texts(file["patch_id"][:])
        self.component = texts(file["slip_component"][:])
        self.status = file["status"][:]
        self.source_x, self.source_y = (file[f"patch_{k}"][:] * scale for k in (east, north))
        self.depth_km = np.abs(file["patch_depth"][:]) / 1e3
        self.outline = np.stack([file[f"outline_{k}"][:] * scale for k in (east, north)], axis=-1)
        self.epoch_s = file["epoch"][:]
        self.station = texts(file["station"][:])
        self.x, self.y = (file[f"station_{k}"][:] * scale for k in (east, north))
        self.events = self._events(file)
        surface = file.get("surface")
        self.surface = None
        if surface is not None and (not self.projected or "lon" in surface):
            xy = ((surface["lon"][:], surface["lat"][:]) if self.projected
                  else surface["xyz"][:, :2].T * scale)
            self.surface = (*xy, surface["faces"][:, :3])
        if self.projected:
            self._about_one_longitude()

    def _about_one_longitude(self):
        """Longitudes count from the middle of what slips, of the stations where nothing does."""
        slips = self.outline[..., 0]
        middle = middle_longitude(slips if np.isfinite(slips).any() else self.x)
        self.source_x, self.x = beside(self.source_x, middle), beside(self.x, middle)
        self.outline[..., 0] = beside(slips, middle)
        if self.surface is not None:
            self.surface = (beside(self.surface[0], middle), *self.surface[1:])

    @staticmethod
    def _events(file):
        """Name, magnitude and the times [s] of each event of a scenario."""
        if "events" not in file:
            return []
        group = file["events"]
        columns = [group[k][:] for k in ("moment_magnitude", "time", "repeats", "interval")]
        return [(name, float(mw), [float(time + k * interval) for k in range(max(int(repeats), 1))])
                for name, mw, time, repeats, interval in zip(texts(group["name"][:]), *columns)]

    def unit(self, source):
        """What stands behind a length: nothing, or 'per m of slip'."""
        return " per m of slip" if self.per_slip and self.component[source] != "boundary" else ""

    def displacement(self, source):
        """[epoch][station][east, north, up] in m, or m per m of slip."""
        with open_dataset(self.path) as file:
            return file["greens"][source]

    def field(self, epoch):
        """[point][east, north, up] of the surface, m; epoch is an index."""
        with open_dataset(self.path) as file:
            return file["surface/displacement"][epoch]

    def choose_source(self, wanted):
        done = np.flatnonzero(self.status == DONE)
        if wanted is None and TOTAL in self.source_id and self.events:
            wanted = TOTAL
        if wanted is not None:
            if wanted not in self.source_id:
                raise PlotError(f"--source: no source '{wanted}'; the first are "
                                f"{', '.join(self.source_id[:5])}")
            index = self.source_id.index(wanted)
            if self.status[index] != DONE:
                raise PlotError(f"--source: '{wanted}' has no result")
            return index
        if done.size == 0:
            raise PlotError(f"{self.path}: no source has a result")
        # The source closest to the stations says most; dip slip rather than strike slip.
        squeeze = self.squeeze(float(np.mean(self.y)))
        distance = [np.median(np.hypot((self.x - self.source_x[s]) * squeeze,
                                       self.y - self.source_y[s]))
                    + (0.0 if self.component[s] == "dip_slip" else 1e-3) for s in done]
        # A source that is moved sides has no place: it comes last.
        return int(done[int(np.argmin(np.nan_to_num(distance, nan=np.inf)))])

    def squeeze(self, y):
        """Degrees of latitude in a degree of longitude there; 1 without a projection."""
        return math.cos(math.radians(y)) if self.projected else 1.0

    def choose_epochs(self, years):
        """Indices of the epochs wanted; of none wanted the first and the last."""
        if not years:
            return sorted({0, len(self.epoch_s) - 1})
        chosen = []
        for year in years:
            wanted = year * YEAR_S
            index = int(np.argmin(np.abs(self.epoch_s - wanted)))
            if abs(self.epoch_s[index] - wanted) > max(SAME_EPOCH * abs(wanted), 1.0):
                known = ", ".join(f"{s / YEAR_S:.6g}" for s in self.epoch_s)
                raise PlotError(f"--epoch: no epoch at {year:g} years; there are {known}")
            chosen.append(index)
        return chosen

    def choose_stations(self, wanted):
        # A comma parts names, unless a station has it in its own.
        wanted = [name for word in wanted
                  for name in ([word] if word in self.station else word.split(","))]
        unknown = [name for name in wanted if name not in self.station]
        if unknown:
            raise PlotError(f"--station: no station '{unknown[0]}'; the first are "
                            f"{', '.join(self.station[:5])}")
        return [self.station.index(name) for name in wanted]

    def source_line(self, source):
        """What slips, in one line."""
        if self.events:
            shown = [f"{name} Mw {mw:.2f}" for name, mw, _ in self.events]
            name = self.source_id[source]
            return "; ".join(shown) if name == TOTAL else f"event {name} of: {'; '.join(shown)}"
        if self.component[source] == "boundary":
            return f"moved or loaded sides: {self.patch_id[source]}"
        if not self.per_slip:
            return f"source {self.source_id[source]}"
        slip = self.component[source].replace("_", " ").replace("rake", "slip at rake")
        return (f"1 m of {slip} on patch {self.patch_id[source]} (outlined), "
                f"{self.depth_km[source]:.0f} km deep")


