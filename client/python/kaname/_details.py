# SPDX-License-Identifier: BSD-3-Clause
"""google.rpc details of a failed call."""
from __future__ import annotations

from typing import Any

from .errors import Violation

# Where googleapis' own messages are installed they are taken: a process can know each name once.
try:
    from google.rpc import error_details_pb2, status_pb2
except ImportError:
    from ._proto.google.rpc import status_pb2
    error_details_pb2 = status_pb2

_TRAILER = "grpc-status-details-bin"
_DOMAIN = "kaname"


def details_of(error: Any) -> tuple[str, list[Violation]] | None:
    """Reason and violations that the service sent; None of errors that are not its own."""
    trailers = dict(error.trailing_metadata() or ())
    status = status_pb2.Status()
    try:
        status.ParseFromString(trailers.get(_TRAILER, b""))
    except Exception:  # noqa: BLE001 - what cannot be read says nothing
        return None
    info, request = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest()
    for detail in status.details:
        detail.Unpack(info)
        detail.Unpack(request)
    if info.domain != _DOMAIN:
        return None
    violations = [Violation(v.field, v.description) for v in request.field_violations]
    if violations and info.metadata.get("violations", "") not in ("", str(len(violations))):
        violations.append(Violation("...", f"{info.metadata['violations']} violations in all"))
    return info.reason, violations
