# SPDX-License-Identifier: BSD-3-Clause
"""`kaname data KIND ...`: hands the words to the kind's own command line."""
from __future__ import annotations

import importlib
import os
import sys
from typing import NoReturn

from .._shown import say
from ..errors import Error, Violation, report

KINDS = ("gnss", "insar", "geometry", "fault", "structure", "export", "reference")
_USAGE = """usage: kaname data KIND ...

What requests and kaname invert take, of files that geodesists have, and back:

  gnss      series and velocities of stations: offsets, velocities with sigmas
  insar     rasters of motion towards a satellite: points with a covariance
  geometry  which rectangle, dike or point moved the ground of such tables
  fault     traces, triangles, moment tensors, Slab2: the fault of a request
  structure 3-D models (EMC, CRUST1.0, SW4): columns or voxels of a request
  export    slip as .fsp, .param, .rupt, GMT, KML; motion as dtopo for tsunamis
  reference where the pieces of a dataset lie: slices over HTTP by xarray

kaname data KIND --help has the options."""


def refuse_word(field: str, rule: str, value: str) -> NoReturn:
    """Raises InvalidArgument for a word of the command line."""
    violation = Violation(field, f"{rule}, got '{value}'")
    raise Error("InvalidArgument", f"{violation.field}: {violation.message}", [violation])


def main(words: list[str]) -> int:
    """Exit codes are those of kaname (docs/user/cli.md)."""
    as_json = "--json" in words
    try:
        if not [word for word in words if word != "--json"]:
            refuse_word("KIND", f"must be {', '.join(KINDS[:-1])} or {KINDS[-1]}", "")
        if words[0] in ("-h", "--help"):
            say(_USAGE)
            return 0
        if words[0] not in KINDS:
            refuse_word("KIND", f"must be {', '.join(KINDS[:-1])} or {KINDS[-1]}", words[0])
        return int(importlib.import_module(f".{words[0]}.command", __package__).main(words[1:]))
    except Error as error:
        return report(error, as_json)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 5
