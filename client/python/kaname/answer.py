# SPDX-License-Identifier: BSD-3-Clause
"""Motion for other rheologies than a dataset's, answered by a server without solving."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from .errors import Error

Array = npt.NDArray[np.float64]

JULIAN_YEAR_S = 365.25 * 86400.0


@dataclass(frozen=True)
class Answers:
    """What a dataset answers for R rheologies.

    Attributes
    ----------
    rheologies : tuple of dict
        The numbers of each: NAME in Pa s, and ratios of moduli.
    displacement : ndarray, [rheology, source, epoch, station, component]
        East, north, up in m per m of slip; without the axis of sources, in m, where slip was given.
        NaN where a source is missing.
    error : ndarray, [rheology]
        Certified error of the worst source over the largest change of its motion.
    epochs : ndarray
        Seconds since the slip.
    ranges : dict
        Per viscosity (from, to, reference) in Pa s.
    """

    rheologies: tuple[dict[str, float], ...]
    displacement: Array
    error: Array
    sources: tuple[str, ...]
    epochs: Array
    stations: tuple[str, ...]
    ranges: dict[str, tuple[float, float, float]]


def answer_request(dataset: str, rheologies: Sequence[Mapping[str, float]],
                   epochs_years: Sequence[float] | None, slip: Mapping[str, float] | None,
                   slip_history: Mapping[str, Any] | None) -> Any:
    """The message for these arguments of `Job.answer`."""
    from ._proto.kaname.v1 import answer_pb2 as messages

    request = messages.AnswerRequest(dataset=dataset)
    for rheology in rheologies:
        request.rheologies.add().values.update({k: float(v) for k, v in rheology.items()})
    if epochs_years is not None:
        request.epochs_s.extend(float(t) * JULIAN_YEAR_S for t in epochs_years)
    for source, slip_m in (slip or {}).items():
        request.slip.add(source=source, slip_m=float(slip_m))
    if slip_history is not None:
        from google.protobuf import json_format

        try:
            json_format.ParseDict(dict(slip_history), request.slip_history)
        except json_format.ParseError as error:
            raise Error("InvalidArgument", f"slip_history: {error}") from None
        request.slip_history.SetInParent()
    return request


def receive(stream: Any, request: Any) -> Answers:
    """The messages of one call, put together."""
    from ._proto.kaname.v1 import answer_pb2 as messages

    axes = messages.AnswerAxes()
    parts: list[list[Array]] = []
    error: list[float] = []
    for message in stream:
        if message.HasField("axes"):
            axes.MergeFrom(message.axes)
            continue
        while len(parts) <= message.rheology:
            parts.append([])
            error.append(np.nan)
        parts[message.rheology].append(np.fromiter(message.values, np.float64,
                                                   len(message.values)))
        if message.HasField("error"):
            error[message.rheology] = message.error
    shape: tuple[int, ...] = (len(axes.epochs_s), len(axes.station_ids), 3)
    if not request.slip:
        shape = (len(axes.source_ids), *shape)
    values = np.concatenate([part for of in parts for part in of]) if parts else np.empty(0)
    wanted = max(len(request.rheologies), 1)
    if len(parts) != wanted or values.size != wanted * int(np.prod(shape)):
        raise Error("Unavailable", "the answer ended early; call again")
    rheologies = tuple(dict(one.values) for one in request.rheologies) or ({},)
    return Answers(rheologies, values.reshape((wanted, *shape)), np.array(error),
                   tuple(axes.source_ids), np.array(axes.epochs_s), tuple(axes.station_ids),
                   {one.name: (one.from_pa_s, one.to_pa_s, one.reference_pa_s)
                    for one in axes.viscosities})
