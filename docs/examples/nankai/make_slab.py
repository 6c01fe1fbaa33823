#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes slab_top.csv, the top of the Philippine Sea plate: Slab2's nodes on every tenth of a degree,
and seaward of the trench, where the plate is the sea floor, nodes 1 km above GEBCO's.

Usage: make_slab.py slab2_nankai_ryu.csv trench_japan.csv gebco_nankai.asc slab_top.csv
"""
import csv
import sys

import numpy as np

ABOVE_SEA_FLOOR_KM = 1.0  # so that the free surface decides there
GAP_DEG = 0.25  # between the two kinds of nodes
WEST, EAST, SOUTH, NORTH, STEP = 124.0, 146.0, 24.0, 42.0, 0.1
DEEPEST_KM = 130.0


def read_slab(path):
    nodes = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            lon, lat, depth = (float(row[k]) for k in ("lon_deg", "lat_deg", "depth_km"))
            i, j = round((lon - WEST) / STEP), round((lat - SOUTH) / STEP)
            on_grid = abs(WEST + i * STEP - lon) + abs(SOUTH + j * STEP - lat) < 1e-6
            if on_grid and WEST <= lon <= EAST and SOUTH <= lat <= NORTH and depth < DEEPEST_KM:
                nodes[i, j] = depth
    return nodes


def read_trench(path):
    with open(path, newline="") as file:
        return [(float(row["lon_deg"]), float(row["lat_deg"])) for row in csv.DictReader(file)
                if row["slab_code"] == "ryu"]


def read_ascii_grid(path):
    with open(path) as file:
        head = {key.lower(): float(value) for key, value in
                (next(file).split() for _ in range(6))}
        values = np.loadtxt(file)[::-1]

    def height_km(lon, lat):
        s = (lon - head["xllcenter"]) / head["cellsize"]
        t = (lat - head["yllcenter"]) / head["cellsize"]
        i, j = int(s), int(t)
        corners = values[j:j + 2, i:i + 2]
        return float(np.array([1 - t + j, t - j]) @ corners @ np.array([1 - s + i, s - i])) / 1e3

    return height_km


def is_inside(polygon, x, y):
    """Even-odd rule."""
    ends = zip(polygon, polygon[1:] + polygon[:1])
    return sum((a[1] > y) != (b[1] > y) and x < a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0])
               for a, b in ends) % 2 == 1


def main(slab_path, trench_path, relief_path, out_path):
    nodes = read_slab(slab_path)
    trench = read_trench(trench_path)
    height_km = read_ascii_grid(relief_path)
    # From the trench's northeastern end along the Sagami trough's mouth and around the plate.
    seaward = trench + [(142.0, 34.2), (EAST + 1, 34.2), (EAST + 1, SOUTH - 1), (WEST - 9, SOUTH - 1)]
    known = np.array([(WEST + i * STEP, SOUTH + j * STEP) for i, j in nodes])
    rows = [(WEST + i * STEP, SOUTH + j * STEP, depth) for (i, j), depth in nodes.items()]
    for j in range(round((NORTH - SOUTH) / STEP) + 1):
        for i in range(round((EAST - WEST) / STEP) + 1):
            lon, lat = WEST + i * STEP, SOUTH + j * STEP
            if (is_inside(seaward, lon, lat)
                    and np.min(np.hypot(*(known - (lon, lat)).T)) > GAP_DEG):
                rows.append((lon, lat, -height_km(lon, lat) - ABOVE_SEA_FLOOR_KM))
    with open(out_path, "w") as file:
        file.write("lon_deg,lat_deg,depth_km\n")
        for lon, lat, depth in sorted(rows, key=lambda row: (round(row[1], 6), row[0])):
            file.write(f"{lon:.1f},{lat:.1f},{depth:.2f}\n")


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
