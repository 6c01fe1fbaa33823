# SPDX-License-Identifier: BSD-3-Clause
"""A file of a server that is read in pieces, for h5py: a dataset's coordinates over the wire."""
from __future__ import annotations

import io
from collections import OrderedDict
from typing import Any

from ._transfers import read_chunks
from .errors import Error

_BLOCK = 64 << 10
_KEPT = 1024  # blocks


class RemoteFile(io.RawIOBase):
    """An artifact by its SHA-256. Pieces that were read are kept, the least used ones given up;
    ``moved``: bytes that came. Its content cannot change: it is named by its hash."""

    def __init__(self, calls: Any, sha256: str, size: int) -> None:
        super().__init__()
        self._calls, self._sha256, self._size, self._at = calls, sha256, size, 0
        self._blocks: OrderedDict[int, bytes] = OrderedDict()
        self.moved = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = base + offset
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        count = max(0, min(len(view), self._size - self._at))
        first, last = self._at // _BLOCK, (self._at + count - 1) // _BLOCK
        if count:
            self._fetch(first, last)
        for block in range(first, last + 1) if count else ():
            data = self._blocks[block]
            begin = max(self._at, block * _BLOCK)
            end = min(self._at + count, block * _BLOCK + len(data))
            view[begin - self._at:end - self._at] = data[begin - block * _BLOCK:
                                                         end - block * _BLOCK]
            self._blocks.move_to_end(block)
        self._at += count
        while len(self._blocks) > _KEPT:
            self._blocks.popitem(last=False)
        return count

    def _fetch(self, first: int, last: int) -> None:
        """What is missing of these blocks, in one call."""
        missing = [b for b in range(first, last + 1) if b not in self._blocks]
        if not missing:
            return
        start = missing[0] * _BLOCK
        count = min((missing[-1] + 1) * _BLOCK, self._size) - start

        def receive() -> bytes:
            data = b"".join(m.chunk for m in read_chunks(self._calls, self._sha256, start, count))
            if len(data) != count:
                raise Error("Unavailable", f"{self._sha256}: {len(data)} of {count} bytes came")
            return data

        data = self._calls.insist(receive)
        self.moved += count
        for block in range(missing[0], missing[-1] + 1):
            at = block * _BLOCK - start
            self._blocks[block] = data[at:at + _BLOCK]
