# SPDX-License-Identifier: BSD-3-Clause
"""The faults of a rupture.h5 (docs/user/rupture_dataset.md)."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .dataset import Array, _index, texts
from .errors import Error


@dataclass(frozen=True)
class Rupture:
    """``faults``: ids; ``points`` [point][x, y, z] in m; ``triangles`` [triangle][3] points;
    ``fault`` [triangle] index into ``faults``; ``receivers``: ids of receivers on faults."""

    faults: tuple[str, ...]
    points: Array
    triangles: npt.NDArray[np.int32]
    fault: npt.NDArray[np.int32]
    receivers: tuple[str, ...]
    _file: Any

    @classmethod
    def of_file(cls, file: Any) -> Rupture | None:
        """Of an h5py.File; None where it has no faults."""
        if "rupture" not in file:
            return None
        group = file["rupture"]
        receivers = (texts(file["fault_receivers/fault_receiver"][:])
                     if "fault_receivers" in file else ())
        return cls(texts(group["fault_name"][:]), np.asarray(group["xyz"][:], dtype=np.float64),
                   group["triangles"][:], group["fault"][:], receivers, file)

    def field(self, name: str) -> npt.NDArray[np.float32]:
        """[triangle] of ``rupture_time``, ``slip``, ``peak_slip_rate``, ``stress_drop`` ...; raises
        NotFound."""
        group = self._file["rupture"]
        if name not in group:
            raise Error("NotFound", f"field: '{name}' must be one of {', '.join(sorted(group))}")
        return np.asarray(group[name][:])

    @property
    def slip_rate(self) -> Any:
        """[snapshot][triangle][along strike, down dip] in m/s, an h5py.Dataset that is read when it
        is indexed, at ``field("snapshot")`` in s; None where no snapshots were asked for."""
        return self._file["rupture"].get("slip_rate")

    def series(self, receiver: str) -> dict[str, Array]:
        """``time`` in s and [time] of ``slip_strike``, ``slip_rate_strike``, ``traction_strike`` ...
        of a receiver on a fault; raises NotFound."""
        k = _index("receiver", self.receivers, receiver)
        group = self._file["fault_receivers"]
        made = {"time": np.asarray(group["time"][:], dtype=np.float64)}
        for name, variable in group.items():
            if variable.ndim == 2:
                made[name] = np.asarray(variable[k], dtype=np.float64)
        return made

    @property
    def energy(self) -> dict[str, Array]:
        """``time`` in s and [time] of ``kinetic``, ``released``, ``moment`` ... in J and N m."""
        return {name: np.asarray(variable[:], dtype=np.float64)
                for name, variable in self._file["energy"].items()}
