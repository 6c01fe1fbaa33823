# SPDX-License-Identifier: BSD-3-Clause
"""The gate of HDF5 files that are read: their values stand in them (as solvers/h5/self_contained)."""
from __future__ import annotations

import os
import pathlib
from typing import Any

import h5py

MOST_OBJECTS, MOST_LEVELS = 100_000, 32
# Deflate, shuffle, fletcher32, szip, nbit, scaleoffset: others are loaded from plugins.
FIRST_FILTER, LAST_FILTER = 1, 6
FREE_ROOM, MOST_UNPACKED = 64 << 20, 1100  # bytes; bytes of one stored one (deflate: 1,032)


class NotSelfContained(ValueError):
    """A file leads to other files or code, or promises values that it cannot store."""


def open_file(what: Any, members_in: str | os.PathLike[str] | None = None) -> h5py.File:
    """Opens a path, or a file object, to read; no value is read before every link and dataset was
    looked at.

    ``members_in``: a folder in which, and nowhere else, self-contained files may hold the values of
    virtual datasets, as of a campaign's index. Raises NotSelfContained, and OSError as h5py.File.
    """
    file = h5py.File(what, "r")
    try:
        _Walk(file, None if members_in is None else pathlib.Path(members_in)).group(file, 0)
    except BaseException:
        file.close()
        raise
    return file


class _Walk:
    def __init__(self, file: Any, members_in: pathlib.Path | None) -> None:
        self._members_in = members_in
        self._bytes = file.id.get_filesize()
        self._objects = 0

    def group(self, group: Any, level: int) -> None:
        if level > MOST_LEVELS or self._objects + len(group) > MOST_OBJECTS:
            raise NotSelfContained(f"'{group.name}': the file must hold at most {MOST_OBJECTS} "
                                   f"objects in at most {MOST_LEVELS} groups of each other")
        self._objects += len(group)
        for name in group:
            here = f"'{group.name.rstrip('/')}/{name}': "
            # h5py gives names that are no UTF-8 as bytes.
            raw = name if isinstance(name, bytes) else name.encode("utf-8", "surrogateescape")
            kind = group.id.links.get_info(raw).type
            if kind == h5py.h5l.TYPE_SOFT:
                continue
            if kind != h5py.h5l.TYPE_HARD:
                raise NotSelfContained(
                    here + "is a link out of the file, which must hold its values itself")
            item = group[name]
            if isinstance(item, h5py.Group):
                self.group(item, level + 1)
            elif isinstance(item, h5py.Dataset):
                self.dataset(item, here)

    def dataset(self, item: Any, here: str) -> None:
        properties = item.id.get_create_plist()
        if properties.get_layout() == h5py.h5d.VIRTUAL:
            if self._members_in is None:
                raise NotSelfContained(here + "is a virtual dataset over other files; the file "
                                              "must hold its values itself")
            for k in range(properties.get_virtual_count()):
                self.member(properties.get_virtual_filename(k), here)
            return
        if properties.get_external_count() > 0:
            raise NotSelfContained(
                here + "has its values in other files; the file must hold them itself")
        for k in range(properties.get_nfilters()):
            number = properties.get_filter(k)[0]
            if not FIRST_FILTER <= number <= LAST_FILTER:
                raise NotSelfContained(here + "must be packed by filters of HDF5 itself (deflate, "
                                       "shuffle, fletcher32, szip, nbit, scaleoffset), got filter "
                                       f"{number}")
        size = item.id.get_type().get_size() * (item.size or 0)
        if size > FREE_ROOM + MOST_UNPACKED * self._bytes:
            raise NotSelfContained(here + f"needs {size} bytes of memory, of which the file must "
                                   f"store at least one in {MOST_UNPACKED}, got {self._bytes}")

    def member(self, name: Any, here: str) -> None:
        """One file of a virtual dataset: below the folder, and self-contained where it is there."""
        assert self._members_in is not None
        folder = self._members_in.resolve()
        text = os.fsdecode(name)
        path = (folder / text).resolve()
        if text == "." or "%" in text or pathlib.PurePath(text).is_absolute() or not \
                path.is_relative_to(folder):
            raise NotSelfContained(here + f"must have its values in files below {folder}, got "
                                          f"'{text}'")
        if path.exists():
            try:
                open_file(path).close()
            except (OSError, ValueError) as error:
                raise NotSelfContained(f"{text}: {error}") from error
