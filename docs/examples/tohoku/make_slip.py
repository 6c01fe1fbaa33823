#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes slip.csv of the Tohoku example from wei+11.flt (README.md says where that is had).

Usage: make_slip.py wei+11.flt slip.csv

The file has, per patch, a number, slip [cm], x1 north, x2 east, x3 depth [km] from a point given in
UTM zone 54, length, width [km], strike, dip and rake [degrees]. Its positions are centres that were
moved by half a length against the strike and up by the depth of half a width; that is undone here.
"""
import math
import sys

NORTH_M, EAST_M = 4242429.17, 619669.75  # of the file's origin, UTM zone 54
CENTRAL_MERIDIAN_DEG = 141.0
# WGS84 and UTM's scale on the central meridian.
AXIS_M, FLATTENING, SCALE, FALSE_EAST_M = 6378137.0, 1.0 / 298.257223563, 0.9996, 500e3


def geographic(east_m, north_m):
    """Longitude and latitude [degrees] by Krueger's series of third order in n: millimetres."""
    n = FLATTENING / (2.0 - FLATTENING)
    radius = AXIS_M / (1.0 + n) * (1.0 + n**2 / 4.0 + n**4 / 64.0)
    beta = (n / 2.0 - 2.0 * n**2 / 3.0 + 37.0 * n**3 / 96.0, n**2 / 48.0 + n**3 / 15.0,
            17.0 * n**3 / 480.0)
    delta = (2.0 * n - 2.0 * n**2 / 3.0 - 2.0 * n**3, 7.0 * n**2 / 3.0 - 8.0 * n**3 / 5.0,
             56.0 * n**3 / 15.0)
    xi, eta = north_m / (SCALE * radius), (east_m - FALSE_EAST_M) / (SCALE * radius)
    flat = complex(xi, eta)
    sphere = flat - sum(b * complex(math.sin(2 * k * xi) * math.cosh(2 * k * eta),
                                    math.cos(2 * k * xi) * math.sinh(2 * k * eta))
                        for k, b in enumerate(beta, 1))
    conformal = math.asin(math.sin(sphere.real) / math.cosh(sphere.imag))
    latitude = conformal + sum(d * math.sin(2 * k * conformal) for k, d in enumerate(delta, 1))
    longitude = math.atan2(math.sinh(sphere.imag), math.cos(sphere.real))
    return CENTRAL_MERIDIAN_DEG + math.degrees(longitude), math.degrees(latitude)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.split("\n\n")[1])
    source, target = sys.argv[1:]
    rows = []
    with open(source, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                slip_cm, north, east, depth, length, width, strike, dip, rake = (
                    float(value) for value in line.split()[1:])
                along = math.radians(strike)
                lon, lat = geographic(EAST_M + 1e3 * east + 500.0 * length * math.sin(along),
                                      NORTH_M + 1e3 * north + 500.0 * length * math.cos(along))
                depth += 0.5 * width * math.sin(math.radians(dip))
                rows.append(f"{lon:.5f},{lat:.5f},{depth:.4f},{length:g},{width:g},{strike:g},"
                            f"{dip:g},{rake:g},{slip_cm / 100.0:.4f}")
    if len(rows) != 350:
        sys.exit(f"{source}: must have 350 patches, got {len(rows)}")
    with open(target, "w", encoding="utf-8") as file:
        file.write("lon_centre_deg,lat_centre_deg,depth_centre_km,length_km,width_km,strike_deg,"
                   "dip_deg,rake_deg,slip_m\n" + "\n".join(rows) + "\n")
    print(f"{target}: {len(rows)} patches")


if __name__ == "__main__":
    main()
