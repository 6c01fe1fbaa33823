# SPDX-License-Identifier: BSD-3-Clause
"""`kaname data reference`: where the pieces of a dataset lie, for xarray over HTTP."""
from __future__ import annotations

import argparse
import json
import os
import pathlib
import sys

from ..._shown import say
from ...errors import Error
from ..confined import call_apart
from ..fault.shapes import refuse
from ..insar.points import refuse_present
from ..words import Parser
from . import kerchunk


def parser() -> argparse.ArgumentParser:
    """Returns the options."""
    made = Parser(prog="kaname data reference", description="Writes Kerchunk references beside an HDF5 or netCDF-4 file "
                                                             "(docs/user/dataset.md).")
    made.add_argument("file", help="a dataset of Kaname, or another HDF5 file")
    made.add_argument("-o", "--output", metavar="FILE", help="default: FILE.json")
    made.add_argument("--url", help="where FILE will be, http://... or a path; default: its name")
    made.add_argument("--force", action="store_true", help="replace a file that is there")
    made.add_argument("--json", action="store_true", help="JSON to standard output")
    return made


def write_references(file: str, url: str, out: str) -> tuple[dict[str, object], dict[str, object]]:
    """Writes the references of a file; returns their number and notes. Called in a process of its own."""
    made, notes = kerchunk.references(pathlib.Path(file), url)
    pathlib.Path(out).write_text(json.dumps(made), encoding="utf-8")
    return {"references": len(made["refs"]), "notes": notes}, {}


def main(words: list[str]) -> int:
    """Runs the command; raises Error with field, value and rule."""
    options = parser().parse_args(words)
    path = pathlib.Path(options.file)
    out = pathlib.Path(options.output or f"{options.file}.json")
    if not path.is_file():
        raise Error("NotFound", f"{path} is not there")
    refuse_present([out], options.force)
    part = out.with_name(out.name + ".part")
    try:
        facts, _ = call_apart("kaname.data.reference.command:write_references", str(path), {
            "file": str(path), "url": options.url or path.name, "out": str(part)})
        os.replace(part, out)
    except OSError as error:
        raise Error("Unavailable", f"{out}: cannot be written: {error.strerror}") from error
    finally:
        part.unlink(missing_ok=True)
    if options.json:
        say(json.dumps({"file": str(out), **facts}, indent=2))
        return 0
    for note in facts["notes"]:
        say(note, sys.stderr)
    say(str(out))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
