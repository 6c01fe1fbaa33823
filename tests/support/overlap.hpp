// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/base/geo_box.hpp"

namespace kaname::test {

/// Returns true if two boxes have a place in common; touching counts.
inline bool overlap(const GeoBox& a, const GeoBox& b) {
    if (a.south_deg > b.north_deg || b.south_deg > a.north_deg) {
        return false;
    }
    for (const double turn : {-360.0, 0.0, 360.0}) {
        if (a.west_deg <= b.east_deg + turn && b.west_deg + turn <= a.east_deg) {
            return true;
        }
    }
    return false;
}

}  // namespace kaname::test
