// SPDX-License-Identifier: BSD-3-Clause
// LOH.1, a layer over a half-space with a double couple 2 km deep, against the peaks that another
// code's fine grid gives at 10 km.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/aderdg/wave_solver.hpp"
#include "solvers/comm/comm.hpp"
#include "tests/support/loh1_box.hpp"
#include "tests/support/wave_cubes.hpp"

namespace kaname::aderdg::loh1_test {
namespace {

/// The middle between the source and the station is that of the box.
const Vec3 kSource = {-3000.0, -4000.0, -2000.0}, kStation = {3000.0, 4000.0, 0.0};
constexpr double kSize_m = 16e3, kDepth_m = 8e3, kEnd_s = 6.0, kInterval_s = 0.002;
constexpr double kNear_s = 0.2;  // how far from its time a peak is looked for
constexpr double kMoment_nm = 1e18, kSigma_s = 0.06, kCentre_s = 0.36;

/// A peak of one component, radial, transverse or down: SW4 on a grid of 50 m (its example
/// LOH.1-h50 and the results that go with it).
struct Peak {
    int component;
    double velocity_m_per_s, at_s;
};
constexpr std::array<Peak, 6> kSw4 = {{{0, 1.501, 4.001},
                                       {0, -1.244, 3.665},
                                       {1, 1.151, 5.385},
                                       {1, -1.441, 3.623},
                                       {2, 1.335, 4.714},
                                       {2, -1.213, 3.733}}};

/// Velocity at the station [samples][radial, transverse, down].
std::vector<std::array<double, 3>> seismogram(double frequency_hz, int order) {
    jobs::SeismicMeshRequest request = test::loh1_box(kSize_m, kDepth_m, frequency_hz);
    request.order = order;
    const jobs::SeismicMesh made = jobs::SeismicMeshPlan(request).build();
    WaveParams params;
    params.order = order;
    params.end_s = kEnd_s;
    params.interval_s = kInterval_s;
    PointSource source;
    source.at = tet_at(made.model, kSource);
    source.moment_nm = {0, 0, 0, 0, 0, kMoment_nm};
    source.rate = [](double t) {
        const double a = (t - kCentre_s) / kSigma_s;
        return std::exp(-0.5 * a * a) / (kSigma_s * std::sqrt(2.0 * M_PI));
    };
    source.until_s = 2.0 * kCentre_s;
    comm::SerialComm comm;
    const auto solver =
        make_wave_solver(made.model, params, {{source}, {tet_at(made.model, kStation)}, {}}, comm);
    std::cout << frequency_hz << " Hz: " << made.model.mesh.tets.size() << " tets, "
              << solver->clusters().updates() * solver->macro_steps() / 1e6 << " million updates, "
              << solver->clusters().elements.size() << " clusters" << std::endl;
    solver->advance(solver->macro_steps());
    const std::vector<float> record = solver->take_record();
    const Vec3 apart = kStation - kSource;
    const double r = std::hypot(apart.x, apart.y), cosine = apart.x / r, sine = apart.y / r;
    std::vector<std::array<double, 3>> all;
    for (std::size_t k = 0; k + 3 <= record.size(); k += 3) {
        all.push_back({cosine * record[k] + sine * record[k + 1],
                       -sine * record[k] + cosine * record[k + 1], -record[k + 2]});
    }
    return all;
}

TEST(Loh1, PeaksAreThoseOfAFineGrid) {
    // The pulse has half of its spectrum at 3 Hz, twice what this mesh is made for: peaks are up to
    // a fifth too small, and of the radial component's troughs the next one is the deepest.
    for (const double frequency_hz : {1.5}) {
        const auto record = seismogram(frequency_hz, 5);
        for (const Peak& peak : kSw4) {
            const double sign = peak.velocity_m_per_s > 0 ? 1.0 : -1.0;
            const auto near = std::span(record).subspan(
                static_cast<std::size_t>((peak.at_s - kNear_s) / kInterval_s),
                static_cast<std::size_t>(2.0 * kNear_s / kInterval_s));
            const auto at = std::ranges::max_element(
                near, {}, [&](const auto& v) { return sign * v[peak.component]; });
            const double time_s = kInterval_s * static_cast<double>(&*at - record.data());
            const double velocity = (*at)[peak.component];
            const std::string name =
                std::to_string(peak.component) + (sign > 0 ? " largest" : " least");
            std::cout << frequency_hz << " Hz, component " << name << ": " << velocity << " m/s at "
                      << time_s << " s; SW4 " << peak.velocity_m_per_s << " at " << peak.at_s
                      << std::endl;
            EXPECT_NEAR(velocity / peak.velocity_m_per_s, 1.0, 0.25) << name;
            EXPECT_NEAR(time_s, peak.at_s, peak.component == 0 && sign < 0.0 ? kNear_s : 0.05)
                << name;
        }
    }
}

}  // namespace
}  // namespace kaname::aderdg::loh1_test
