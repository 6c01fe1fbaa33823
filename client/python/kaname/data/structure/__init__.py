# SPDX-License-Identifier: BSD-3-Clause
"""3-D models of speeds and density, read in pieces.

>>> from kaname.data import structure
>>> plans = structure.open_model("model.nc", {})
>>> vp, vs, density = structure.sample(plans, lon, lat, 12e3)      # at places, in m/s and kg/m3

docs/user/structure_files.md has formats, units and rules.
"""
from .plans import completed, sample
from .targets import open_model

__all__ = ["completed", "open_model", "sample"]
