// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/rupture/fault_setup.hpp"

#include <cmath>

namespace kaname::rupture {

FaultFrame FaultFrame::of(const Vec3& normal) {
    constexpr double kLevel = 1e-6;
    const double along = std::hypot(normal.x, normal.y);
    const Vec3 strike =
        along < kLevel ? Vec3{1.0, 0.0, 0.0} : Vec3{-normal.y / along, normal.x / along, 0.0};
    return {strike, cross(strike, normal)};
}

}  // namespace kaname::rupture
