# SPDX-License-Identifier: BSD-3-Clause
"""Reads a raster in a process of its own: HDF5 1.10 and GDAL's netCDF break down on one in a hundred damaged files,
and that must end the reading with an error and not the caller's session.

The child writes one line of JSON (error, or shapes and what is not an array) and then the arrays' bytes.
"""
from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
from dataclasses import asdict
from typing import Any

import numpy as np

from ...errors import Error, Violation
from .raster import Raster
from .reading import Reading

_ARRAYS = ("values", "lon", "lat", "look")
_SECONDS = 300  # of processor time; a million pixels take one
_MEMORY_PART = 0.75  # of what is available
_START = ("import json, sys; asked = json.loads(sys.stdin.readline()); sys.path[:] = asked['path']; "
          "from kaname.data.insar import confined; confined.answer(asked)")


def read_apart(path: str, reading: Reading) -> Raster:
    """Returns the raster that a child read. Raises what it raised, and InvalidArgument where it broke down."""
    asked = json.dumps({"path": sys.path, "file": path, "reading": asdict(reading)}) + "\n"
    # The complaints of the child go to a file: a pipe that nobody empties would stop it.
    with tempfile.TemporaryFile() as complaint, \
            subprocess.Popen([sys.executable or "python3", "-c", _START], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=complaint) as child:
        assert child.stdin is not None and child.stdout is not None
        child.stdin.write(asked.encode())
        child.stdin.close()
        line = child.stdout.readline()
        head: dict[str, Any] = json.loads(line) if line.endswith(b"\n") else {}
        arrays = {}
        whole = bool(head) and "error" not in head
        for name in _ARRAYS if whole else ():
            arrays[name] = np.empty(head["shapes"][name])
            bytes_of = arrays[name].view(np.uint8).reshape(-1).data
            whole = whole and child.stdout.readinto(bytes_of) == len(bytes_of)  # type: ignore[attr-defined]
        code = child.wait()
        complaint.seek(max(0, complaint.seek(0, os.SEEK_END) - 1000))
        said = complaint.read().decode("utf-8", "replace").strip()
    if "error" in head:
        raise Error(head["error"][0], head["error"][1], [Violation(*v) for v in head["error"][2]])
    if not whole or code != 0:
        how = f"more than {_SECONDS} s of processor time" if code == -signal.SIGXCPU else (
            f"signal {-code}" if code < 0 else f"exit code {code}")
        last = f": {said.splitlines()[-1][:200]}" if said and code > 0 else ""
        raise Error("InvalidArgument" if code < 0 else "Internal",
                    f"{path}: cannot be read: the library that reads it broke down ({how}{last}); the file, or one that "
                    "belongs to it, is damaged")
    return Raster(name=head["name"], rate=head["rate"], notes=tuple(head["notes"]), **arrays)


def bound(more_bytes: int, seconds: int = _SECONDS) -> None:
    """Bounds this process: damaged sizes must not use up the machine's memory, or time without end."""
    with open("/proc/self/statm", encoding="ascii") as file:
        held = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (held + more_bytes, held + more_bytes))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))  # The first ends it by SIGXCPU.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def available_bytes() -> int:
    """Returns the memory that the machine has left."""
    with open("/proc/meminfo", encoding="ascii") as file:
        found = next((line for line in file if line.startswith("MemAvailable:")), "MemAvailable: 4194304 kB")
    return int(found.split()[1]) << 10


def answer(asked: dict[str, Any]) -> None:
    """Reads what was asked for and writes it to standard output."""
    from .reading import read_here

    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # Libraries that print do not print into the answer.
    bound(int(_MEMORY_PART * available_bytes()))
    options = {key: tuple(value) if isinstance(value, list) else value for key, value in asked["reading"].items()}
    try:
        raster = read_here(asked["file"], Reading(**options))
    except Error as error:
        violations = [(v.field, v.message) for v in error.violations]
        out.write(json.dumps({"error": [error.code, error.message, violations]}).encode() + b"\n")
        out.close()
        return
    arrays = {name: np.ascontiguousarray(getattr(raster, name), dtype=np.float64) for name in _ARRAYS}
    out.write(json.dumps({"name": raster.name, "rate": raster.rate, "notes": raster.notes,
                          "shapes": {name: array.shape for name, array in arrays.items()}}).encode() + b"\n")
    for array in arrays.values():
        out.write(array.data)
    out.close()
