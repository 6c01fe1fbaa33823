# SPDX-License-Identifier: BSD-3-Clause
"""`kaname data KIND ...`: hands the words to the kind's own command line."""
from __future__ import annotations

import importlib
import os
import sys

from .._shown import say
from ..errors import Error, report

KINDS = {"gnss": "series and velocities of GNSS stations to offsets, velocities and cleaned series",
         "insar": "rasters of InSAR to points with a covariance"}
_USAGE = "usage: kaname data KIND ...\n\n" + "\n".join(f"  {kind:8} {about}" for kind, about in KINDS.items()) + (
    "\n\n`kaname data KIND --help` has the options.")


def main(words: list[str]) -> int:
    """Exit codes are those of kaname (docs/user/cli.md)."""
    as_json = "--json" in words
    try:
        if not words or words[0] in ("-h", "--help"):
            say(_USAGE)
            return 0
        if words[0] not in KINDS:
            raise Error("InvalidArgument", f"KIND: must be one of {', '.join(KINDS)}, got '{words[0]}'")
        return int(importlib.import_module(f".{words[0]}.command", __package__).main(words[1:]))
    except Error as error:
        return report(error, as_json)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 5
