// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/coulomb.hpp"

#include <cmath>
#include <string>

#include "solvers/base/error.hpp"
#include "solvers/base/vec3.hpp"

namespace kaname::fault {
namespace {

void check(const StressChange& stress, const Receiver& receiver) {
    for (const double value : stress) {
        if (!std::isfinite(value)) {
            throw Error(ErrorCode::InvalidArgument,
                        "stress change must be finite, got " + std::to_string(value));
        }
    }
    if (!std::isfinite(receiver.strike_rad + receiver.dip_rad + receiver.rake_rad)) {
        throw Error(ErrorCode::InvalidArgument,
                    "receiver: strike, dip and rake must be finite, got " +
                        std::to_string(receiver.strike_rad) + ", " +
                        std::to_string(receiver.dip_rad) + ", " +
                        std::to_string(receiver.rake_rad));
    }
    if (!(receiver.friction >= 0.0) || !std::isfinite(receiver.friction)) {
        throw Error(ErrorCode::InvalidArgument, "receiver: friction must be finite and >= 0, got " +
                                                    std::to_string(receiver.friction));
    }
    if (!(receiver.skempton >= 0.0 && receiver.skempton <= 1.0)) {
        throw Error(ErrorCode::InvalidArgument, "receiver: skempton must be from 0 to 1, got " +
                                                    std::to_string(receiver.skempton));
    }
}

}  // namespace

CoulombChange coulomb_change(const StressChange& stress_pa, const Receiver& receiver) {
    check(stress_pa, receiver);
    const double sin_strike = std::sin(receiver.strike_rad);
    const double cos_strike = std::cos(receiver.strike_rad);
    const double sin_dip = std::sin(receiver.dip_rad);
    const double cos_dip = std::cos(receiver.dip_rad);
    const Vec3 along_strike = {sin_strike, cos_strike, 0.0};
    const Vec3 up_dip = {-cos_strike * cos_dip, sin_strike * cos_dip, sin_dip};
    const Vec3 normal = {cos_strike * sin_dip, -sin_strike * sin_dip, cos_dip};
    const Vec3 rake =
        std::cos(receiver.rake_rad) * along_strike + std::sin(receiver.rake_rad) * up_dip;
    const auto& [xx, yy, zz, xy, yz, xz] = stress_pa;
    const Vec3 traction = {xx * normal.x + xy * normal.y + xz * normal.z,
                           xy * normal.x + yy * normal.y + yz * normal.z,
                           xz * normal.x + yz * normal.y + zz * normal.z};
    CoulombChange change;
    change.shear_pa = dot(traction, rake);
    change.normal_pa = dot(traction, normal);
    const double pressure_pa = -receiver.skempton * (xx + yy + zz) / 3.0;
    change.coulomb_pa = change.shear_pa + receiver.friction * (change.normal_pa + pressure_pa);
    return change;
}

}  // namespace kaname::fault
