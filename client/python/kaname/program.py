# SPDX-License-Identifier: BSD-3-Clause
"""The program `kaname`: it alone knows how YAML becomes a message, its units and its rules."""
from __future__ import annotations

import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
from typing import Any, Iterator, Mapping

import numpy as np

from .errors import Error, from_program, invalid, need

Specification = Mapping[str, Any]
_SOME_FAILED = 4


def find_program() -> str:
    """KANAME_PROGRAM, else the one that was built or installed with this package, else that of
    PATH. Raises NotFound."""
    named = os.environ.get("KANAME_PROGRAM")
    if named:
        if not os.access(named, os.X_OK):
            raise Error("NotFound", f"KANAME_PROGRAM must be a program, got '{named}'")
        return named
    here = pathlib.Path(__file__).absolute().parent
    # build/python/kaname, and PREFIX/lib/python3/dist-packages/kaname.
    for prefix in (here.parents[1], here.parents[3]):
        if os.access(prefix / "bin/kaname", os.X_OK):
            return str(prefix / "bin/kaname")
    found = shutil.which("kaname")
    if not found:
        raise Error("NotFound", "the program kaname is not on PATH; KANAME_PROGRAM names it")
    return found


def has_program() -> bool:
    """True where find_program() finds one."""
    try:
        find_program()
    except Error:
        return False
    return True


def run_json(*arguments: str | os.PathLike[str], some_failed: bool = False) -> Any:
    """What a command prints with --json; ``some_failed``: also of one that ends with a part of its
    work failed. Raises Error with its code, message and violations."""
    done = subprocess.run([find_program(), *(os.fspath(a) for a in arguments), "--json"],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode not in ((0, _SOME_FAILED) if some_failed else (0,)):
        raise from_program(done.stdout, done.stderr, done.returncode)
    return json.loads(done.stdout)


def run_json_lines(*arguments: str | os.PathLike[str], env: Mapping[str, str]) -> list[Any]:
    """What a command prints with --json that prints an object per line, as it goes on; also of one
    that ends with some sources failed. ``env``: variables beside those of this process."""
    done = subprocess.run([find_program(), *(os.fspath(a) for a in arguments), "--json"],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env={**os.environ, **env}, text=True, check=False)
    if done.returncode not in (0, _SOME_FAILED):
        raise from_program(done.stdout, done.stderr, done.returncode)
    return [json.loads(line) for line in done.stdout.splitlines()]


def load(path: str | os.PathLike[str]) -> dict[str, Any]:
    """A specification as a dictionary, to change it and to submit it. Numbers are YAML 1.2's:
    PyYAML alone takes ``1e19`` for a text. Raises NotFound, InvalidArgument."""
    yaml = need("yaml", "python3-yaml", "load")

    class Loader(yaml.SafeLoader):  # type: ignore[misc,name-defined]
        pass

    Loader.add_implicit_resolver("tag:yaml.org,2002:float",
                                 re.compile(r"[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+$"),
                                 list("-+.0123456789"))
    try:
        with open(path, encoding="utf-8") as file:
            found = yaml.load(file, Loader)
    except FileNotFoundError:
        raise Error("NotFound", f"{path} is not there") from None
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        raise Error("InvalidArgument", f"{path} must be YAML: {' '.join(str(error).split())}") from error
    if not isinstance(found, dict):
        raise Error("InvalidArgument", f"{path} must hold a mapping of fields")
    return found


def plain(value: Any) -> Any:
    """Dictionaries, lists, texts and numbers of a specification, out of numpy's and paths."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items() if item is not None}
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


@contextlib.contextmanager
def specification_file(specification: Specification | str | os.PathLike[str],
                       folder: str | os.PathLike[str] | None = None) -> Iterator[pathlib.Path]:
    """The path of a YAML file: the one that is given, or for its time one with a dictionary's
    content, in ``folder`` (the working directory), from where the files that it names count."""
    if not isinstance(specification, Mapping):
        yield pathlib.Path(specification)
        return
    try:
        text = json.dumps(plain(specification), allow_nan=False)
    except (TypeError, ValueError) as error:
        invalid("request",
                f"must hold texts, finite numbers, lists and dictionaries: {error}")
    try:
        handle, name = tempfile.mkstemp(".yaml", ".kaname-", os.fspath(folder or "."))
    except OSError as error:
        raise Error("Unavailable", f"folder must be a place that can be written, got "
                                   f"'{folder or os.getcwd()}': {error}") from error
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)  # JSON is YAML
        yield pathlib.Path(name)
    finally:
        os.unlink(name)


def validate(specification: Specification | str | os.PathLike[str],
             folder: str | os.PathLike[str] | None = None) -> Any:
    """The report of `kaname validate --canonical`, without the rules that need geometry: keys
    ``name``, ``content_hash``, ``chosen``, ``specification`` (a message in protobuf's JSON, with
    its type under ``@type``). Raises Error with all violations."""
    with specification_file(specification, folder) as path:
        if not path.exists():
            raise Error("NotFound", f"{path} is not there")
        return run_json("validate", path, "--schema-only", "--canonical")
