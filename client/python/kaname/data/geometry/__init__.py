# SPDX-License-Identifier: BSD-3-Clause
"""Where and how large a source is, before there is a mesh: nine parameters of a rectangle in a half-space
or in flat layers.

    from kaname.data import geometry

    found = geometry.fit([geometry.read_table("offsets.csv")])
    found.quantiles()["dip_deg"]
"""
from .fit import LEVELS, Geometry, fit
from .layered import Layers
from .layers_file import read_layers
from .tables import Table, read_table

__all__ = ["LEVELS", "Geometry", "Layers", "Table", "fit", "read_layers", "read_table"]
