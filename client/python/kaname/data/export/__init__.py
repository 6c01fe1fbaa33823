# SPDX-License-Identifier: BSD-3-Clause
"""Slip and motion of the ground as files of other programs.

>>> from kaname.data import export
>>> slip = export.read_slip("slip/slip.csv", mu_pa=40e9)
>>> text = export.models.fsp(slip, "Made up 2020")
>>> surface = export.dtopo.read_surface("greens.h5")
>>> motion = export.dtopo.on_grid(surface, 30 / 3600)     # east, north, up [t][y][x]

docs/user/export_slip.md has formats, units and signs.
"""
from . import dtopo, models, sdm, tdefnode
from .patches import SlipPatches, read_slip

__all__ = ["SlipPatches", "dtopo", "models", "read_slip", "sdm", "tdefnode"]
