# SPDX-License-Identifier: BSD-3-Clause
"""Where a server is and what it knows the caller by, found as the command line finds it."""
from __future__ import annotations

import json
import os
import pathlib
import re
from dataclasses import dataclass, field

from .errors import Error


@dataclass(frozen=True)
class Endpoint:
    """``address``: host:port. ``origin``: where it was found, for messages."""

    address: str
    token: str = field(repr=False)
    origin: str = "server"


def state_folder(wanted: str | os.PathLike[str] | None = None) -> pathlib.Path:
    """``wanted``, else KANAME_STATE, else $XDG_STATE_HOME/kaname, else ~/.local/state/kaname; for
    root /var/lib/kaname."""
    named = os.fspath(wanted) if wanted else os.environ.get("KANAME_STATE", "")
    if named:
        return pathlib.Path(os.path.abspath(named))
    if os.environ.get("XDG_STATE_HOME"):
        return pathlib.Path(os.environ["XDG_STATE_HOME"]) / "kaname"
    if os.geteuid() == 0:
        return pathlib.Path("/var/lib/kaname")
    if not os.environ.get("HOME"):
        raise Error("InvalidArgument",
                    "state must name a folder: neither KANAME_STATE nor HOME is set")
    return pathlib.Path(os.environ["HOME"]) / ".local/state/kaname"


def recorded_endpoint(state: pathlib.Path) -> Endpoint | None:
    """What the server of a state folder wrote to client.json; None where there is no such file."""
    path = state / "client.json"
    try:
        found = json.loads(path.read_text())
        return Endpoint(found.get("address", ""), found.get("token", ""), str(path))
    except (OSError, ValueError, AttributeError):
        return None


def find_endpoint(server: str | None = None, token: str | None = None,
                  state: str | os.PathLike[str] | None = None) -> Endpoint:
    """``server`` and ``token`` where given, else KANAME_SERVER and KANAME_TOKEN, else what the
    server of the state folder wrote. Raises Unavailable when there is no such file."""
    origin = "server" if server else "KANAME_SERVER"
    address = server or os.environ.get("KANAME_SERVER", "")
    token = token or os.environ.get("KANAME_TOKEN", "")
    if address and not re.fullmatch(r"(\[[0-9a-fA-F:.]+\]|[^:\[\]]+):\d{1,5}", address):
        raise Error("InvalidArgument", f"{origin} must be HOST:PORT, got '{address}'")
    if address and token:
        return Endpoint(address, token, origin)
    folder = state_folder(state)
    found = recorded_endpoint(folder)
    if found is None:
        if address:
            raise Error("Unauthenticated", f"no token for {address}: give token or KANAME_TOKEN")
        raise Error("Unavailable",
                    f"no server has been started here ({folder / 'client.json'} cannot be read); "
                    "start one with `kaname up`, or name one with server=")
    if address:
        return Endpoint(address, token or found.token, origin)
    return Endpoint(found.address, token or found.token, found.origin)
