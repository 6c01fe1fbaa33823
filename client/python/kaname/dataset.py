# SPDX-License-Identifier: BSD-3-Clause
"""Datasets on this machine, or lazily on a server: those of Green's functions here."""
from __future__ import annotations

import functools
import json
import os
import pathlib
import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ._greens import AXES, Blocks, FileBlocks, Greens, WireBlocks
from .errors import Error
from .plotting.self_contained import open_file

if TYPE_CHECKING:
    from ._answerer import Answerer
    from ._library import LibraryAnswerer
    from ._remote_file import RemoteFile
    from .answer import Answers
    from .client import Client
    from .job import Job
    from .seismograms import Seismograms

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

JULIAN_YEAR_S = 365.25 * 86400.0
STATUS = ("missing", "done", "failed")


def open(what: str | os.PathLike[str] | Job) -> Dataset | Seismograms:
    """A dataset from a file, or lazily over the wire: of Green's functions a `Dataset`, of waves
    `Seismograms`.

    Parameters
    ----------
    what : path, Job or str
        greens.h5, seismograms.h5 or rupture.h5; a job of a service; or a job's name, id or ``latest`` at the server that
        `connect` finds. A text that could be a path (it has a dot or a slash) is one, as is one
        that is there.

    Raises
    ------
    Error
        NotFound, InvalidArgument of a file that is no dataset, NotReady of a job without one.
    """
    if not isinstance(what, (str, os.PathLike)):
        return _of_service(what._client, what.id)
    path = pathlib.Path(what)
    text = os.fspath(what)
    if path.exists() or "." in text or "/" in text or not isinstance(what, str):
        return of_path(path)
    from .client import connect

    client = connect()
    return _of_service(client, client._resolve(text))


def of_path(path: str | os.PathLike[str]) -> Dataset | Seismograms:
    """Of a file; raises NotFound, InvalidArgument."""
    from .seismograms import Seismograms, has_seismograms

    try:
        with open_file(path) as file:
            if has_seismograms(file):
                return Seismograms.of_file(path)
    except (OSError, ValueError):
        pass  # Dataset says what is wrong with it
    return Dataset.of_file(path)


def _of_service(client: Client, job_id: str) -> Dataset | Seismograms:
    from .seismograms import KIND, Seismograms

    message = client._get_dataset(job_id, False)
    if message.file in (f"{KIND}.h5", "rupture.h5"):
        return Seismograms.of_service(client, message)
    return Dataset.of_service(client, message)


@dataclass(frozen=True)
class Sources:
    """Unit sources, tables, events of a scenario, sides. All arrays are [source].

    ``status``: missing, done or failed; ``failure``: why; ``component``: dip_slip, strike_slip,
    ``rake_...``, ``boundary`` of sides."""

    id: tuple[str, ...]
    patch: tuple[str, ...]
    component: tuple[str, ...]
    status: tuple[str, ...]
    failure: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.id)

    def index(self, name: str) -> int:
        """The place of a source; raises NotFound."""
        return _index("source", self.id, name)

    @property
    def done(self) -> Indices:
        """Indices of those that have values."""
        return np.array([i for i, s in enumerate(self.status) if s == "done"], dtype=np.int64)


@dataclass(frozen=True)
class Stations:
    """Stations as they were asked for, and where the mesh has them (``snapped_...``). Arrays are
    [station]; ``lon``, ``lat`` in degrees, ``depth`` [m] below sea level, ``x``, ``y`` [m] of a
    model without a projection. What a dataset has none of is NaN."""

    id: tuple[str, ...]
    lon: Array
    lat: Array
    depth: Array
    x: Array
    y: Array
    snapped_lon: Array
    snapped_lat: Array
    snapped_depth: Array

    def __len__(self) -> int:
        return len(self.id)

    def index(self, name: str) -> int:
        """The place of a station; raises NotFound."""
        return _index("station", self.id, name)


@dataclass(frozen=True)
class Patches:
    """Where each source slips. Arrays are [source] but the outlines, [source][corner]: top start,
    top end, bottom end, bottom start along strike.

    ``lon``, ``lat`` in degrees and ``depth`` [m] of the centre; ``x``, ``y`` [m] of it in the
    model; ``strike``, ``dip``, ``rake`` in degrees (0 left-lateral, 90 reverse); ``length``,
    ``width`` [m]; ``area`` [m2]; ``potency`` [m3] of unit slip; ``rigidity`` [Pa];
    ``grid_row``, ``grid_column``: -1 without a grid. What a dataset has none of is NaN."""

    lon: Array
    lat: Array
    depth: Array
    x: Array
    y: Array
    outline_lon: Array
    outline_lat: Array
    outline_depth: Array
    strike: Array
    dip: Array
    rake: Array
    length: Array
    width: Array
    area: Array
    potency: Array
    rigidity: Array
    grid_row: Indices
    grid_column: Indices

    def __len__(self) -> int:
        return int(self.lon.size)

    @property
    def moment(self) -> Array:
        """[source] N m of unit slip: rigidity times potency."""
        return self.rigidity * self.potency


