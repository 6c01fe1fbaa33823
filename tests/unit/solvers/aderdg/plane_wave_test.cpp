// SPDX-License-Identifier: BSD-3-Clause
// The plane waves of dorozhinskii2024, section 6.6: a periodic cube, P and S waves along its
// diagonal; errors must fall with the order.
#include <cmath>

#include <gtest/gtest.h>

#include "solvers/aderdg/wave_solver.hpp"
#include "solvers/comm/comm.hpp"
#include "tests/support/wave_cubes.hpp"

namespace kaname::aderdg::plane_wave_test {
namespace {

/// A P wave one way and an S wave the other along the diagonal of a cube of side 2, whose sides are
/// then periodic: k = (pi, pi, pi).
std::array<double, 9> plane_waves(const Solid& s, const Vec3& x, double t) {
    const double root = std::sqrt(3.0);
    const Vec3 d = {1 / root, 1 / root, 1 / root};
    const Vec3 across = {1 / std::sqrt(2.0), -1 / std::sqrt(2.0), 0};
    const double k = M_PI * root, vp = s.vp_m_per_s(), vs = s.vs_m_per_s();
    const double p = std::sin(k * (dot(d, x) - vp * t)), q = std::cos(k * (dot(d, x) + vs * t));
    std::array<double, 9> u{};
    const std::array<std::array<int, 2>, 6> pairs = {
        {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}}};
    for (int c = 0; c < 6; ++c) {
        const auto [i, j] = pairs[c];
        // v = d f(d.x - c t) has the strain -sym(d d) f/c.
        u[c] = -((i == j ? s.lambda_pa : 0.0) + 2 * s.mu_pa * d[i] * d[j]) * p / vp +
               s.mu_pa * (d[i] * across[j] + d[j] * across[i]) * q / vs;
    }
    for (int c = 0; c < 3; ++c) {
        u[6 + c] = d[c] * p + across[c] * q;
    }
    return u;
}

WaveModel periodic_cube(int cubes) {
    WaveModel model =
        box_of_cubes({cubes, cubes, cubes}, {-1, -1, -1}, {1, 1, 1}, solid_of(1.0, 2.0, 1.0));
    make_periodic(model);
    return model;
}

struct Outcome {
    double error = 0.0;  ///< L2 of the velocity along x
    Clusters clusters;
};

Outcome solve(const WaveModel& model, const WaveParams& params) {
    comm::SerialComm comm;
    const auto solver = make_wave_solver(model, params, {}, comm);
    const Solid& solid = model.solids[0];
    solver->start_from([&](const Vec3& x) { return plane_waves(solid, x, 0.0); });
    solver->advance(solver->macro_steps());
    double sum = 0.0;
    solver->visit(params.lanes - 1, params.order + 2,
                  [&](const Vec3& x, double weight, std::span<const double> q) {
                      const double e = q[6] - plane_waves(solid, x, solver->time_s())[6];
                      sum += weight * e * e;
                  });
    return {std::sqrt(sum), solver->clusters()};
}

WaveParams params_of(int order) {
    WaveParams params;
    params.order = order;
    params.precision = Precision::Double;
    params.end_s = 0.5;
    params.interval_s = 0.5;
    params.local_time_steps = false;
    return params;
}

class PlaneWave : public testing::TestWithParam<int> {};

TEST_P(PlaneWave, TheErrorFallsWithTheOrder) {
    const int order = GetParam();
    const int coarse = order == 2 ? 8 : order == 3 || order == 7 ? 6 : 4;
    const int fine = order == 2 ? 12 : order == 3 || order == 7 ? 8 : 6;
    const double coarse_error = solve(periodic_cube(coarse), params_of(order)).error;
    const double fine_error = solve(periodic_cube(fine), params_of(order)).error;
    const double seen = std::log(coarse_error / fine_error) / std::log(double(fine) / coarse);
    EXPECT_GT(seen, order - 0.35) << coarse_error << " " << fine_error;
    EXPECT_LT(seen, order + 0.7);
}

TEST_P(PlaneWave, SinglePrecisionComesAsNearAsItsDigits) {
    const int order = GetParam();
    WaveParams params = params_of(order);
    const double error = solve(periodic_cube(4), params).error;
    params.precision = Precision::Single;
    EXPECT_NEAR(solve(periodic_cube(4), params).error, error, 2e-5);
}

INSTANTIATE_TEST_SUITE_P(Orders, PlaneWave, testing::Range(kLeastOrder, kMostOrder + 1));

/// The cube with elements that are thin near x = 0: several clusters.
WaveModel graded_cube(int cubes) {
    WaveModel model = periodic_cube(cubes);
    for (Vec3& v : model.mesh.xyz) {
        v.x = v.x * (0.15 + 0.85 * v.x * v.x);
    }
    return model;
}

TEST(LocalTimeSteps, GiveTheErrorOfGlobalOnes) {
    for (const int order : {3, 5}) {
        WaveParams params = params_of(order);
        const Outcome global = solve(graded_cube(8), params);
        params.local_time_steps = true;
        const Outcome local = solve(graded_cube(8), params);
        ASSERT_GE(local.clusters.elements.size(), 3u);
        EXPECT_LT(local.error, 1.2 * global.error) << order;
    }
}

TEST(LocalTimeSteps, ErrorsFallWithTheOrder) {
    WaveParams params = params_of(4);
    params.local_time_steps = true;
    const double coarse = solve(graded_cube(6), params).error;
    const double fine = solve(graded_cube(8), params).error;
    EXPECT_GT(std::log(coarse / fine) / std::log(8.0 / 6.0), 3.6);
}

}  // namespace
}  // namespace kaname::aderdg::plane_wave_test
