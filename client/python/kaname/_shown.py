# SPDX-License-Identifier: BSD-3-Clause
"""Text and names that others gave, as the command line shows and stores them."""
from __future__ import annotations

import hashlib
import re
import sys
from typing import Any, TextIO

# Control characters but newline and tab, and what turns the direction of text or is not seen.
_HARMFUL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f"
                      "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f\ud800-\udfff]")
_LONGEST, _HASH = 180, 16


def _escaped(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[k]:02x}{units[k + 1]:02x}" for k in range(0, len(units), 2))


def shown(text: str) -> str:
    """Text of others as it may go to a terminal: what a terminal obeys becomes ``\\uXXXX``. JSON
    stays the same JSON."""
    return _HARMFUL.sub(_escaped, text)


def shown_on_a_line(text: str) -> str:
    """The same on one line, as in a list."""
    return shown(text).replace("\n", "\\n").replace("\t", "\\t")


def say(text: str, to: TextIO | None = None, **how: Any) -> None:
    """Prints ``shown(text)``; all that the program prints goes this way."""
    print(shown(text), file=to or sys.stdout, **how)


def file_name_of(name: str, ending: str = "") -> str:
    """A name that somebody else gave as the name of a file, never as a path: slashes and what
    ``shown`` changes become ``_``. One that had to be changed, or is long, ends in digits of its
    hash."""
    result = re.sub(r"[/\\\n\t]", "_", _HARMFUL.sub("_", name))
    result = "_" + result[1:] if result[:1] in (".", "-", "~") and result else result
    whole = (result or "_").encode(errors="replace")
    if result != name or not result or len(whole) > _LONGEST:
        digest = hashlib.sha256(name.encode(errors="surrogateescape")).hexdigest()[:_HASH]
        result = whole[:_LONGEST - _HASH].decode(errors="ignore") + "-" + digest
    return result + ending