@functools.cache
def _answer_library() -> Any:
    """libkaname_answer.so, loaded once; None where it cannot be, which is said once."""
    from ._library import load_library

    try:
        return load_library()
    except OSError as error:
        warnings.warn(f"answers come from a process, more slowly: {error}", stacklevel=3)
        return None


def _index(kind: str, names: Sequence[str], name: str) -> int:
    try:
        return names.index(name)
    except ValueError:
        raise Error("NotFound", f"no {kind} '{name}'; the first are "
                                f"{', '.join(names[:5])}") from None


def texts(values: Any) -> tuple[str, ...]:
    """HDF5's texts as Python's."""
    return tuple(v.decode() if isinstance(v, bytes) else str(v) for v in values)


class Dataset:
    """Green's functions with coordinates; values are read when they are asked for. Made by
    `kaname.open`, `Client.dataset` and `Client.datasets`."""

    def __init__(self, name: str, opener: Any, message: Any = None) -> None:
        self.name = name
        self._opener, self._message = opener, message
        self._held: tuple[Any, Greens] | None = None
        self._remote: RemoteFile | None = None
        self._wire: WireBlocks | None = None
        self._client: Client | None = None
        self._path: pathlib.Path | None = None
        self._answerer: Answerer | None = None
        self._library: LibraryAnswerer | None = None

    @classmethod
    def of_file(cls, path: str | os.PathLike[str]) -> Dataset:
        """Of a greens.h5; raises NotFound, InvalidArgument."""
        def opener() -> tuple[Any, Blocks]:
            file = open_file(path)
            return file, FileBlocks(file["greens"])

        dataset = cls(os.fspath(path), opener)
        if not pathlib.Path(path).exists():
            raise Error("NotFound", f"{path} is not there")
        dataset._path = pathlib.Path(path).absolute()
        dataset._open()
        return dataset

    @classmethod
    def of_service(cls, client: Client, message: Any) -> Dataset:
        """Of a kaname.v1.Dataset; nothing is read yet."""
        from ._remote_file import RemoteFile

        calls = client._calls

        dataset = cls(message.title, None, message)
        dataset._client = client

        def opener() -> tuple[Any, Blocks]:
            dataset._remote = RemoteFile(calls, message.sha256, message.bytes)
            file = open_file(dataset._remote)
            dataset._wire = WireBlocks(calls, message.name, file["greens"].shape)
            return file, dataset._wire

        dataset._opener = opener
        return dataset

    def _open(self) -> tuple[Any, Greens]:
        if self._held is None:
            try:
                file, blocks = self._opener()
                self._held = file, Greens(blocks)
            except (OSError, KeyError, ValueError) as error:
                raise Error("InvalidArgument",
                            f"{self.name}: must be a dataset of Kaname: {error}") from error
            if self._held[1].shape[3:] != (3,):
                raise Error("InvalidArgument", f"{self.name}: greens must have the axes "
                                               f"{', '.join(AXES)}")
        return self._held

    def __enter__(self) -> Dataset:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._held is None and self._message is not None:
            return (f"<kaname.Dataset {self.name}: {self._message.sources_done} of "
                    f"{self._message.sources} sources, {self._message.bytes / 1e6:.3g} MB, on a "
                    "server>")
        shape = self.greens.shape
        return (f"<kaname.Dataset {self.name}: {shape[0]} sources, {shape[1]} epochs, {shape[2]} "
                "stations>")

    def close(self) -> None:
        """Closes the file, and ends what answers; the dataset opens it again when it is used."""
        self._library = None
        if self._answerer is not None:
            self._answerer.close()
            self._answerer = None
        if self._held is not None:
            self._held[0].close()
            self._held = None

    @property
    def file(self) -> Any:
        """The h5py.File, for what has no name here: ``dataset.file["events/moment"][:]``."""
        return self._open()[0]

    @property
    def greens(self) -> Greens:
        """[source][epoch][station][east, north, up], read when indexed."""
        return self._open()[1]

    @property
    def sha256(self) -> str | None:
        """Of the file on a server; None of a local one."""
        return self._message.sha256 if self._message is not None else None

    @property
    def job(self) -> str | None:
        """Id of the job on a server; None of a local file."""
        return str(self._message.job).removeprefix("jobs/") if self._message is not None else None

    @property
    def bytes_moved(self) -> int:
        """Bytes of values and coordinates that came over the wire; 0 of a local file."""
        return sum(part.moved for part in (self._remote, self._wire) if part is not None)

    @cached_property
    def title(self) -> str:
        return texts([self.file.attrs.get("title", "")])[0] or self.name

    @cached_property
    def attributes(self) -> dict[str, Any]:
        """Attributes of the root: kaname_version, unit, tolerance, mesh_sha256 ..."""
        return {key: texts([v])[0] if isinstance(v, (str, bytes)) else v
                for key, v in self.file.attrs.items() if not key.startswith("_")}

    @cached_property
    def specification(self) -> dict[str, Any]:
        """What was asked for, in SI units; empty where the file does not say it."""
        return dict(json.loads(self.attributes.get("specification", "{}")))

    @property
    def projected(self) -> bool:
        """Whether places have longitudes and latitudes."""
        return "crs" not in self.file.attrs  # the attribute says that there is none

    @cached_property
    def epochs(self) -> Array:
        """[epoch] s after the slip, of a scenario since it began."""
        return self._numbers("epoch", self.greens.shape[1])

    @property
    def epochs_years(self) -> Array:
        """[epoch] years of 365.25 days."""
        return self.epochs / JULIAN_YEAR_S

    @property
    def components(self) -> tuple[str, str, str]:
        return ("east", "north", "up")

    @cached_property
    def sources(self) -> Sources:
        n = self.greens.shape[0]
        status = self.file["status"][:] if "status" in self.file else np.ones(n, dtype=int)
        return Sources(texts(self.file["source"][:]), self._texts("patch_id", n),
                       self._texts("slip_component", n),
                       tuple(STATUS[s] if 0 <= s < len(STATUS) else "unknown" for s in status),
                       self._texts("failure", n))

    @cached_property
    def stations(self) -> Stations:
        n = self.greens.shape[2]
        columns = [self._numbers(name, n) for name in
                   ("station_lon", "station_lat", "station_depth", "station_x", "station_y",
                    "snapped_lon", "snapped_lat", "snapped_depth")]
        return Stations(texts(self.file["station"][:]), *columns)

    @cached_property
    def patches(self) -> Patches:
        n = self.greens.shape[0]
        centre = [self._numbers(f"patch_{key}", n) for key in ("lon", "lat", "depth", "x", "y")]
        outline = [self._numbers(f"outline_{key}", n, 4) for key in ("lon", "lat", "depth")]
        rest = [self._numbers(key, n) for key in ("strike", "dip", "rake", "patch_length",
                                                  "patch_width", "patch_area", "potency",
                                                  "rigidity")]
        columns: list[Any] = [*centre, *outline, *rest, self._whole("grid_row", n),
                              self._whole("grid_column", n)]
        return Patches(*columns)

    @cached_property
    def neighbours(self) -> Indices:
        """[source][neighbour] indices of the sources beside each: of a grid the four of the same
        component against strike, along strike, up dip, down dip; -1 where there is none. Has no
        columns where the dataset knows none."""
        if "neighbours" not in self.file:
            return np.empty((self.greens.shape[0], 0), dtype=np.int64)
        return np.asarray(self.file["neighbours"][:], dtype=np.int64)

    def series(self, station: str, source: str) -> Array:
        """[epoch][east, north, up] of one station for one source."""
        return np.asarray(self.greens[self.sources.index(source), :, self.stations.index(station)])

    def at_station(self, station: str) -> Array:
        """[source][epoch][east, north, up] of one station."""
        return np.asarray(self.greens[:, :, self.stations.index(station)])

    def answer(self, *rheologies: Mapping[str, float],
               epochs_years: Sequence[float] | None = None,
               slip: Mapping[str, float] | None = None,
               slip_history: Mapping[str, Any] | None = None, certified: bool = True) -> Answers:
        """The motion for other rheologies within the ranges of the dataset's viscosities, without
        solving: of a file by libkaname_answer.so within this process, else by the server. Arguments
        and errors are those of `Job.answer`. A file is read once and kept until `close`.

        Where the library is not there, and for a ``slip_history`` of its own, a process of
        kaname-compute answers, which takes milliseconds more a call. ``certified=False``: ``error``
        is NaN, in half the time; a sampler that stays within the ranges needs it for a few alone.

            data = kaname.open("out/greens.h5")
            soft, stiff = data.answer({"mantle": 3e18}, {"mantle": 3e19}).displacement
        """
        if self._client is not None:
            return self._client.job(self.job or "").answer(
                *rheologies, epochs_years=epochs_years, slip=slip, slip_history=slip_history)
        path = self._path or pathlib.Path(self.name)
        library = _answer_library() if slip_history is None else None
        if library is not None:
            from ._library import LibraryAnswerer

            if self._library is None:
                self._library = LibraryAnswerer(library, path)
            return self._library.answer(rheologies, epochs_years, slip, certified)
        from ._answerer import Answerer

        if self._answerer is None:
            self._answerer = Answerer(path)
        return self._answerer.answer(rheologies, epochs_years, slip, slip_history)

    def to_xarray(self) -> Any:
        """An xarray.Dataset with the variables of docs/user/dataset.md; ``greens`` is read when
        it is indexed, piece by piece."""
        from ._xarray import to_xarray

        return to_xarray(self)

    def _numbers(self, name: str, *shape: int) -> Array:
        if name not in self.file:
            return np.full(shape, np.nan)
        return np.asarray(self.file[name][...], dtype=np.float64)

    def _whole(self, name: str, n: int) -> Indices:
        if name not in self.file:
            return np.full(n, -1, dtype=np.int64)
        return np.asarray(self.file[name][...], dtype=np.int64)

    def _texts(self, name: str, n: int) -> tuple[str, ...]:
        return texts(self.file[name][:]) if name in self.file else ("",) * n
