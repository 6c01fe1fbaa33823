// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "solvers/base/vec3.hpp"

namespace kaname::cleaving {

/// Places where boundaries between volumes are not met exactly, because doing so left tetrahedra
/// that could not be mended: there tets keep their lattice's faces and take a volume as a whole.
struct Calm {
    struct Place {
        Vec3 at;
        double radius_m = 0.0;
    };
    std::vector<Place> places;
    std::size_t latest = 0;  ///< number of places from the last attempt

    [[nodiscard]] bool holds(const Vec3& x) const {
        for (const Place& place : places) {
            const Vec3 away = x - place.at;
            if (dot(away, away) < place.radius_m * place.radius_m) {
                return true;
            }
        }
        return false;
    }
};

}  // namespace kaname::cleaving
