# SPDX-License-Identifier: BSD-3-Clause
"""Calls a reader in a process of its own: HDF5 1.10 and GDAL's netCDF break down on one in a hundred damaged files,
and that must end the reading with an error and not the caller's session.

The child writes one line of JSON (error, or facts and the shapes of arrays) and then the arrays' bytes.
"""
from __future__ import annotations

import importlib
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
from typing import Any, Mapping

import numpy as np
import numpy.typing as npt

from ..errors import Error, Violation

Array = npt.NDArray[np.float64]

_SECONDS = 300  # of processor time; a million pixels take one
_MEMORY_PART = 0.75  # of what is available
_START = ("import json, sys; asked = json.loads(sys.stdin.readline()); sys.path[:] = asked['path']; "
          "from kaname.data import confined; confined.answer(asked)")


def call_apart(function: str, path: str, arguments: Mapping[str, Any], seconds: int = _SECONDS
               ) -> tuple[dict[str, Any], dict[str, Array]]:
    """Returns facts and arrays that ``function`` ("module:name") of a child returned for the arguments, which JSON
    must hold. ``path`` is what the child reads. Raises what the child raised, and InvalidArgument where it broke down.
    """
    asked = json.dumps({"path": sys.path, "function": function, "arguments": dict(arguments), "seconds": seconds}) + "\n"
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
        for name, shape in head["shapes"].items() if whole else ():
            arrays[name] = np.empty(shape)
            if arrays[name].size:
                bytes_of = arrays[name].reshape(-1).view(np.uint8).data
                whole = whole and child.stdout.readinto(bytes_of) == len(bytes_of)  # type: ignore[attr-defined]
        code = child.wait()
        complaint.seek(max(0, complaint.seek(0, os.SEEK_END) - 1000))
        said = complaint.read().decode("utf-8", "replace").strip()
    if "error" in head:
        raise Error(head["error"][0], head["error"][1], [Violation(*v) for v in head["error"][2]])
    if not whole or code != 0:
        how = f"more than {seconds} s of processor time" if code == -signal.SIGXCPU else (
            f"signal {-code}" if code < 0 else f"exit code {code}")
        last = f": {said.splitlines()[-1][:200]}" if said and code > 0 else ""
        raise Error("InvalidArgument" if code < 0 else "Internal",
                    f"{path}: cannot be read: the library that reads it broke down ({how}{last}); the file, or one that "
                    "belongs to it, is damaged")
    return head["facts"], arrays


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
    """Calls what was asked for and writes facts and arrays to standard output."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # Libraries that print do not print into the answer.
    bound(int(_MEMORY_PART * available_bytes()), asked["seconds"])
    module, name = asked["function"].split(":")
    try:
        facts, found = getattr(importlib.import_module(module), name)(**asked["arguments"])
    except Error as error:
        violations = [(v.field, v.message) for v in error.violations]
        out.write(json.dumps({"error": [error.code, error.message, violations]}).encode() + b"\n")
        out.close()
        return
    arrays = {name: np.ascontiguousarray(array, dtype=np.float64) for name, array in found.items()}
    out.write(json.dumps({"facts": facts, "shapes": {name: array.shape for name, array in arrays.items()}}).encode()
              + b"\n")
    for array in arrays.values():
        out.write(array.data)
    out.close()
