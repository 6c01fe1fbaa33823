# SPDX-License-Identifier: BSD-3-Clause
"""Answers from a dataset on this machine by libkaname_answer.so, within this process: no process is
started, and numbers go through no files."""
from __future__ import annotations

import ctypes
import os
import pathlib
from typing import Any, Mapping, Sequence

import numpy as np

from .answer import JULIAN_YEAR_S, Answers, Array
from .errors import Error
from .program import find_program

_INTERFACE = 1
_SOURCES, _STATIONS, _EPOCHS, _VISCOSITIES = range(4)
_KEPT_PLANS = 8

_Numbers = ctypes.POINTER(ctypes.c_double)


class _Failure(ctypes.Structure):
    _fields_ = [("code", ctypes.c_char * 32), ("message", ctypes.c_char * 2016)]

    def as_error(self) -> Error:
        return Error(self.code.decode(), self.message.decode(errors="replace"))


def load_library() -> Any:
    """The library of the programs' installation, with the types of its functions. Raises OSError
    where it is not there, cannot be loaded, or is another version's."""
    try:
        program = pathlib.Path(find_program()).resolve()
    except Error as error:
        raise OSError(error.message) from error
    library = ctypes.CDLL(os.fspath(program.parents[1] / "lib/kaname/libkaname_answer.so"))
    library.kaname_answer_interface.restype = ctypes.c_int
    if library.kaname_answer_interface() != _INTERFACE:
        raise OSError(f"libkaname_answer.so must have interface {_INTERFACE}, got "
                      f"{library.kaname_answer_interface()}")
    failure, size, handle = ctypes.POINTER(_Failure), ctypes.c_size_t, ctypes.c_void_p
    for name, result, *arguments in (
            ("open", handle, ctypes.c_char_p, failure),
            ("close", None, handle),
            ("count", size, handle, ctypes.c_int),
            ("name", ctypes.c_char_p, handle, ctypes.c_int, size),
            ("epochs", None, handle, _Numbers),
            ("ranges", None, handle, _Numbers),
            ("prepare", handle, handle, _Numbers, size, failure),
            ("release", None, handle)):
        function = getattr(library, f"kaname_answer_{name}")
        function.restype, function.argtypes = result, arguments
    library.kaname_answer.restype = ctypes.c_int
    library.kaname_answer.argtypes = [handle, _Numbers, size, size,
                                      ctypes.POINTER(ctypes.c_char_p), _Numbers, _Numbers, _Numbers,
                                      failure]
    return library


def _pointer(values: Array | None) -> Any:
    return None if values is None else values.ctypes.data_as(_Numbers)


class _Plan:
    """Epochs that are prepared, as long as somebody uses them."""

    def __init__(self, library: Any, dataset: Any, epochs: Array) -> None:
        failure = _Failure()
        self._library = library
        self.held = library.kaname_answer_prepare(dataset, _pointer(epochs), len(epochs), failure)
        if not self.held:
            raise failure.as_error()

    def __del__(self) -> None:
        if self.held:
            self._library.kaname_answer_release(self.held)


class LibraryAnswerer:
    """A dataset that the library holds, as long as somebody uses it. Several threads may ask it at
    a time."""

    def __init__(self, library: Any, path: str | os.PathLike[str]) -> None:
        from h5py._objects import phil  # HDF5 is for one thread at a time, h5py's or this one

        self._library, self._held = library, None
        failure = _Failure()
        with phil:
            self._held = library.kaname_answer_open(os.fsencode(path), failure)
        if not self._held:
            raise failure.as_error()
        self._plans: dict[bytes, _Plan] = {}
        self.sources, self.stations, viscosities = (
            self._names(axis) for axis in (_SOURCES, _STATIONS, _VISCOSITIES))
        self._place = {name: k for k, name in enumerate(self.sources)}
        self.epochs = np.empty(library.kaname_answer_count(self._held, _EPOCHS))
        library.kaname_answer_epochs(self._held, _pointer(self.epochs))
        ranges = np.empty((len(viscosities), 3))
        library.kaname_answer_ranges(self._held, _pointer(ranges))
        self.ranges = {name: (float(row[0]), float(row[1]), float(row[2]))
                       for name, row in zip(viscosities, ranges)}

    def __del__(self) -> None:
        if self._held:
            self._library.kaname_answer_close(self._held)

    def _names(self, axis: int) -> tuple[str, ...]:
        count = self._library.kaname_answer_count(self._held, axis)
        return tuple(self._library.kaname_answer_name(self._held, axis, k).decode()
                     for k in range(count))

    def answer(self, rheologies: Sequence[Mapping[str, float]],
               epochs_years: Sequence[float] | None, slip: Mapping[str, float] | None,
               certified: bool) -> Answers:
        """As `kaname.Dataset.answer`."""
        numbers = [{name: float(v) for name, v in one.items()} for one in rheologies] or [{}]
        epochs = (self.epochs if epochs_years is None
                  else np.array(epochs_years, dtype=float) * JULIAN_YEAR_S)
        slip_m = self._slip(slip) if slip else None
        plan = self._plan(epochs)
        shape: tuple[int, ...] = (len(epochs), len(self.stations), 3)
        if slip_m is None:
            shape = (len(self.sources), *shape)
        motion, error = np.empty((len(numbers), *shape)), np.full(len(numbers), np.nan)
        failure = _Failure()
        # One call for all neighbours that name the same numbers: they are shared out over threads.
        first = 0
        while first < len(numbers):
            names = tuple(numbers[first])
            last = first
            while last < len(numbers) and tuple(numbers[last]) == names:
                last += 1
            values = np.array([list(one.values()) for one in numbers[first:last]], dtype=float)
            texts = (ctypes.c_char_p * max(1, len(names)))(*(name.encode() for name in names))
            if self._library.kaname_answer(
                    plan.held, _pointer(slip_m), last - first, len(names), texts, _pointer(values),
                    _pointer(motion[first:last]), _pointer(error[first:last] if certified else None),
                    failure):
                raise failure.as_error()
            first = last
        return Answers(tuple(numbers), motion, error, self.sources, epochs.copy(), self.stations,
                       dict(self.ranges))

    def _slip(self, slip: Mapping[str, float]) -> Array:
        slip_m = np.zeros(len(self.sources))
        for name, metres in slip.items():
            if name not in self._place:
                raise Error("InvalidArgument",
                            f"slip: must be of sources of the dataset, got '{name}'")
            slip_m[self._place[name]] += float(metres)
        return slip_m

    def _plan(self, epochs: Array) -> _Plan:
        """Those of the last calls are kept."""
        key = epochs.tobytes()
        plan = self._plans.get(key)
        if plan is None:
            plan = _Plan(self._library, self._held, epochs)
            if len(self._plans) >= _KEPT_PLANS:
                self._plans.clear()
            self._plans[key] = plan
        return plan
