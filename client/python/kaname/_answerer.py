# SPDX-License-Identifier: BSD-3-Clause
"""Answers from a dataset on this machine by a process of kaname-compute that reads it once and stays:
where libkaname_answer.so is not there, and for slip histories."""
from __future__ import annotations

import json
import os
import pathlib
import subprocess
import tempfile
import threading
from typing import Any, Mapping, Sequence

import numpy as np

from .answer import JULIAN_YEAR_S, Answers
from .errors import Error
from .program import find_program

_MARK = "@kaname "


class Answerer:
    """One process, which ends with `close`, and with the Python that started it: its standard
    input ends then. For one call at a time; others wait."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        program = pathlib.Path(find_program()).resolve().with_name("kaname-compute")
        if not os.access(program, os.X_OK):
            raise Error("NotFound", f"{program} is not there: answers are computed by it")
        self._folder = tempfile.TemporaryDirectory(prefix="kaname-answers-")
        self._errors = tempfile.TemporaryFile(mode="w+", encoding="utf-8", errors="replace")
        self._lock = threading.Lock()
        self._process = subprocess.Popen(
            [program, "answers", "--dataset", os.fspath(path)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self._errors, text=True, encoding="utf-8")
        try:
            self._axes = self._event("ready")
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Ends the process; harmless when it has ended."""
        if self._process.stdin is not None:
            try:
                self._process.stdin.close()
            except BrokenPipeError:
                pass
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._errors.close()
        self._folder.cleanup()

    def answer(self, rheologies: Sequence[Mapping[str, float]],
               epochs_years: Sequence[float] | None, slip: Mapping[str, float] | None,
               slip_history: Mapping[str, Any] | None) -> Answers:
        """As `kaname.Dataset.answer`."""
        numbers = [{name: float(v) for name, v in one.items()} for one in rheologies] or [{}]
        request: dict[str, Any] = {"rheologies": [{"values": one} for one in numbers]}
        if epochs_years is not None:
            request["epochs_s"] = [float(t) * JULIAN_YEAR_S for t in epochs_years]
        if slip:
            request["slip"] = [{"source": k, "slip_m": float(v)} for k, v in slip.items()]
        if slip_history is not None:
            request["slip_history"] = dict(slip_history)
        sources, stations = (tuple(self._axes.get(k, ())) for k in ("source_ids", "station_ids"))
        epochs = np.array(request.get("epochs_s", self._axes.get("epochs_s", ())), dtype=float)
        out = pathlib.Path(self._folder.name) / "values"
        command = {"id": "1", "out": str(out), "request": request, "first_source": 0,
                   "last_source": len(sources)}
        with self._lock:
            assert self._process.stdin is not None
            try:
                self._process.stdin.write(json.dumps(command) + "\n")
                self._process.stdin.flush()
            except BrokenPipeError:
                pass  # the next line says that it ended
            report = self._event("answered")
            values = np.fromfile(out, dtype="<f8")
        shape = (len(epochs), len(stations), 3) if slip else (len(sources), len(epochs),
                                                              len(stations), 3)
        return Answers(tuple(numbers), values.reshape((len(numbers), *shape)),
                       np.array(report.get("errors", ()), dtype=float), sources, epochs, stations,
                       {one["name"]: (one["from_pa_s"], one["to_pa_s"], one["reference_pa_s"])
                        for one in self._axes.get("viscosities", ())})

    def _event(self, verb: str) -> dict[str, Any]:
        """The next result of this verb. Raises what the process says is wrong."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if not line.startswith(_MARK):
                continue
            event = json.loads(line[len(_MARK):])
            if event.get("type") == "error":
                raise Error(event.get("code", "Internal"), event.get("message", ""))
            if event.get("type") == "result" and event.get("verb") == verb:
                return dict(event["result"])
        self._process.wait()
        self._errors.seek(0)
        raise Error("Internal", f"kaname-compute answers ended with {self._process.returncode}: "
                                + self._errors.read().strip()[-2000:])
