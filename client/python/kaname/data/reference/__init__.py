# SPDX-License-Identifier: BSD-3-Clause
"""Kerchunk references of datasets.

>>> from kaname.data import reference
>>> made, notes = reference.references("greens.h5", "https://example.org/greens.h5")
"""
from .kerchunk import references

__all__ = ["references"]
