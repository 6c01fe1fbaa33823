# SPDX-License-Identifier: BSD-3-Clause
"""Green's functions that are read when they are indexed, from a file or from a server."""
from __future__ import annotations

import itertools
import math
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from .errors import Error

Array = npt.NDArray[np.float64]
Ranges = tuple[range, range, range]

AXES = ("source", "epoch", "station", "component")
_BLOCK_VALUES = 4 << 20  # of one request: the server holds them in memory
_MOST_RUNS = 16  # of one axis: more are read as the range around them


class Blocks(Protocol):
    """Where values come from."""

    shape: tuple[int, int, int, int]

    def read(self, ranges: Ranges) -> Array:
        """[source][epoch][station][component] of rising, evenly spaced indices."""
        ...


class FileBlocks:
    """The variable `greens` of an open file."""

    def __init__(self, variable: Any) -> None:
        self._variable = variable
        self.shape = variable.shape

    def read(self, ranges: Ranges) -> Array:
        slices = tuple(slice(r.start, r.stop, r.step) for r in ranges)
        return np.asarray(self._variable[slices], dtype=np.float64)


class WireBlocks:
    """A dataset of a server, by ReadSlice. ``moved``: bytes of values that came."""

    def __init__(self, calls: Any, dataset: str,
                 shape: tuple[int, int, int, int] = (0, 0, 0, 3)) -> None:
        self._calls, self._dataset, self.shape = calls, dataset, shape
        self.moved = 0

    def read(self, ranges: Ranges) -> Array:
        width = len(ranges[1]) * len(ranges[2]) * self.shape[3]
        rows = max(1, _BLOCK_VALUES // max(width, 1))
        sources = ranges[0]
        parts = [self._request((sources[at:at + rows], ranges[1], ranges[2]))[1]
                 for at in range(0, len(sources), rows)]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def read_source(self, index: int) -> tuple[list[str], Array]:
        """Ids and values of one source, all epochs and stations."""
        return self._request((range(index, index + 1), None, None))

    def _request(self, ranges: tuple[range | None, range | None, range | None]
                 ) -> tuple[list[str], Array]:
        from ._proto.kaname.v1 import artifacts_service_pb2 as messages

        request = messages.ReadSliceRequest(dataset=self._dataset)
        for field, wanted in zip((request.sources, request.epochs, request.stations), ranges):
            if wanted is not None:
                field.start, field.count, field.stride = wanted.start, len(wanted), wanted.step
        found: tuple[list[str], Array] = self._calls.insist(lambda: self._receive(request))
        return found

    def _receive(self, request: Any) -> tuple[list[str], Array]:
        ids: list[str] = []
        values = np.empty(0)
        shape: tuple[int, ...] = ()
        came = 0
        stations = 0
        for message in self._calls.stream("ReadSlice", self._calls.artifacts.ReadSlice, request):
            if message.HasField("shape"):
                found = message.shape
                stations += len(found.station_ids)
                if not shape:
                    ids = list(found.source_ids)
                    shape = (found.sources, found.epochs, found.stations, found.components)
                    values = np.empty(math.prod(shape))
                continue
            count = len(message.values)
            values[message.first:message.first + count] = np.fromiter(message.values, np.float64,
                                                                      count)
            came += count
        if came != values.size:
            raise Error("Unavailable", f"ReadSlice ended after {came} of {values.size} values")
        self.moved += 8 * came
        return ids, values.reshape(shape)


def _runs(indices: npt.NDArray[np.intp]) -> list[range]:
    """Evenly spaced ranges that hold rising indices, and a few others where that saves calls."""
    runs: list[range] = []
    at = 0
    while at < indices.size:
        end = at + 1
        step = int(indices[end] - indices[at]) if end < indices.size else 1
        while end + 1 < indices.size and indices[end + 1] - indices[end] == step:
            end += 1
        last = min(end, indices.size - 1)
        runs.append(range(int(indices[at]), int(indices[last]) + 1, step))
        at = last + 1
    span = int(indices[-1] - indices[0]) + 1
    if len(runs) > 1 and (len(runs) > _MOST_RUNS or span <= 2 * indices.size):
        return [range(int(indices[0]), int(indices[-1]) + 1)]
    return runs


class _Selection:
    """Indices of one axis: what to read, and where it goes."""

    def __init__(self, axis: str, key: Any, extent: int) -> None:
        self.scalar = False
        if isinstance(key, slice):
            self.indices = np.arange(extent)[key]
        else:
            wanted = np.asarray(key)
            if wanted.dtype == bool:
                if wanted.shape != (extent,):
                    raise IndexError(f"{axis}: a mask must have shape ({extent},), got "
                                     f"{wanted.shape}")
                wanted = np.flatnonzero(wanted)
            if wanted.ndim > 1 or (wanted.size and not np.issubdtype(wanted.dtype, np.integer)):
                raise IndexError(f"{axis}: must be an integer, a slice, a mask or a list of "
                                 f"integers, got {key!r}")
            self.scalar = wanted.ndim == 0
            self.indices = np.atleast_1d(wanted.astype(np.intp))
            outside = (self.indices < -extent) | (self.indices >= extent)
            if outside.any():
                raise IndexError(f"{axis}: index {self.indices[outside][0]} must be < {extent}")
            self.indices = np.where(self.indices < 0, self.indices + extent, self.indices)
        unique = np.unique(self.indices)
        self.runs = _runs(unique) if unique.size else []
        read = np.concatenate([np.asarray(run) for run in self.runs]) if self.runs else unique
        self.take = np.searchsorted(read, self.indices)
        self.identity = np.array_equal(self.take, np.arange(read.size))


class Greens:
    """Values [source][epoch][station][component], m per m of slip (m of a scenario), cumulative
    since before the slip; NaN where a source is missing.

    Indexing reads what is asked for and nothing more: integers, slices, masks and lists, each axis
    by itself (``greens[[0, 7], :, [3, 1]]`` is 2 sources x epochs x 2 stations).
    """

    ndim = 4
    dtype = np.dtype(np.float64)

    def __init__(self, blocks: Blocks) -> None:
        self.blocks = blocks
        self.shape = tuple(int(n) for n in blocks.shape)

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name} {n}" for name, n in zip(AXES, self.shape))
        return f"<Greens: {sizes}; {self.nbytes / 1e6:.3g} MB, read when indexed>"

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        return 8 * self.size

    def __len__(self) -> int:
        return self.shape[0]

    def __array__(self, dtype: Any = None) -> npt.NDArray[Any]:
        return np.asarray(self[...], dtype=dtype)

    def __getitem__(self, key: Any) -> Any:
        keys = list(key) if isinstance(key, tuple) else [key]
        ellipses = [i for i, k in enumerate(keys) if k is Ellipsis]
        if len(ellipses) > 1:
            raise IndexError("at most one ... in an index")
        if ellipses:
            at = ellipses[0]
            keys[at:at + 1] = [slice(None)] * (self.ndim - len(keys) + 1)
        keys += [slice(None)] * (self.ndim - len(keys))
        if len(keys) > self.ndim:
            raise IndexError(f"greens has 4 axes ({', '.join(AXES)}), got {len(keys)} indices")
        chosen = [_Selection(*args) for args in zip(AXES, keys, self.shape)]
        values = self._read(chosen)
        for axis, selection in enumerate(chosen):
            if not selection.identity:
                values = np.take(values, selection.take, axis=axis)
        values = values.reshape([s.indices.size for s in chosen if not s.scalar])
        return values if values.ndim else values[()]

    def _read(self, chosen: list[_Selection]) -> Array:
        """All runs of source, epoch and station; then the components that are wanted."""
        sizes = [sum(len(run) for run in s.runs) for s in chosen]
        if 0 in sizes:
            return np.empty(sizes)
        component = np.concatenate([np.asarray(run) for run in chosen[3].runs])
        if all(len(s.runs) == 1 for s in chosen[:3]):
            block = self.blocks.read(tuple(s.runs[0] for s in chosen[:3]))  # type: ignore[arg-type]
            return block if sizes[3] == self.shape[3] else block[..., component]
        values = np.empty(sizes)
        places = [list(zip(s.runs, np.cumsum([0] + [len(r) for r in s.runs]))) for s in chosen[:3]]
        for block_of in itertools.product(*places):
            into = tuple(slice(at, at + len(run)) for run, at in block_of)
            ranges = tuple(run for run, _ in block_of)
            values[into] = self.blocks.read(ranges)[..., component]  # type: ignore[arg-type]
        return values
