# SPDX-License-Identifier: BSD-3-Clause
"""Faults of files that geodesists have: traces, triangles, moment tensors and Slab2.

>>> from kaname.data import fault
>>> traces = fault.read_traces("gem_active_faults.geojson", only=["Philippine"])
>>> planes = traces[0].rectangles()
>>> fault.to_xarray(planes)                     # corners, strike, dip of each
>>> event = fault.read_mechanisms("jan76_dec20.ndk")[0]
>>> event.planes()                              # strike, dip, rake of both
>>> slab = fault.read_slab("kur_slab2_dep_02.24.18.grd", bounds=(140, 146, 36, 42))
>>> patches = fault.lay_patches(slab, 20e3, 8e3, 60e3)

docs/user/fault_files.md has formats, units and rules. `fault.blocks` writes them as requests take them.
"""
from . import blocks
from .catalogue import Mechanism, read_mechanisms
from .shapes import DepthGrid, Rectangle, Trace, Triangles, sampled, to_xarray
from .slab import Patches, lay_patches, read_slab
from .traces import read_traces
from .triangles import read_triangles

__all__ = ["DepthGrid", "Mechanism", "Patches", "Rectangle", "Trace", "Triangles", "blocks", "lay_patches",
           "read_mechanisms", "read_slab", "read_traces", "read_triangles", "sampled", "to_xarray"]
