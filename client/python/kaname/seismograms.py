# SPDX-License-Identifier: BSD-3-Clause
"""Datasets of waves: seismograms.h5 on this machine, or lazily on a server."""
from __future__ import annotations

import json
import os
import pathlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .dataset import STATUS, Array, Indices, _index, texts
from .errors import Error
from .plotting.self_contained import open_file
from .rupture import Rupture

if TYPE_CHECKING:
    from ._remote_file import RemoteFile
    from .client import Client

KIND = "seismograms"


@dataclass(frozen=True)
class WaveSources:
    """Point sources. ``position`` [source][x, y, z] in m of the model; ``force`` [source][x, y, z]
    in N; ``moment`` [source][xx, yy, zz, yz, xz, xy] in N m; ``function`` [source][time] is what
    both are multiplied by; above ``highest_frequency`` [source] in Hz a source has less than a
    thousandth of its spectrum; ``status``: missing, done or failed; ``failure``: why."""

    id: tuple[str, ...]
    position: Array
    force: Array
    moment: Array
    function: Array
    highest_frequency: Array
    status: tuple[str, ...]
    failure: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.id)

    def index(self, name: str) -> int:
        """The place of a source; raises NotFound."""
        return _index("source", self.id, name)

    @property
    def done(self) -> Indices:
        """Indices of those that have seismograms."""
        return np.array([i for i, s in enumerate(self.status) if s == "done"], dtype=np.int64)


@dataclass(frozen=True)
class Receivers:
    """``position`` [receiver][x, y, z] in m of the model."""

    id: tuple[str, ...]
    position: Array

    def __len__(self) -> int:
        return len(self.id)

    def index(self, name: str) -> int:
        """The place of a receiver; raises NotFound."""
        return _index("receiver", self.id, name)


@dataclass(frozen=True)
class Snapshots:
    """Displacement of every so many nodes. ``time`` [snapshot] in s; ``x``, ``y``, ``z`` in m of
    the nodes; ``displacement`` [source][snapshot][z][y][x][x, y, z] in m, an h5py.Dataset that is
    read when it is indexed."""

    time: Array
    x: Array
    y: Array
    z: Array
    displacement: Any

    def __len__(self) -> int:
        return int(self.time.size)


@dataclass(frozen=True)
class Ground:
    """Motion of the triangles of a mesh's top (docs/user/seismic.md). ``points`` [point][x, y, z] in
    m; ``triangles`` [triangle][3] points; ``peak_velocity`` [source][triangle][horizontal, vertical]
    and ``velocity`` [source][snapshot][triangle][x, y, z] in m/s at ``time`` [snapshot] in s, each
    an h5py.Dataset that is read when it is indexed, or None where none was asked for."""

    points: Array
    triangles: npt.NDArray[np.int32]
    peak_velocity: Any
    time: Array
    velocity: Any


def _sources(group: Any, status: tuple[str, ...], failure: tuple[str, ...]) -> WaveSources:
    force, moment, function, highest = (
        np.asarray(group[name][...], dtype=np.float64) for name in
        ("force", "moment", "source_function", "highest_frequency"))
    return WaveSources(texts(group["source"][:]), _positions(group, "source"), force, moment,
                       function, highest, status, failure)


def _positions(group: Any, of: str) -> Array:
    return np.stack([np.asarray(group[f"{of}_{axis}"][:], dtype=np.float64) for axis in "xyz"],
                    axis=-1)


