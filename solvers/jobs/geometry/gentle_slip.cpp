// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/geometry/gentle_slip.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "solvers/base/units.hpp"
#include "solvers/viscoelastic/model/relaxation.hpp"

namespace kaname::jobs {
namespace {

constexpr double kChangeWorthTelling = 0.02;
constexpr double kLateEnough = 0.5;   // Maxwell times
constexpr double kBesideSlip = 0.25;  // distance at which rock is looked up, in elements
constexpr double kSlowGrowth = 0.15;  // what gentle dips have by default
constexpr double kFlattest_deg = 1.0;

}  // namespace

double gentle_slip_error(double dip_deg, double growth) {
    constexpr double kError = 0.032, kDip_deg = 10.0, kGrowth = 0.3, kPower = 1.2;
    const double dip = std::max(dip_deg, kFlattest_deg);
    return std::min(1.0, kError * std::pow(kDip_deg / dip, kPower) * growth / kGrowth);
}

std::vector<std::string> gentle_slip(const GreensJob& job, const Domain& domain,
                                     const SourceSet& slip) {
    const auto tau_s = viscoelastic::shortest_relaxation_time_s(job.structure);
    if (!job.volume_model || !tau_s || job.time.end_s < kLateEnough * *tau_s) {
        return {};
    }
    double gentlest_deg = 90.0;
    (void)slip.any_place([&](const Vec3& x, const Vec3& normal) {
        const double dip_deg = std::acos(std::min(1.0, std::abs(normal.z))) / kDegree;
        const Vec3 away = kBesideSlip * job.mesh.size_at_fault_m * normal;
        if (dip_deg < gentlest_deg && (domain.volumes().material(x + away).viscosity_pa_s ||
                                       domain.volumes().material(x - away).viscosity_pa_s)) {
            gentlest_deg = dip_deg;
        }
        return false;
    });
    const double error = gentle_slip_error(gentlest_deg, job.mesh.growth);
    if (error <= kChangeWorthTelling) {
        return {};
    }
    char text[400];
    std::snprintf(text, sizeof text,
                  "mesh: slip that dips by %.3g degrees in rock that relaxes moves the ground "
                  "little after the slip; that change may be off by about %.1f %% of itself "
                  "(predicted; the motion right after the slip is not concerned)",
                  gentlest_deg, 100.0 * error);
    std::string warning = text;
    if (job.mesh.growth > kSlowGrowth) {
        std::snprintf(text, sizeof text,
                      "; mesh.growth of %g in place of %g makes it about %.1f %%, and takes about "
                      "three times as long",
                      kSlowGrowth, job.mesh.growth,
                      100.0 * gentle_slip_error(gentlest_deg, kSlowGrowth));
        warning += text;
    }
    return {warning};
}

}  // namespace kaname::jobs
