# SPDX-License-Identifier: BSD-3-Clause
"""Flat layers as a request's `structure` has them."""
from __future__ import annotations

import os
import pathlib
from typing import Any

import numpy as np

from ...errors import invalid
from ...program import load
from .layered import Layers

_UNITS = {"vp": {"_km_per_s": 1e3, "_m_per_s": 1.0}, "vs": {"_km_per_s": 1e3, "_m_per_s": 1.0},
          "density": {"_g_per_cm3": 1e3, "_kg_per_m3": 1.0}, "lambda": {"_gpa": 1e9, "_pa": 1.0},
          "mu": {"_gpa": 1e9, "_pa": 1.0}, "bottom_depth": {"_km": 1e3, "_m": 1.0}}


def read_layers(path: str | os.PathLike[str]) -> Layers:
    """Reads `structure.materials` and `structure.layers` of a request (YAML), or a file of these two alone.

    Viscosities are left out: the motion is that right after the slip. Raises Error with field, value and rule.
    """
    path = pathlib.Path(path)
    data = load(path)
    structure = data.get("structure", data)
    if not isinstance(structure, dict):
        invalid(f"{path.name}: structure", "must be a mapping with materials and layers")
    if "volumes" in structure or "surfaces" in structure or "below_interface" in structure:
        invalid(f"{path.name}: structure", "must be flat layers alone, without surfaces, volumes or below_interface")
    moduli = {}
    for k, material in enumerate(_list(structure, "materials", path.name)):
        moduli[str(material.get("name"))] = _moduli(material, f"{path.name}: structure.materials[{k}]")
    bottoms: list[float] = []
    found = []
    layers = _list(structure, "layers", path.name)
    for k, layer in enumerate(layers):
        where = f"{path.name}: structure.layers[{k}]"
        name = str(layer.get("material"))
        if name not in moduli:
            invalid(f"{where}.material", f"must be one of {', '.join(moduli)}, got '{name}'")
        found.append(moduli[name])
        bottom = _number(layer, "bottom_depth", where)
        if (bottom is None) != (k == len(layers) - 1):
            invalid(f"{where}.bottom_depth_km", "must be given for each layer but the last")
        if bottom is not None:
            if bottom <= (bottoms[-1] if bottoms else 0.0):
                invalid(f"{where}.bottom_depth_km", f"must increase, got {1e-3 * bottom:g}")
            bottoms.append(bottom)
    return Layers(np.array(bottoms), np.array([f[0] for f in found]), np.array([f[1] for f in found]))


def _list(structure: dict[str, Any], key: str, name: str) -> list[dict[str, Any]]:
    found = structure.get(key)
    if not isinstance(found, list) or not found or not all(isinstance(one, dict) for one in found):
        invalid(f"{name}: structure.{key}", "must be a list of mappings, one at least")
    return found


def _number(values: dict[str, Any], key: str, where: str) -> float | None:
    """Returns the number of a key with any of its units, in SI units; None: not given."""
    for ending, factor in _UNITS[key].items():
        if key + ending in values:
            value = values[key + ending]
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not np.isfinite(value):
                invalid(f"{where}.{key}{ending}", f"must be a number, got {value!r}")
            return factor * float(value)
    return None


def _moduli(material: dict[str, Any], where: str) -> tuple[float, float]:
    vp, vs, density, lame, mu = (_number(material, key, where) for key in ("vp", "vs", "density", "lambda", "mu"))
    if lame is None and mu is None and vp is not None and vs is not None and density is not None:
        mu = density * vs * vs
        lame = density * vp * vp - 2.0 * mu
    if lame is None or mu is None:
        invalid(where, "must have vp_km_per_s, vs_km_per_s and density_g_per_cm3, or lambda_gpa and mu_gpa")
    if not (mu > 0.0 and 3.0 * lame + 2.0 * mu > 0.0):
        invalid(where, f"must have mu > 0 and lambda > -2/3 mu, got mu {1e-9 * mu:g} GPa and lambda {1e-9 * lame:g} GPa")
    return lame, mu
