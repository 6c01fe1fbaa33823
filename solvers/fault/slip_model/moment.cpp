// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/slip_model/moment.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "solvers/base/error.hpp"

namespace kaname::slip_model {
namespace {

/// Midpoints down a patch at which mu is taken: a layer boundary is found to 1/32 of the width.
constexpr int kPointsDown = 16;

double mean_mu(const PlacedPatch& patch, const std::function<double(const Vec3& x)>& mu_pa) {
    const Vec3 down = patch.width_m * patch.down_dip();
    double sum = 0.0;
    for (int i = 0; i < kPointsDown; ++i) {
        const double t = (i + 0.5) / kPointsDown - 0.5;
        const double mu = mu_pa(patch.centre + t * down);
        if (!(mu >= 0.0) || !std::isfinite(mu)) {
            throw Error(ErrorCode::InvalidArgument, "patch " + patch.id + ": shear modulus " +
                                                        std::to_string(mu) +
                                                        " Pa, must be finite and >= 0");
        }
        sum += mu;
    }
    return sum / kPointsDown;
}

double shear_slip(const PlacedPatch& patch) {
    const Vec3 normal = patch.normal();
    return norm(patch.slip_m - dot(patch.slip_m, normal) * normal);
}

void add(MomentSum& sum, double area_m2, double slip_m, double mu_pa) {
    sum.area_m2 += area_m2;
    sum.potency_m3 += area_m2 * slip_m;
    sum.moment_nm += mu_pa * area_m2 * slip_m;
    sum.max_slip_m = std::max(sum.max_slip_m, slip_m);
}

}  // namespace

double moment_magnitude(double moment_nm) {
    return (std::log10(moment_nm) - 9.1) / 1.5;
}

double moment_of_magnitude(double magnitude) {
    return std::pow(10.0, 1.5 * magnitude + 9.1);
}

double MomentSum::mw() const {
    return moment_magnitude(moment_nm);
}

double patch_moment(const PlacedPatch& patch, const std::function<double(const Vec3& x)>& mu_pa) {
    return mean_mu(patch, mu_pa) * patch.area_m2() * shear_slip(patch);
}

MomentSum seismic_moment(const PlacedModel& model,
                         const std::function<double(const Vec3& x)>& mu_pa) {
    MomentSum sum;
    for (const PlacedPatch& patch : model.patches) {
        add(sum, patch.area_m2(), shear_slip(patch), mean_mu(patch, mu_pa));
    }
    return sum;
}

}  // namespace kaname::slip_model
