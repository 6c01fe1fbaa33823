# SPDX-License-Identifier: BSD-3-Clause
"""Uploads and downloads that go on where they broke and are checked by their hashes."""
from __future__ import annotations

import hashlib
import os
import pathlib
from dataclasses import dataclass
from typing import Any, Callable, Iterator

from ._calls import STREAM_S, Calls
from ._crc32c import crc32c
from ._proto.kaname.v1 import artifacts_service_pb2 as messages
from .errors import Error

_CHUNK = 1 << 20
OnBytes = Callable[[int, int], None]


def sha256_file(path: str | os.PathLike[str]) -> str:
    """64 lower-case hexadecimal digits."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def upload(calls: Calls, path: str | os.PathLike[str], sha256: str, on_bytes: OnBytes) -> None:
    """Sends a file unless the server has it; a broken upload goes on where it ended."""
    total = os.path.getsize(path)

    def parts(offset: int) -> Iterator[Any]:
        yield messages.PutRequest(header=messages.PutRequest.Header(
            sha256=sha256, bytes=total, offset=offset))
        done = offset
        with open(path, "rb") as file:
            file.seek(offset)
            while chunk := file.read(_CHUNK):
                yield messages.PutRequest(chunk=chunk)
                done += len(chunk)
                on_bytes(done, total)

    def attempt() -> None:
        look = messages.GetUploadRequest(sha256=sha256, bytes=total)
        there = calls.once("GetUpload", calls.artifacts.GetUpload, look)
        if not there.complete:
            calls.once("Put", calls.artifacts.Put, parts(there.offset), STREAM_S)

    calls.insist(attempt)


@dataclass(frozen=True)
class Downloaded:
    """``resumed_from``: bytes that were there from an earlier attempt."""

    bytes: int
    resumed_from: int


def _size(path: pathlib.Path) -> int:
    return path.stat().st_size if path.exists() else 0


def read_chunks(calls: Calls, sha256: str, offset: int, limit: int = 0,
                verify: bool = False) -> Iterator[Any]:
    """Messages of ReadArtifact, each chunk checked by its CRC-32C. With ``verify`` the server
    checks its file first, and sets one aside that is damaged."""
    request = messages.ReadArtifactRequest(sha256=sha256, read_offset=offset, read_limit=limit,
                                           verify=verify)
    for message in calls.stream("ReadArtifact", calls.artifacts.ReadArtifact, request):
        if crc32c(message.chunk) != message.crc32c:
            raise Error("Unavailable", f"{sha256}: a chunk at {message.offset} was damaged on its "
                                       "way")
        yield message


def download(calls: Calls, sha256: str, part: pathlib.Path, on_bytes: OnBytes) -> Downloaded:
    """Downloads to ``part``, which an earlier attempt may have left: it is continued when it
    belongs to this artifact. The file is whole and on disk in the end. Raises DataLoss when the
    bytes have another hash; nothing is left then."""
    resumed_from, total, verify = _size(part), 0, False

    def fetch() -> None:
        nonlocal total
        done = _size(part)
        with open(part, "ab") as out:
            for message in read_chunks(calls, sha256, done, verify=verify):
                if message.HasField("artifact"):
                    total = message.artifact.bytes
                try:
                    out.write(message.chunk)
                except OSError as error:
                    raise Error("Exhausted", f"{part}: cannot be written: {error}") from error
                done += len(message.chunk)
                on_bytes(done, total)
            out.flush()
            try:
                os.fsync(out.fileno())
            except OSError as error:
                # The kernel takes the pages for written now: the next try downloads it anew.
                part.unlink()
                raise Error("Unavailable", f"{part}: cannot be written to disk: {error}") from error

    for again in (False, True):
        try:
            calls.insist(fetch)
        except Error as error:
            if error.code == "DataLoss":
                part.unlink(missing_ok=True)
            # OutOfRange means that the part is longer than the artifact: it is of something else.
            if error.code != "OutOfRange" or again:
                raise
            part.unlink()
            resumed_from = 0
            continue
        if sha256_file(part) == sha256:
            break
        part.unlink()
        # An old beginning of another file, or one that the server finds damaged when it is asked.
        if again:
            raise Error("DataLoss", f"{part}: the bytes that came do not have the hash {sha256}")
        resumed_from, verify = 0, True
    return Downloaded(total, resumed_from)
