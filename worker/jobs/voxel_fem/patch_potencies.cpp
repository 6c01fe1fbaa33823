// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/voxel_fem/patch_potencies.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/base/vec3.hpp"
#include "solvers/fault/slip_model/kinematic_sources.hpp"
#include "solvers/fault/slip_model/patch_rules.hpp"

namespace kaname::jobs {

std::vector<voxelwave::PointMoment> patch_potencies(const WavePatch& patch,
                                                    const std::array<double, 3>& centre_m,
                                                    double north_rad, double part_m) {
    constexpr double kMostParts = 1e5, kRounding = 1e-9;
    const auto parts = [&](double side_m) {
        return std::max(1.0, std::ceil(side_m / part_m * (1.0 - kRounding)));
    };
    const double n_along = parts(patch.length_m), n_down = parts(patch.width_m);
    if (n_along * n_down > kMostParts) {
        throw Error(ErrorCode::InvalidArgument,
                    "must have at most 100000 parts of a voxel's size, got " +
                        std::to_string(static_cast<long long>(n_along * n_down)));
    }
    const slip_model::PlaneAxes axes =
        slip_model::plane_axes(patch.strike_deg * kDegree + north_rad, patch.dip_deg * kDegree);
    const double rake = patch.rake_deg * kDegree;
    const Vec3 slip = std::cos(rake) * axes.along_strike - std::sin(rake) * axes.down_dip;
    const std::array<double, 6> potency = slip_model::double_couple(
        patch.slip_m * patch.length_m * patch.width_m / (n_along * n_down), slip, axes.normal);
    std::vector<voxelwave::PointMoment> made;
    for (int j = 0; j < n_down; ++j) {
        for (int i = 0; i < n_along; ++i) {
            const Vec3 from_centre =
                patch.length_m * ((i + 0.5) / n_along - 0.5) * axes.along_strike +
                patch.width_m * ((j + 0.5) / n_down - 0.5) * axes.down_dip;
            made.push_back({{centre_m[0] + from_centre.x, centre_m[1] + from_centre.y,
                             centre_m[2] + from_centre.z},
                            potency});
        }
    }
    return made;
}

}  // namespace kaname::jobs
