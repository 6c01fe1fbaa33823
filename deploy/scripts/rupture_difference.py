#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How far two ruptures of one fault are apart: the L2 norm over the fault of the difference of
rupture times [s], over the area that ruptures in both, and of final slip.

    deploy/scripts/rupture_difference.py coarse/rupture.h5 fine/rupture.h5
"""
import sys

import numpy as np
from matplotlib.tri import LinearTriInterpolator, Triangulation
from plotting.self_contained import open_file


class Fault:
    """Values of a fault's triangles at their middles, in coordinates along strike and down dip."""

    def __init__(self, path):
        with open_file(path) as file:
            group = file["rupture"]
            self.at = np.stack([group["along"][()], group["down"][()]], axis=1)
            corners = group["xyz"][()][group["triangles"][()]]
            sides = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
            self.area = 0.5 * np.linalg.norm(np.cross(*sides), axis=1)
            self.time = group["rupture_time"][()]
            self.slip = group["slip"][()]

    def at_places(self, values, places):
        """Values between the middles; nan outside and where a value is missing."""
        known = np.isfinite(values)
        tri = Triangulation(*self.at[known].T)
        return LinearTriInterpolator(tri, values[known])(*places.T).filled(np.nan)


def main():
    coarse, fine = Fault(sys.argv[1]), Fault(sys.argv[2])
    time = fine.at_places(fine.time, coarse.at)
    both = np.isfinite(coarse.time) & np.isfinite(time)
    weight = coarse.area[both]
    gap = coarse.time[both] - time[both]
    print(f"rupture time: L2 {np.sqrt(np.sum(weight * gap**2) / weight.sum()):.4f} s, "
          f"mean {np.sum(weight * gap) / weight.sum():+.4f} s, largest {np.abs(gap).max():.3f} s, "
          f"over {weight.sum() / 1e6:.1f} of {coarse.area.sum() / 1e6:.1f} km2")
    slip = fine.at_places(fine.slip, coarse.at)
    inside = np.isfinite(slip)
    weight = coarse.area[inside]
    gap = coarse.slip[inside] - slip[inside]
    size = np.sqrt(np.sum(weight * slip[inside] ** 2) / weight.sum())
    print(f"slip: L2 {np.sqrt(np.sum(weight * gap**2) / weight.sum()) / size * 100:.2f} % of its own")


if __name__ == "__main__":
    main()
