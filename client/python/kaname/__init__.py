# SPDX-License-Identifier: BSD-3-Clause
"""Kaname from Python: jobs of a service, datasets of Green's functions and waves, slip inversions.

>>> import kaname
>>> data = kaname.open("greens.h5")
>>> data.greens[0, -1, :, 2]              # uplift of all stations [m per m of slip]

Modules are imported when they are first used: datasets need h5py alone, a service grpcio and
protobuf, pictures matplotlib, ``Dataset.to_xarray`` xarray.
"""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._version import __version__
from .errors import Error, Violation

if TYPE_CHECKING:
    from . import data, inversion, plot
    from .campaign import open_campaign
    from .client import Client, connect
    from .dataset import Dataset, open  # pylint: disable=redefined-builtin
    from .inversion import Inversion, invert
    from .job import Job
    from .program import load
    from .seismograms import Seismograms

_HOME = {"connect": "client", "Client": "client", "Job": "job", "open": "dataset",
         "Dataset": "dataset", "invert": "inversion", "Inversion": "inversion", "load": "program",
         "open_campaign": "campaign", "Seismograms": "seismograms"}
_MODULES = ("data", "inversion", "plot")

__all__ = ["Client", "Dataset", "Error", "Inversion", "Job", "Seismograms", "Violation", "__version__",
           "connect", "data", "inversion", "invert", "load", "open", "open_campaign", "plot"]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    if name in _HOME:
        return getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
