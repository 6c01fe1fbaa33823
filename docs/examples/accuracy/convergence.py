#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs half_space.yaml with several mesh sizes and boxes and compares with Okada's closed form.

Usage: convergence.py KANAME [--threads N]

The error is sqrt(sum |u - exact|^2 / sum |exact|^2) over all three components of the stations of a
square net on the surface: those within 20 km of the fault's top edge, and those from 20 to 45 km.
"""
import argparse
import math
import pathlib
import re
import subprocess
import tempfile
import time

import h5py
import numpy as np

# These numbers repeat half_space.yaml: strike to the north, dip to the east, one metre of reverse
# slip.
CENTRE_LON, CENTRE_LAT = 138.0, 36.0
TOP_KM, DIP_DEG, LENGTH_KM, WIDTH_KM = 4.0, 45.0, 24.0, 12.0
NET_KM = np.arange(-40.0, 41.0, 10.0) + 1.3  # beside the symmetry axes
NEAR_KM = 20.0
CASES = [  # size at the fault, size far, growth, width of the box (its depth is half of that), km
    (6.0, 60.0, 0.3, 480.0), (4.0, 40.0, 0.3, 480.0), (3.0, 30.0, 0.3, 480.0),
    (2.0, 20.0, 0.3, 480.0), (8.0, 60.0, 0.3, 480.0), (12.0, 60.0, 0.3, 480.0),
    (4.0, 40.0, 0.6, 480.0), (4.0, 40.0, 0.3, 240.0),
    (4.0, 40.0, 0.3, 120.0)]


def metres_per_degree():
    """East and north at the centre, on WGS84."""
    a, e2 = 6378137.0, 6.69437999014e-3
    w = 1.0 - e2 * math.sin(math.radians(CENTRE_LAT))**2
    degree = math.pi / 180.0
    return (degree * a / math.sqrt(w) * math.cos(math.radians(CENTRE_LAT)),
            degree * a * (1.0 - e2) / w**1.5)


def okada_dip_slip(x, y, depth, dip, length, width):
    """Surface motion (along strike, up dip, up) of unit reverse slip, Okada (1985), eqs 25 to 30,
    with mu / (lambda + mu) = 1/2.

    x along the strike from the fault's start, y to its left from the lower edge, which is `depth`
    down."""
    sin, cos = math.sin(dip), math.cos(dip)
    p, q = y * cos + depth * sin, y * sin - depth * cos

    def corner(xi, eta):
        r = np.sqrt(xi**2 + eta**2 + q**2)
        big_x = np.sqrt(xi**2 + q**2)
        y_eta, d_eta = eta * cos + q * sin, eta * sin - q * cos
        i5 = 0.5 * 2.0 / cos * np.arctan(
            (eta * (big_x + q * cos) + big_x * (r + big_x) * sin) / (xi * (r + big_x) * cos))
        i4 = 0.5 / cos * (np.log(r + d_eta) - sin * np.log(r + eta))
        i3 = 0.5 * (y_eta / (cos * (r + d_eta)) - np.log(r + eta)) + sin / cos * i4
        i1 = -0.5 * xi / (cos * (r + d_eta)) - sin / cos * i5
        angle = np.arctan(xi * eta / (q * r))
        return np.stack([q / r - i3 * sin * cos,
                         y_eta * q / (r * (r + xi)) + cos * angle - i1 * sin * cos,
                         d_eta * q / (r * (r + xi)) + sin * angle - i5 * sin * cos], axis=-1)

    total = (corner(x, p) - corner(x, p - width) - corner(x - length, p)
             + corner(x - length, p - width))
    return -total / (2.0 * math.pi)


def exact(east_m, north_m):
    """[station][east, north, up], m."""
    dip = math.radians(DIP_DEG)
    depth = 1e3 * (TOP_KM + WIDTH_KM * math.sin(dip))
    # The lower edge lies east of the top edge; up dip is west.
    along = north_m + 0.5e3 * LENGTH_KM
    left = 1e3 * WIDTH_KM * math.cos(dip) - east_m
    u = okada_dip_slip(along, left, depth, dip, 1e3 * LENGTH_KM, 1e3 * WIDTH_KM)
    return np.stack([-u[:, 1], u[:, 0], u[:, 2]], axis=-1)


def specification(case, stations):
    size, far, growth, box = case
    text = (pathlib.Path(__file__).parent / "half_space.yaml").read_text(encoding="utf-8")
    text = re.sub(r"size_east_km.*\}", f"size_east_km: {box:g}, size_north_km: {box:g}, "
                  f"depth_km: {box / 2:g}}}", text)
    text = re.sub(r"mesh: .*", f"mesh: {{size_at_fault_km: {size:g}, size_far_km: {far:g}, "
                  f"growth: {growth:g}}}", text)
    rows = "".join(f"    - {{id: S{k}, lon_deg: {lon:.9f}, lat_deg: {lat:.9f}}}\n"
                   for k, (lon, lat) in enumerate(stations))
    return re.sub(r"    - \{id: E10.*\n", rows, text)


def run(arguments, case, work, stations):
    (work / "case.yaml").write_text(specification(case, stations), encoding="utf-8")
    started = time.monotonic()
    done = subprocess.run([arguments.kaname, "run", work / "case.yaml", "--output",
                           work / f"out{CASES.index(case)}", "--threads", str(arguments.threads),
                           "--json"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return work / f"out{CASES.index(case)}/greens.h5", time.monotonic() - started


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kaname")
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    east, north = (1e3 * v.ravel() for v in np.meshgrid(NET_KM, NET_KM))
    to_east, to_north = metres_per_degree()
    # Meridians converge: a degree of longitude is as long as at the station's own latitude.
    lat = CENTRE_LAT + north / to_north
    lon = CENTRE_LON + east / (to_east * np.cos(np.radians(lat))
                               / math.cos(math.radians(CENTRE_LAT)))
    known = exact(east, north)
    near = np.hypot(east, np.maximum(np.abs(north) - 0.5e3 * LENGTH_KM, 0.0)) < 1e3 * NEAR_KM
    print("| size_at_fault_km | size_far_km | growth | box km | unknowns | error near | error far "
          "| time s |\n|---|---|---|---|---|---|---|---|")
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            path, seconds = run(arguments, case, pathlib.Path(folder), list(zip(lon, lat)))
            with h5py.File(path, "r") as file:
                found, dof = file["greens"][0, 0], int(file.attrs["dof"])
        off = [math.sqrt(np.sum((found - known)[s]**2) / np.sum(known[s]**2))
               for s in (near, ~near)]
        size, far, growth, box = case
        print(f"| {size:g} | {far:g} | {growth:g} | {box:g} x {box:g} x {box / 2:g} | {dof:,} | "
              f"{100 * off[0]:.2f} % | {100 * off[1]:.2f} % | {seconds:.0f} |", flush=True)


if __name__ == "__main__":
    main()
