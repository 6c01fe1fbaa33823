# SPDX-License-Identifier: BSD-3-Clause
"""Geodesists' own files as the tables and blocks that requests and `kaname invert` take.

``kaname.data.gnss`` reads series of stations and fits trajectories, ``kaname.data.insar`` reads and
reduces rasters, ``kaname.data.geometry`` finds the rectangle that moved the ground, ``kaname.data.fault``
reads faults, ``kaname.data.structure`` 3-D models, and ``kaname.data.export`` writes slip and motion for other
programs, ``kaname.data.reference`` tells xarray where the pieces of a dataset lie, ``kaname.data.view`` writes
series and rasters for the page. They are imported when they are first used.
"""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import gnss

_MODULES = ("export", "fault", "geometry", "gnss", "insar", "reference", "structure", "view")

__all__ = ["gnss"]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(_MODULES)
