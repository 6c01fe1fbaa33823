# SPDX-License-Identifier: BSD-3-Clause
"""Who listens where a token is about to be sent: the rules of the command line's check_listener."""
from __future__ import annotations

import os
import pathlib
import stat
from typing import Iterator

from ._proxy import is_loopback
from .endpoint import Endpoint
from .errors import Error

_LISTENS = "0A"
_V6_LOOPBACK = ("00000000000000000000000001000000", "0000000000000000FFFF000000000000")  # ::1, ::ffff:0.0.0.0


def _refuse(endpoint: Endpoint, what: str, owner: int, code: str = "PermissionDenied") -> None:
    if owner not in (0, os.geteuid(), endpoint.owner):
        raise Error(code,
                    f"{endpoint.address}: {what} belongs to user {owner}; it must be root's, this "
                    "user's or that of the owner of client.json. No token was sent; who is it?")


def _check_socket(endpoint: Endpoint, path: pathlib.Path) -> None:
    try:
        socket = path.lstat()
    except OSError:
        return  # nobody listens: the call itself will say so
    if not stat.S_ISSOCK(socket.st_mode):
        raise Error("PermissionDenied", f"{endpoint.address}: must be a socket; no token was sent")
    folder = path.parent.stat()
    _refuse(endpoint, "the socket", socket.st_uid)
    _refuse(endpoint, "its folder", folder.st_uid)
    for what, found in (("it", socket), ("its folder", folder)):
        if found.st_mode & 0o022:
            raise Error("PermissionDenied", f"{endpoint.address}: others may write to {what}, so "
                        "that the socket may be anybody's, got mode "
                        f"{stat.S_IMODE(found.st_mode):04o}; no token was sent")


def _listeners(port: int) -> Iterator[int]:
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            lines = pathlib.Path(table).read_text().splitlines()[1:]
        except OSError:
            continue
        for words in map(str.split, lines):
            address, _, number = words[1].rpartition(":")
            loopback = (address.endswith("7F") or address in _V6_LOOPBACK
                        or not address.strip("0"))
            if words[3] == _LISTENS and loopback and int(number, 16) == port:
                yield int(words[7])


def check_listener(endpoint: Endpoint) -> None:
    """To be called before a token is sent. Raises PermissionDenied when somebody else than root,
    this user or the owner of client.json has the socket or may write to it, Unavailable when he has
    the port; InvalidArgument where nothing is encrypted beyond this machine."""
    if endpoint.address.startswith("unix:"):
        _check_socket(endpoint, pathlib.Path(endpoint.address[len("unix:"):]))
        return
    if endpoint.ca:
        return
    host, _, port = endpoint.address.rpartition(":")
    if not is_loopback(host):
        raise Error("InvalidArgument",
                    "server must be reached over TLS beyond this machine, got "
                    f"'{endpoint.address}' without a certificate to know it by: give ca= (or "
                    "KANAME_CA), or reach it through an ssh tunnel")
    for owner in _listeners(int(port)):
        _refuse(endpoint, "the port", owner, "Unavailable")
