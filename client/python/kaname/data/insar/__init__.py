# SPDX-License-Identifier: BSD-3-Clause
"""Rasters of motion towards a satellite, as few points with the covariance of their errors.

>>> from kaname.data import insar
>>> raster = insar.read("velocity.h5", geometry="geometryGeo.h5")
>>> points = insar.reduce(raster, points=800)
>>> points.write("insar")                       # what `kaname invert` takes

docs/user/insar.md has formats, units and rules. GDAL's Python (python3-gdal) is needed for GMTSAR,
LiCSAR and ISCE, PyYAML for kite, matplotlib for pictures.
"""
from __future__ import annotations

import importlib
from typing import Any

from .adjust import deramped, masked, referenced, within
from .covariogram import Covariogram, empirical, fit
from .points import Points
from .raster import Raster
from .reading import Reading, read
from .reduction import reduce

__all__ = ["Covariogram", "Points", "Raster", "Reading", "deramped", "empirical", "fit", "main", "masked",
           "read", "reduce", "referenced", "within"]


def main(arguments: list[str]) -> int:
    """Runs `kaname data insar` with these words; returns the exit code and raises Error."""
    from . import command

    return command.main(arguments)


def __getattr__(name: str) -> Any:
    if name == "picture":
        return importlib.import_module(".picture", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
