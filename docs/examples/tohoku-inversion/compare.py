#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Slip of two models side by side: compare.py SLIP.csv OTHER.csv

Both are tables as `kaname invert` writes them: a row per patch with lon_centre_deg, lat_centre_deg,
depth_centre_km, length_km, width_km, rake_deg, slip_m. Moments are those of 40 GPa, for both. The
second model is averaged over the first one's patches: each of its patches goes, by its potency, to
the patch whose centre is the nearest on the map.
"""
import csv
import sys

import numpy as np

RIGIDITY_PA, KM_PER_DEGREE = 40e9, 111.2


def read(path):
    """Columns of the table as arrays."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    return {key: np.array([float(row[key]) for row in rows])
            for key in rows[0] if key not in ("patch", "source")}


def potency(model):
    """m^3 of each patch."""
    return model["length_km"] * model["width_km"] * 1e6 * model["slip_m"]


def km(model, lat0):
    return np.column_stack([model["lon_centre_deg"] * np.cos(np.radians(lat0)),
                            model["lat_centre_deg"]]) * KM_PER_DEGREE


def describe(name, model):
    weight = potency(model)
    mean = {key: np.average(model[key], weights=weight)
            for key in ("lon_centre_deg", "lat_centre_deg", "depth_centre_km")}
    rake = np.radians(model["rake_deg"])
    rake = np.degrees(np.arctan2((weight * np.sin(rake)).sum(), (weight * np.cos(rake)).sum()))
    magnitude = (np.log10(RIGIDITY_PA * weight.sum()) - 9.1) / 1.5
    print(f"{name}: Mw {magnitude:.2f}, largest slip {model['slip_m'].max():.1f} m, centroid "
          f"{mean['lon_centre_deg']:.2f} E {mean['lat_centre_deg']:.2f} N, depth "
          f"{mean['depth_centre_km']:.1f} km, mean rake {rake:.0f}")


def main():
    ours, other = read(sys.argv[1]), read(sys.argv[2])
    describe(sys.argv[1], ours)
    describe(sys.argv[2], other)
    lat0 = ours["lat_centre_deg"].mean()
    away = np.linalg.norm(km(other, lat0)[:, None] - km(ours, lat0)[None], axis=2)
    nearest, reach = away.argmin(axis=1), np.hypot(ours["length_km"], ours["width_km"]).max() / 2
    near = away.min(axis=1) <= reach
    area = ours["length_km"] * ours["width_km"] * 1e6
    averaged = np.bincount(nearest[near], potency(other)[near], area.size) / area
    print(f"of the second, {potency(other)[near].sum() / potency(other).sum():.0%} of the potency "
          "lies on the first one's patches; there slip correlates with "
          f"{np.corrcoef(ours['slip_m'], averaged)[0, 1]:.2f}")


if __name__ == "__main__":
    main()
