#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Depth of the plate interface below the ground: make_interface.py SLAB.csv RELIEF.asc OUT.csv

The model's top is flat, so that what counts for a station is how far the interface lies below the
ground it stands on: Slab2's depth below sea level plus the relief, smoothed over 40 km. Nodes less
than 1 km below the ground are left out.
"""
import csv
import sys

import numpy as np

SMOOTHING_KM, KM_PER_DEGREE = 40.0, 111.2


def read_relief(path):
    """lon, lat of the first node, spacing, metres [row from the south][column]."""
    with open(path, encoding="ascii") as file:
        head = dict(reversed(line.split()) if line[0].isdigit() else line.split()
                    for line in (next(file) for _ in range(6)))
        values = np.loadtxt(file)[::-1]
    head = {key.lower(): float(value) for key, value in head.items()}
    return head["xllcenter"], head["yllcenter"], head["cellsize"], values


def smoothed(lon, lat, relief):
    """Weighted mean of nodes by a Gaussian of the smoothing length, in km."""
    west, south, step, values = relief
    rows, columns = np.indices(values.shape)
    node_lon, node_lat = west + step * columns, south + step * rows
    result = []
    for x, y in zip(lon, lat):
        near = (abs(node_lat - y) < 1.0) & (abs(node_lon - x) < 1.2)
        east = (node_lon[near] - x) * np.cos(np.radians(y)) * KM_PER_DEGREE
        north = (node_lat[near] - y) * KM_PER_DEGREE
        weight = np.exp(-0.5 * (east**2 + north**2) / (SMOOTHING_KM / 2.0) ** 2)
        result.append(weight @ values[near] / weight.sum())
    return np.array(result)


def main():
    slab, relief, out = sys.argv[1:]
    with open(slab, newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(line for line in file if line[0] != "#")
                if 33.5 <= float(row["lat_deg"]) <= 43.5 and float(row["depth_km"]) <= 260.0]
    lon, lat, depth = (np.array([float(row[key]) for row in rows])
                       for key in ("lon_deg", "lat_deg", "depth_km"))
    below = depth + smoothed(lon, lat, read_relief(relief)) / 1000.0
    with open(out, "w", encoding="utf-8") as file:
        file.write("# Top of the Pacific plate below the ground: Slab2 region kur (Hayes and others "
                   "2018, doi 10.1126/science.aat4723) plus GEBCO relief; both public domain.\n")
        file.write("lon_deg,lat_deg,depth_km\n")
        for x, y, z in zip(lon, lat, below):
            if z >= 1.0:
                file.write(f"{x:.2f},{y:.2f},{z:.2f}\n")


main()
