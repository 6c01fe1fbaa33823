# SPDX-License-Identifier: BSD-3-Clause
"""Writes faults as TDEFNODE takes them: a block `FA:` of nodes for each (R. McCaffrey, User's Manual of 2023).

Format: robmccaffrey.github.io/TDEFNODE/manual/tdefnode_manual.html, command FA. After the name and number comes a line
with the numbers of nodes along strike and down dip, the blocks of hanging wall and footwall, and 0. Then each depth [km]
is followed by its nodes as longitude and latitude, along strike with the dip to the right. TDEFNODE interpolates slip
between nodes and estimates it itself.
"""
from __future__ import annotations

import re

import numpy as np

from ..fault.shapes import Array, refuse
from .patches import SlipPatches

_BLOCKS = ("HANG", "FOOT")
_NAME_LENGTH = 10
_SAME_DEPTH_M = 50.0


def faults(slip: SlipPatches) -> str:
    """Returns a block for each fault, with nodes at the corners of its patches; these must be a grid whose rows have one
    depth each. Raises InvalidArgument."""
    lines: list[str] = []
    for number, group in enumerate(slip.faults(), 1):
        name = slip.patch[group[0]].rpartition("/")[0] or slip.name
        lon, lat, depth_m = _nodes(slip, group, name)
        rows, columns = lon.shape
        lines += [f"FA: {re.sub(r'[^A-Za-z0-9_]', '_', name)[:_NAME_LENGTH] or 'fault'} {number}",
                  f"  {columns} {rows} {_BLOCKS[0]} {_BLOCKS[1]} 0"]
        for row in range(rows):
            lines.append(f"  {1e-3 * depth_m[row]:.4f}")
            lines += [f"  {a:.5f} {b:.5f}" for a, b in zip(lon[row], lat[row])]
    return "\n".join(lines) + "\n"


def _nodes(slip: SlipPatches, group: list[int], name: str) -> tuple[Array, Array, Array]:
    """Returns longitudes and latitudes [row][column] and depths [row] of the corners; where patches meet, the mean of
    theirs."""
    places = slip.place_in_grid(group)
    if places is None:
        refuse(f"{slip.name}: {name}", "must be a grid, whose patches are named sIIdJJ along strike and down dip, for nodes of "
                                       "TDEFNODE", slip.patch[group[0]])
    columns, rows = (int(n) + 1 for n in places.max(axis=0))
    if len({(int(i), int(j)) for i, j in places}) != rows * columns or rows * columns != len(group):
        refuse(f"{slip.name}: {name}", f"must have all {columns} x {rows} patches of its grid once", len(group))
    sums, count = np.zeros((3, rows + 1, columns + 1)), np.zeros((rows + 1, columns + 1))
    first = float(slip.lon[group[0]])
    for k, (column_of, row_of) in zip(group, places):
        i, j = int(column_of), int(row_of)
        lon, lat, depth_m = slip.rectangle(k).corners()
        lon = first + (lon - first + 180.0) % 360.0 - 180.0
        # Corners go from the start of the top edge along it, and back along the bottom edge.
        for corner, (row, column) in enumerate(((j, i), (j, i + 1), (j + 1, i + 1), (j + 1, i))):
            sums[:, row, column] += (lon[corner], lat[corner], depth_m[corner])
            count[row, column] += 1
    lon, lat, depth = sums / count
    away = np.ptp(depth, axis=1)
    if away.max() > _SAME_DEPTH_M:
        row = int(np.argmax(away))
        refuse(f"{slip.name}: {name}", f"must have rows of one depth (within {_SAME_DEPTH_M:g} m) for nodes of TDEFNODE",
               f"{1e-3 * depth[row].min():.3f} to {1e-3 * depth[row].max():.3f} km in row {row + 1}")
    return lon, lat, depth.mean(axis=1)
