#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes coast.npz from Natural Earth's land polygons: rings without what maps of regions do not show.

Usage: npm pack world-atlas@2.0.2 && tar xzf world-atlas-2.0.2.tgz
       make_coast.py package/land-10m.json coast.npz

Arcs are thinned to TOLERANCE_DEG (Douglas and Peucker) and rounded to 1 / PER_DEGREE. In the file
`size` [ring] has the vertices of each ring and `step` [vertex][2] their longitude and latitude as
differences within the ring, the first from 0, in 1 / PER_DEGREE degrees.
"""
import json
import sys

import numpy as np

TOLERANCE_DEG = 0.012
PER_DEGREE = 200
SMALLEST_DEG = 0.03  # rings of a smaller extent are left out


def thinned(points):
    """Indices of the points that Douglas and Peucker keep."""
    keep = np.zeros(len(points), dtype=bool)
    keep[[0, -1]] = True
    pending = [(0, len(points) - 1)]
    while pending:
        first, last = pending.pop()
        if last - first < 2:
            continue
        middle = points[first + 1:last] - points[first]
        chord = points[last] - points[first]
        length = np.hypot(*chord)
        if length > 0.0:
            along = np.clip(middle @ chord / length**2, 0.0, 1.0)
            away = np.hypot(*(middle - along[:, None] * chord).T)
        else:
            away = np.hypot(*middle.T)
        far = int(np.argmax(away))
        if away[far] > TOLERANCE_DEG:
            split = first + 1 + far
            keep[split] = True
            pending += [(first, split), (split, last)]
    return np.flatnonzero(keep)


def read_rings(path):
    """Rings of longitude and latitude, degrees, the last vertex equal to the first."""
    with open(path, encoding="utf-8") as file:
        topology = json.load(file)
    scale, shift = (np.array(topology["transform"][key]) for key in ("scale", "translate"))
    arcs = [np.cumsum(np.array(arc), axis=0) * scale + shift for arc in topology["arcs"]]
    for shape in topology["objects"]["land"]["geometries"]:
        for polygon in shape["arcs"]:
            for ring in polygon:
                # The last point of an arc is the first of the next; ~n is arc n backwards.
                parts = [arcs[n] if n >= 0 else arcs[~n][::-1] for n in ring]
                yield np.concatenate([parts[0]] + [part[1:] for part in parts[1:]])


def main():
    source, output = sys.argv[1:]
    sizes, steps = [], []
    for ring in read_rings(source):
        if np.ptp(ring, axis=0).max() < SMALLEST_DEG:
            continue
        grid = np.rint(ring[thinned(ring)] * PER_DEGREE).astype(np.int32)
        grid = grid[np.append(True, np.any(np.diff(grid, axis=0) != 0, axis=1))]
        if len(grid) < 4:
            continue
        sizes.append(len(grid))
        steps.append(np.diff(grid, axis=0, prepend=[[0, 0]]))
    np.savez_compressed(output, size=np.array(sizes, dtype=np.int32),
                        step=np.concatenate(steps).astype(np.int32),
                        per_degree=np.int32(PER_DEGREE))
    print(f"{output}: {len(sizes)} rings, {sum(sizes)} vertices")


if __name__ == "__main__":
    main()
