# SPDX-License-Identifier: BSD-3-Clause
"""One error for all that ends a call, with the codes of the programs and of the service."""
from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import Any, NoReturn, Sequence

from ._shown import say, shown

# As proto/status/status.cpp has them: gRPC's status, reason, code. Where two rows have one status
# the first is meant unless the reason says otherwise.
_TABLE = (
    ("INVALID_ARGUMENT", "INVALID_ARGUMENT", "InvalidArgument"),
    ("OUT_OF_RANGE", "OUT_OF_RANGE", "OutOfRange"),
    ("NOT_FOUND", "NOT_FOUND", "NotFound"),
    ("ALREADY_EXISTS", "CONFLICT", "Conflict"),
    ("FAILED_PRECONDITION", "NOT_READY", "NotReady"),
    ("ABORTED", "ABORTED", "Aborted"),
    ("RESOURCE_EXHAUSTED", "EXHAUSTED", "Exhausted"),
    ("UNAUTHENTICATED", "UNAUTHENTICATED", "Unauthenticated"),
    ("PERMISSION_DENIED", "PERMISSION_DENIED", "PermissionDenied"),
    ("UNAVAILABLE", "UNAVAILABLE", "Unavailable"),
    ("DATA_LOSS", "DATA_LOSS", "DataLoss"),
    ("INTERNAL", "INTERNAL", "Internal"),
    ("INTERNAL", "NOT_CONVERGED", "NotConverged"),
    ("INTERNAL", "DEVICE_FAULT", "DeviceFault"),
)
# Deadlines and lost connections are the transport's; the call may be made again.
_TRANSPORT = ("DEADLINE_EXCEEDED", "CANCELLED")
_EXIT_CODES = {
    "InvalidArgument": 2, "OutOfRange": 2, "NotFound": 3, "NotConverged": 4, "Unavailable": 5,
    "Exhausted": 5, "DeviceFault": 5, "Conflict": 6, "NotReady": 6, "Aborted": 6,
    "Unauthenticated": 7, "PermissionDenied": 7}
_CODE_OF_EXIT = {2: "InvalidArgument", 3: "NotFound", 4: "NotConverged", 5: "Unavailable",
                 6: "Conflict", 7: "PermissionDenied"}


@dataclass(frozen=True)
class Violation:
    """One broken rule: the field's path, and value and rule."""

    field: str
    message: str

    def __str__(self) -> str:
        return f"{self.field}: {self.message}"


class Error(Exception):
    """What ended a call.

    Attributes
    ----------
    code : str
        ``InvalidArgument``, ``NotFound``, ``Conflict``, ``NotReady``, ``Unavailable`` ...; the
        names that ``kaname --json`` prints.
    message : str
        Names field, value and rule.
    violations : tuple of Violation
        Everything that is wrong with a specification; empty of other errors.
    reason : str
        Of the service's errors a word that programs may act upon, such as
        ``REQUEST_ID_CONFLICT``; else empty.
    """

    def __init__(self, code: str, message: str, violations: Sequence[Violation] = (),
                 reason: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.violations = tuple(violations)
        self.reason = reason

    def __str__(self) -> str:
        return shown(self.message)  # tracebacks go to terminals, and it may be of others

    @property
    def exit_code(self) -> int:
        """That of the command line (docs/user/cli.md)."""
        return _EXIT_CODES.get(self.code, 70)

    @property
    def retryable(self) -> bool:
        """The same call may succeed later without change."""
        return self.code == "Unavailable"


def invalid(field: str, rule: str) -> NoReturn:
    """Raises InvalidArgument: ``field: must rule, got value``."""
    raise Error("InvalidArgument", f"{field}: {rule}", [Violation(field, rule)])


def of_violations(violations: Sequence[Violation]) -> Error:
    return Error("InvalidArgument", "\n".join(str(v) for v in violations), violations)


def report(error: Error, as_json: bool) -> int:
    """Prints an error as `kaname` does, to standard error and with --json to standard output too;
    returns the exit code."""
    say(f"error: {error}", sys.stderr)
    if as_json:
        violations = [_parts(v.field, v.message) for v in error.violations]
        field, colon, rule = error.message.partition(": must ")
        first = violations[0] if violations else (
            _parts(field, f"must {rule}") if colon and "\n" not in field else _parts("", error.message))
        say(json.dumps({"error": {**first, "code": error.code, "reason": error.reason,
                                  "message": error.message, "violations": violations}}))
    return error.exit_code


def _parts(field: str, message: str) -> dict[str, str]:
    """A broken rule as `kaname --json` gives it: messages are "rule, got value"."""
    rule, got, value = message.rpartition(", got ")
    return {"field": field, "message": message, "rule": rule if got else message,
            "value": value if got else ""}


def need(module: str, package: str, purpose: str) -> Any:
    """The module, or Unavailable naming Debian's package that has it."""
    import importlib

    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as missing:
        raise Error("Unavailable", f"{purpose} needs the Python module {missing.name}; install "
                                   f"the package {package} (apt-get install {package})") from None


def _code_of(status: str, reason: str) -> str:
    rows = [row for row in _TABLE if row[0] == status]
    for row in rows:
        if row[1] == reason:
            return row[2]
    if rows:
        return rows[0][2]
    return "Unavailable" if status in _TRANSPORT else "Internal"


def from_rpc(error: Any, call: str, server: str, advice: str = "") -> Error:
    """What a grpc.RpcError stands for. ``call`` and ``server`` are for the transport's failures,
    which say nothing of either; ``advice`` follows where no server answers."""
    from ._details import details_of

    status = error.code().name
    found = details_of(error)
    if found is None:
        if status in ("UNAVAILABLE", *_TRANSPORT):
            said = f"no answer to {call} from {server}{advice}"
        elif status == "RESOURCE_EXHAUSTED":
            said = f"{call}: a message to or from {server} is larger than a call may carry"
        else:
            said = f"{call} failed at {server}"
        return Error(_code_of(status, ""), f"{said}: {error.details()}")
    reason, violations = found
    if violations:
        return of_violations(violations)
    code = _code_of(status, reason)
    known = any(row[1] == reason for row in _TABLE)
    return Error(code, error.details(), reason="" if known else reason)


def from_program(said: str, complaint: str, exit_code: int) -> Error:
    """What a program that ended with a code other than 0 printed with --json."""
    try:
        error = json.loads(said)["error"]
        violations = [Violation(v["field"], v["message"]) for v in error["violations"]]
        message = error["message"] or "\n".join(str(v) for v in violations)
        return Error(error["code"], message, violations)
    except (ValueError, KeyError, TypeError):
        message = complaint.strip().removeprefix("error: ")
        return Error(_CODE_OF_EXIT.get(exit_code, "Internal"),
                     message or f"the program ended with exit code {exit_code}")
