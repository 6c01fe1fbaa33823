#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes an HDF5 file whose attributes are several texts, which Kaname itself never writes.

Usage: write_text_lists.py FILE. Exits with 77 where h5py is missing.
"""
import sys

try:
    import h5py
except ImportError:
    sys.exit(77)

with h5py.File(sys.argv[1], "w") as file:
    file.attrs.create("one", "text", dtype=h5py.string_dtype())
    file.attrs.create("several", ["a", "b", "c"] * 100, dtype=h5py.string_dtype())
    file.attrs.create("fixed", [b"a", b"b"], dtype="S1")
    file.attrs["empty"] = h5py.Empty(h5py.string_dtype())