class Seismograms:
    """Motion of receivers for point sources; values are read when they are asked for. Made by
    `kaname.open`."""

    def __init__(self, name: str, opener: Any, message: Any = None) -> None:
        self.name = name
        self._opener, self._message = opener, message
        self._held: Any = None
        self._remote: RemoteFile | None = None

    @classmethod
    def of_file(cls, path: str | os.PathLike[str]) -> Seismograms:
        """Of a seismograms.h5; raises NotFound, InvalidArgument."""
        if not pathlib.Path(path).exists():
            raise Error("NotFound", f"{path} is not there")
        data = cls(os.fspath(path), lambda: open_file(path))
        data._open()
        return data

    @classmethod
    def of_service(cls, client: Client, message: Any) -> Seismograms:
        """Of a kaname.v1.Dataset; nothing is read yet."""
        from ._remote_file import RemoteFile

        data = cls(message.title, None, message)

        def opener() -> Any:
            data._remote = RemoteFile(client._calls, message.sha256, message.bytes)
            return open_file(data._remote)

        data._opener = opener
        return data

    def _open(self) -> Any:
        if self._held is None:
            try:
                file = self._opener()
            except (OSError, ValueError) as error:
                raise Error("InvalidArgument",
                            f"{self.name}: must be a dataset of Kaname: {error}") from error
            if not has_seismograms(file):
                file.close()
                raise Error("InvalidArgument", f"{self.name}: has no seismograms")
            self._held = file
        return self._held

    def __enter__(self) -> Seismograms:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._held is None and self._message is not None:
            return (f"<kaname.Seismograms {self.name}: {self._message.sources_done} of "
                    f"{self._message.sources} sources, {self._message.bytes / 1e6:.3g} MB, on a "
                    "server>")
        shape = self.seismograms.shape
        return (f"<kaname.Seismograms {self.name}: {shape[0]} sources, {shape[1]} receivers, "
                f"{shape[3]} samples>")

    def close(self) -> None:
        """Closes the file; it is opened again when it is used."""
        if self._held is not None:
            self._held.close()
            self._held = None

    @property
    def file(self) -> Any:
        """The h5py.File, for what has no name here: ``data.file["section_vp"][:]``."""
        return self._open()

    @property
    def seismograms(self) -> Any:
        """[source][receiver][component][time] in `unit`, an h5py.Dataset that is read when it is
        indexed; NaN where a source is not done."""
        return self.file["seismograms"]

    @cached_property
    def unit(self) -> str:
        """Of the seismograms: "m" where they are displacements, "m s-1" where they are velocities."""
        return texts([self.seismograms.attrs.get("units", "m")])[0]

    @property
    def bytes_moved(self) -> int:
        """Bytes that came over the wire; 0 of a local file."""
        return self._remote.moved if self._remote is not None else 0

    @cached_property
    def title(self) -> str:
        return texts([self.file.attrs.get("title", "")])[0] or self.name

    @cached_property
    def attributes(self) -> dict[str, Any]:
        """Attributes of the root: step, voxel_size, points_per_wavelength, kaname_version ..."""
        return {key: texts([v])[0] if isinstance(v, (str, bytes)) else v
                for key, v in self.file.attrs.items() if not key.startswith("_")}

    @cached_property
    def specification(self) -> dict[str, Any]:
        """What was asked for, in SI units; empty where the file does not say it."""
        return dict(json.loads(self.attributes.get("specification", "{}")))

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What to know of it, such as few voxels in a wavelength."""
        return texts(self.file["warning"][:]) if "warning" in self.file else ()

    @cached_property
    def components(self) -> tuple[str, ...]:
        return texts(self.file["component"][:])

    @cached_property
    def time(self) -> Array:
        """[time] s since the sources' time 0, at equal distances."""
        return np.asarray(self.file["time"][:], dtype=np.float64)

    @cached_property
    def sources(self) -> WaveSources:
        file = self.file
        status = [STATUS[s] if 0 <= s < len(STATUS) else "unknown" for s in file["status"][:]]
        return _sources(file, tuple(status), texts(file["failure"][:]))

    @cached_property
    def given_sources(self) -> WaveSources | None:
        """Of a rupture: the sources of known motion that radiate in its run, with its status and
        failure; None where there are none."""
        if "given_sources" not in self.file:
            return None
        group = self.file["given_sources"]
        n = len(group["source"])
        return _sources(group, self.sources.status[:1] * n, self.sources.failure[:1] * n)

    @cached_property
    def receivers(self) -> Receivers:
        return Receivers(texts(self.file["receiver"][:]), self.positions("receiver"))

    def positions(self, of: str = "receiver") -> Array:
        """[receiver][x, y, z] in m of the model; ``of``: receiver or source."""
        return _positions(self.file, of)

    def places(self, of: str = "receiver") -> Array | None:
        """[receiver][longitude, latitude] in degrees; ``of``: receiver or source. None of a model
        that has no place on the globe."""
        if f"{of}_lon" not in self.file:
            return None
        return np.stack([np.asarray(self.file[f"{of}_{axis}"][:], dtype=np.float64)
                         for axis in ("lon", "lat")], axis=-1)

    def traces(self, source: str, component: str | None = None) -> npt.NDArray[np.float32]:
        """Of one source, [receiver][component][time] in `unit`; of one component, [receiver][time].

        Raises NotFound of a source or component that there is not.
        """
        k = self.sources.index(source)
        if component is None:
            return np.asarray(self.seismograms[k])
        return np.asarray(self.seismograms[k, :, _index("component", self.components, component)])

    @cached_property
    def snapshots(self) -> Snapshots | None:
        """None where the specification asked for none."""
        if "snapshots" not in self.file:
            return None
        group = self.file["snapshots"]
        time, x, y, z = (np.asarray(group[name][:], dtype=np.float64)
                         for name in ("snapshot", "x", "y", "z"))
        return Snapshots(time, x, y, z, group["displacement"])

    @cached_property
    def ground(self) -> Ground | None:
        """None where the specification asked for none, and of waves on voxels."""
        if "ground" not in self.file:
            return None
        group = self.file["ground"]
        time = group["snapshot"][:] if "snapshot" in group else []
        return Ground(np.asarray(group["xyz"][:], dtype=np.float64), group["triangles"][:],
                      group.get("peak_velocity"), np.asarray(time, dtype=np.float64),
                      group.get("velocity"))

    @cached_property
    def rupture(self) -> Rupture | None:
        """Faults, receivers on them and energies; None of other waves."""
        return Rupture.of_file(self.file)

    def to_xarray(self) -> Any:
        """An xarray.Dataset with the variables of docs/user/waves.md but the snapshots';
        ``seismograms`` is read when it is indexed."""
        from ._xarray import waves_to_xarray

        return waves_to_xarray(self)


def has_seismograms(file: Any) -> bool:
    """Whether an h5py.File is one of waves."""
    return file.attrs.get("kind") in (KIND, KIND.encode())
