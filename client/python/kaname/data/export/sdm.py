# SPDX-License-Identifier: BSD-3-Clause
"""Writes slip as SDM2025 reads and writes it (R. Wang's steepest descent method).

Format: github.com/RongjiangWang/SDM, SDM2025/SourceCode/sdmoutput.f (slip table of 17 columns) and sdmdisc.f (discrete
patches, `idisc` = 0, of which the reference point is the centre). SDM reads by position, in any number of decimals. Its
dip slip counts down the dip: slp_ddip = -slip sin(rake).
"""
from __future__ import annotations

from typing import Any

import numpy as np

from ..fault.shapes import Array, to_metres
from .patches import SlipPatches

_PLACES = ("lat_deg", "lon_deg", "depth_km", "x_local_km", "y_local_km", "length_km", "width_km")
_SLIP = (*_PLACES, "slp_strk_m", "slp_ddip_m", "slp_am_m", "strike_deg", "dip_deg", "rake_deg", "sig_stk_MPa", "sig_ddi_MPa",
         "sig_nrm_MPa", "sig_cmb_MPa")


def slip_table(slip: SlipPatches) -> str:
    """Returns the table of slip: what SDM finds, or computes forward with 0 iterations. Faults are parted by a blank
    line. Stresses are 0, for SDM computes them anew and reads none."""
    rake = np.radians(slip.rake_deg)
    lines = [_row(_SLIP)]
    for number, (group, x, y) in enumerate(_segments(slip)):
        if number:
            lines.append(" " * 10)
        for k, x_km, y_km in zip(group, x, y):
            strike_slip, dip_slip = slip.slip_m[k] * np.cos(rake[k]), -slip.slip_m[k] * np.sin(rake[k])
            lines.append(_row([*_place(slip, k, x_km, y_km), f"{strike_slip:.6f}", f"{dip_slip:.6f}", f"{slip.slip_m[k]:.6f}",
                               f"{slip.strike_deg[k] % 360.0:.4f}", f"{slip.dip_deg[k]:.4f}", f"{slip.rake_deg[k] % 360.0:.4f}",
                               *["0.0000"] * 4]))
    return "\n".join(lines) + "\n"


def patch_table(slip: SlipPatches) -> str:
    """Returns the patches without slip as one sub-fault of an input file, in the order of `slip_table`. SDM smooths
    between neighbours in local coordinates, so that faults stand apart there."""
    lines = [_row((*_PLACES, "strike_deg", "dip_deg"))]
    begin = 0.0
    for group, x, y in _segments(slip):
        lines += [_row([*_place(slip, k, begin + x_km, y_km), f"{slip.strike_deg[k] % 360.0:.4f}", f"{slip.dip_deg[k]:.4f}"])
                  for k, x_km, y_km in zip(group, x, y)]
        begin += float(x.max()) + 3e-3 * float((slip.length_m + slip.width_m).max())
    return "\n".join(lines) + "\n"


def _segments(slip: SlipPatches) -> list[tuple[list[int], Array, Array]]:
    """Returns the patches of each fault, column by column along strike as SDM numbers them, and where they lie along the
    strike and down the dip [km]."""
    found = []
    for group in slip.faults():
        x, y = _local_km(slip, group)
        order = np.lexsort((np.round(y, 6), np.round(x, 6)))
        found.append(([group[k] for k in order], x[order], y[order]))
    return found


def _local_km(slip: SlipPatches, group: list[int]) -> tuple[Array, Array]:
    """Returns distances of centres along strike and down dip from the first corner: multiples of the mean size in a grid,
    else those on the mean plane."""
    length, width = (1e-3 * float(a[group].mean()) for a in (slip.length_m, slip.width_m))
    places = slip.place_in_grid(group)
    if places is not None:
        return (places[:, 0] + 0.5) * length, (places[:, 1] + 0.5) * width
    east, north = to_metres(slip.lon[group], slip.lat[group], float(slip.lon[group[0]]), float(slip.lat[group[0]]))
    strike, dip = np.radians(slip.strike_deg[group]), np.radians(slip.dip_deg[group])
    mean = np.arctan2(np.sin(strike).mean(), np.cos(strike).mean())
    along = east * np.sin(mean) + north * np.cos(mean)
    across = east * np.cos(mean) - north * np.sin(mean)
    down = across * np.cos(dip.mean()) + (slip.depth_m[group] - slip.depth_m[group[0]]) * np.sin(dip.mean())
    return 1e-3 * (along - along.min()) + 0.5 * length, 1e-3 * (down - down.min()) + 0.5 * width


def _place(slip: SlipPatches, k: int, x_km: float, y_km: float) -> list[str]:
    return [f"{slip.lat[k]:.6f}", f"{slip.lon[k]:.6f}", f"{1e-3 * slip.depth_m[k]:.4f}", f"{x_km:.4f}", f"{y_km:.4f}",
            f"{1e-3 * slip.length_m[k]:.4f}", f"{1e-3 * slip.width_m[k]:.4f}"]


def _row(words: Any) -> str:
    return "".join(f"{word:>12}" for word in words)
