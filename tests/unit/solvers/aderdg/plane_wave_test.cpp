// SPDX-License-Identifier: BSD-3-Clause
// The plane waves of dorozhinskii2024, section 6.6: a periodic cube, P and S waves along its
// diagonal; errors must fall with the order.
#include <cmath>

#include <gtest/gtest.h>

#include "solvers/aderdg/wave_solver.hpp"
#include "solvers/comm/serial/serial_comm.hpp"
#include "tests/support/wave_cubes.hpp"

namespace kaname::aderdg {
namespace {

/// A P wave one way and an S wave the other along the diagonal of a cube of side 2, whose sides are
/// then periodic: k = (pi, pi, pi).
std::array<double, 9> plane_waves(const Solid& s, const Vec3& x, double t) {
    const double root = std::sqrt(3.0);
    const Vec3 d = {1 / root, 1 / root, 1 / root},
               across = {1 / std::sqrt(2.0), -1 / std::sqrt(2.0), 0};
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

/// L2 error of the velocity along x after half a second.
double error_with(int order, int cubes, Precision precision, int lanes = 1) {
    WaveModel model =
        box_of_cubes({cubes, cubes, cubes}, {-1, -1, -1}, {1, 1, 1}, solid_of(1.0, 2.0, 1.0));
    make_periodic(model);
    WaveParams params;
    params.order = order;
    params.precision = precision;
    params.lanes = lanes;
    params.end_s = 0.5;
    params.interval_s = 0.5;
    params.local_time_steps = false;
    comm::SerialComm comm;
    const auto solver = make_wave_solver(model, params, {}, comm);
    const Solid& solid = model.solids[0];
    solver->start_from([&](const Vec3& x) { return plane_waves(solid, x, 0.0); });
    solver->advance(solver->macro_steps());
    double sum = 0.0;
    solver->visit(lanes - 1, order + 2,
                  [&](const Vec3& x, double weight, std::span<const double> q) {
                      const double e = q[6] - plane_waves(solid, x, solver->time_s())[6];
                      sum += weight * e * e;
                  });
    return std::sqrt(sum);
}

TEST(PlaneWave, ErrorsFallWithTheOrder) {
    for (int order = 2; order <= 7; ++order) {
        const int coarse = 4, fine = order <= 4 ? 8 : 6;
        const double coarse_error = error_with(order, coarse, Precision::Double);
        const double fine_error = error_with(order, fine, Precision::Double);
        std::printf("order %d: %.3e %.3e, %.2f\n", order, coarse_error, fine_error,
                    std::log(coarse_error / fine_error) / std::log(double(fine) / coarse));
    }
}

}  // namespace
}  // namespace kaname::aderdg
