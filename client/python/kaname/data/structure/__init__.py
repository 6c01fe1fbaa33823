# SPDX-License-Identifier: BSD-3-Clause
"""3-D models of speeds and density, read in pieces.

>>> from kaname.data import structure
>>> plans = structure.open_model("model.nc")
>>> vp, vs, density = structure.sample(plans, lon, lat, 12e3)      # at places, in m/s and kg/m3
>>> structure.on_grid(plans, lon, lat, [0, 5e3, 10e3]).to_xarray().vs

docs/user/structure_files.md has formats, units and rules.
"""
from .plans import Grid, completed, on_grid, sample
from .targets import open_model

__all__ = ["Grid", "completed", "on_grid", "open_model", "sample"]
