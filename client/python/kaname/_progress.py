# SPDX-License-Identifier: BSD-3-Clause
"""One line in a terminal that is written over; nothing where standard error is none."""
from __future__ import annotations

import shutil
import sys
import time

from ._shown import shown_on_a_line

_PAUSE_S = 0.1


class ProgressLine:
    """``stage: 42 %  text``."""

    def __init__(self, stage: str) -> None:
        self.stage = stage
        self._last, self._shown = 0.0, False

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def show(self, fraction: float, text: str) -> None:
        if not sys.stderr.isatty() or time.monotonic() - self._last < _PAUSE_S:
            return
        self._last, self._shown = time.monotonic(), True
        line = f"{self.stage}: {100.0 * fraction:3.0f} %  {text}"
        sys.stderr.write("\r\x1b[K" + shown_on_a_line(line)[:shutil.get_terminal_size().columns - 1])
        sys.stderr.flush()

    def end(self) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._shown = False


def time_text(seconds: float) -> str:
    """``42 s``, ``3.5 min``, ``2.1 h``."""
    for unit, size in (("h", 3600.0), ("min", 60.0)):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s"


def bytes_text(count: float) -> str:
    for unit, size in (("GiB", 2.0**30), ("MiB", 2.0**20), ("KiB", 2.0**10)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count:.0f} bytes"
