# SPDX-License-Identifier: BSD-3-Clause
"""Reads a raster in a process of its own, which a damaged file may break down."""
from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ..confined import Array, bound, call_apart
from .raster import Raster
from .reading import Reading, read_here

__all__ = ["bound", "raster_of", "read_apart"]


def read_apart(path: str, reading: Reading) -> Raster:
    """Returns the raster that a child read. Raises what it raised, and InvalidArgument where it broke down."""
    facts, arrays = call_apart("kaname.data.insar.confined:raster_of", path,
                               {"file": path, "reading": asdict(reading)})
    return Raster(name=facts["name"], rate=facts["rate"], notes=tuple(facts["notes"]), **arrays)


def raster_of(file: str, reading: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Array]]:
    """Reads what was asked for, in the child."""
    options = {key: tuple(value) if isinstance(value, list) else value for key, value in reading.items()}
    raster = read_here(file, Reading(**options))
    return ({"name": raster.name, "rate": raster.rate, "notes": raster.notes},
            {name: getattr(raster, name) for name in ("values", "lon", "lat", "look")})
