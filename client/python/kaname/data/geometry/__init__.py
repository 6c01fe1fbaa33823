# SPDX-License-Identifier: BSD-3-Clause
"""Where and how large a source is, before there is a mesh: nine parameters of a rectangle in a half-space.

    from kaname.data import geometry

    found = geometry.fit([geometry.read_table("offsets.csv")])
    found.quantiles()["dip_deg"]
"""
from .fit import LEVELS, Geometry, fit
from .tables import Table, read_table

__all__ = ["LEVELS", "Geometry", "Table", "fit", "read_table"]
