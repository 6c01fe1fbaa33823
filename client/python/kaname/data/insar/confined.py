# SPDX-License-Identifier: BSD-3-Clause
"""Reads a raster in a process of its own: HDF5 1.10 and GDAL's netCDF break down on one in a hundred damaged files,
and that must end the reading with an error and not the caller's session.

The child writes one line of JSON (error, or shapes and what is not an array) and then the arrays' bytes.
"""
from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from dataclasses import asdict
from typing import Any

import numpy as np

from ...errors import Error, Violation
from .raster import Raster
from .reading import Reading

_ARRAYS = ("values", "lon", "lat", "look")
_SECONDS = 900  # of processor time
_START = ("import json, sys; asked = json.loads(sys.stdin.readline()); sys.path[:] = asked['path']; "
          "from kaname.data.insar import confined; confined.answer(asked)")


def read_apart(path: str, reading: Reading) -> Raster:
    """Returns the raster that a child read. Raises what it raised, and InvalidArgument where it broke down."""
    asked = json.dumps({"path": sys.path, "file": path, "reading": asdict(reading)}) + "\n"
    with subprocess.Popen([sys.executable or "python3", "-c", _START], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as child:
        assert child.stdin is not None and child.stdout is not None and child.stderr is not None
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
        said = child.stderr.read().decode("utf-8", "replace").strip()
        code = child.wait()
    if "error" in head:
        raise Error(head["error"][0], head["error"][1], [Violation(*v) for v in head["error"][2]])
    if not whole or code != 0:
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        last = f": {said.splitlines()[-1][:200]}" if said and code > 0 else ""
        raise Error("InvalidArgument" if code < 0 else "Internal",
                    f"{path}: cannot be read: the library that reads it broke down ({how}{last}); the file, or one that "
                    "belongs to it, is damaged")
    return Raster(name=head["name"], rate=head["rate"], notes=tuple(head["notes"]), **arrays)


def answer(asked: dict[str, Any]) -> None:
    """Reads what was asked for and writes it to standard output."""
    from .reading import read_here

    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # Libraries that print do not print into the answer.
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
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
