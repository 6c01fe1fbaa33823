# SPDX-License-Identifier: BSD-3-Clause
"""Where a server is and what it knows the caller by, found as the command line finds it."""
from __future__ import annotations

import json
import os
import pathlib
import re
import stat
from dataclasses import dataclass, field, replace

from .errors import Error


@dataclass(frozen=True)
class Endpoint:
    """``address``: host:port or unix:/path. ``origin``: where it was found, for messages. ``ca``,
    ``certificate``, ``key``: PEM texts for TLS. ``owner``: of client.json, who may be the server's
    user."""

    address: str
    token: str = field(repr=False)
    origin: str = "server"
    ca: str = field(default="", repr=False)
    certificate: str = field(default="", repr=False)
    key: str = field(default="", repr=False)
    owner: int | None = None


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


def _check_private(path: pathlib.Path) -> None:
    """Who writes to client.json says where tokens and data go. Root may use another user's."""
    found = path.stat()
    if found.st_mode & 0o022 or (os.geteuid() != 0 and found.st_uid not in (0, os.geteuid())):
        raise Error("PermissionDenied",
                    f"{path}: must be owned by user {os.geteuid()} and not be writable by others, "
                    f"got user {found.st_uid}, mode {stat.S_IMODE(found.st_mode):04o}")


def recorded_endpoint(state: pathlib.Path) -> Endpoint | None:
    """What the server of a state folder wrote to client.json; None where there is no such file.
    Raises PermissionDenied when it or its folder is another user's, or others may write to it."""
    path = state / "client.json"
    try:
        found = json.loads(path.read_text())
        for place in (state, path):
            _check_private(place)
        address = found.get("address", "")
        return Endpoint(address, found.get("token", ""), str(path),
                        "" if address.startswith("unix:") else found.get("ca", ""),
                        owner=path.stat().st_uid)
    except (OSError, ValueError, AttributeError):
        return None


def _recorded(state: pathlib.Path, name: str) -> str:
    try:
        return str(json.loads((state / "client.json").read_text()).get(name, ""))
    except (OSError, ValueError, AttributeError):
        return ""


def _pem(name: str, file: str) -> str:
    if not file:
        return ""
    try:
        text = pathlib.Path(file).read_text()
    except (OSError, ValueError):
        text = ""
    if "-----BEGIN " not in text:
        raise Error("NotFound", f"{name}: must name a PEM file that can be read, got '{file}'")
    return text


def _with_certificates(endpoint: Endpoint, ca: str) -> Endpoint:
    """What only TLS over a network needs."""
    if endpoint.address.startswith("unix:"):
        return endpoint
    file = ca or os.environ.get("KANAME_CA", "")
    return replace(endpoint,
                   ca=_pem("ca" if ca else "KANAME_CA", file) if file else endpoint.ca,
                   certificate=_pem("KANAME_CERT", os.environ.get("KANAME_CERT", "")),
                   key=_pem("KANAME_KEY", os.environ.get("KANAME_KEY", "")))


def find_endpoint(server: str | None = None, token: str | None = None,
                  state: str | os.PathLike[str] | None = None,
                  ca: str | os.PathLike[str] | None = None) -> Endpoint:
    """``server`` and ``token`` where given, else KANAME_SERVER and KANAME_TOKEN, else what the
    server of the state folder wrote. Over TLS the server is known by ``ca``, else KANAME_CA (PEM
    files), else the certificate in client.json, and is shown KANAME_CERT with KANAME_KEY. Raises
    Unavailable when there is no client.json, NotFound for a PEM file that cannot be read."""
    origin = "server" if server else "KANAME_SERVER"
    address = server or os.environ.get("KANAME_SERVER", "")
    token = token or os.environ.get("KANAME_TOKEN", "")
    ca_file = os.fspath(ca) if ca else ""
    if address and not address.startswith("unix:") and not re.fullmatch(r"(\[[0-9a-fA-F:.]+\]|[^:\[\]]+):\d{1,5}", address):
        raise Error("InvalidArgument", f"{origin} must be HOST:PORT, got '{address}'")
    folder = state_folder(state)
    found = recorded_endpoint(folder)
    if address and token and found is None:
        return _with_certificates(Endpoint(address, token, origin), ca_file)
    if found is None:
        if address:
            raise Error("Unauthenticated", f"no token for {address}: give token or KANAME_TOKEN")
        raise Error("Unavailable",
                    f"no server has been started here ({folder / 'client.json'} cannot be read); "
                    "start one with `kaname up`, or name one with server=")
    if not address:
        return _with_certificates(replace(found, token=token or found.token), ca_file)
    # The server of this state folder, at its address for other machines or the recorded one.
    known = address in (found.address, _recorded(folder, "listen"))
    return _with_certificates(
        Endpoint(address, token or found.token, origin,
                 _recorded(folder, "ca") if known else "", owner=found.owner), ca_file)
