// SPDX-License-Identifier: BSD-3-Clause
// Energy in a free body: the Riemann solutions at the faces may only take from it.
#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "solvers/aderdg/wave_solver.hpp"
#include "solvers/comm/comm.hpp"
#include "tests/support/wave_cubes.hpp"

namespace kaname::aderdg::energy_test {
namespace {

double graded(double x) {
    return x * (0.3 + 0.7 * x);
}

/// Three cubes along each side, thinner towards x = 0: tets of two solids, the last third a liquid.
WaveModel mixed_body() {
    WaveModel model = box_of_cubes({3, 3, 3}, {0, 0, 0}, {1, 1, 1}, solid_of(1.0, 2.0, 1.0));
    model.solids.push_back(solid_of(2.0, 3.0, 1.7));
    model.solids.push_back(solid_of(0.5, 1.5, 0.0));
    for (std::size_t e = 0; e < model.mesh.tets.size(); ++e) {
        Vec3 sum;
        for (const std::int32_t v : model.mesh.tets[e]) {
            sum += model.mesh.xyz[v];
        }
        model.mesh.material[e] = sum.x > 4 * 2.0 / 3.0 ? 2 : static_cast<std::int32_t>(e % 2);
    }
    for (Vec3& v : model.mesh.xyz) {
        v.x = graded(v.x);
    }
    return model;
}

WaveParams params_of(int order, double end_s) {
    WaveParams params;
    params.order = order;
    params.precision = Precision::Double;
    params.end_s = end_s;
    params.interval_s = end_s;
    return params;
}

class Energy : public testing::TestWithParam<int> {};

TEST_P(Energy, NeverGrowsFromARandomStart) {
    const WaveModel model = mixed_body();
    for (const bool local : {false, true}) {
        WaveParams params = params_of(GetParam(), 0.8);
        params.local_time_steps = local;
        comm::SerialComm comm;
        const auto solver = make_wave_solver(model, params, {}, comm);
        EXPECT_EQ(solver->clusters().elements.size() > 1, local);
        std::mt19937 draw(11);
        std::uniform_real_distribution<double> number(-1.0, 1.0);
        solver->start_from([&](const Vec3& x) {
            std::array<double, 9> q{};
            for (double& v : q) {
                v = number(draw);
            }
            if (x.x > graded(2.0 / 3.0)) {  // a liquid has only pressure
                q[1] = q[2] = q[0];
                q[3] = q[4] = q[5] = 0.0;
            }
            return q;
        });
        double energy_j = solver->energy_j(0);
        const double first_j = energy_j;
        ASSERT_GT(first_j, 0.0);
        const std::int64_t each = std::max<std::int64_t>(1, solver->macro_steps() / 40);
        while (solver->macro_steps_done() < solver->macro_steps()) {
            solver->advance(each);
            const double now_j = solver->energy_j(0);
            ASSERT_LE(now_j, energy_j * (1.0 + 1e-12)) << "step " << solver->macro_steps_done();
            energy_j = now_j;
        }
        EXPECT_LT(energy_j, 0.6 * first_j);
    }
}

INSTANTIATE_TEST_SUITE_P(Orders, Energy, testing::Range(kLeastOrder, kMostOrder + 1));

TEST(EnergyOfASmoothWave, IsKeptBetterByHigherOrders) {
    WaveModel model = box_of_cubes({4, 4, 4}, {0, 0, 0}, {1, 1, 1}, solid_of(1.0, 2.0, 1.0));
    make_periodic(model);
    // Over one period of a wave four cubes long. Taylor's polynomials of degrees 5 and 6 amplify
    // well resolved waves a little, as those of 3 and 4 damp them.
    double last = 1.0;
    for (const int order : {3, 4, 5, 6, 7}) {
        comm::SerialComm comm;
        const auto solver = make_wave_solver(model, params_of(order, 1.0), {}, comm);
        solver->start_from([](const Vec3& x) {
            std::array<double, 9> q{};
            q[6] = std::cos(2.0 * M_PI * x.y);
            q[8] = std::cos(2.0 * M_PI * x.z);
            return q;
        });
        const double first_j = solver->energy_j(0);
        solver->advance(solver->macro_steps());
        const double changed = std::abs(solver->energy_j(0) / first_j - 1.0);
        EXPECT_LT(changed, 0.1 * last) << order;
        RecordProperty("changed_by_order_" + std::to_string(order), std::to_string(changed));
        last = changed;
    }
    EXPECT_LT(last, 1e-7);
}

TEST(ElementEnergy, IsKineticAndElasticEnergyOfAUniformState) {
    const WaveModel model = box_of_cubes({3, 3, 3}, {0, 0, 0}, {2, 2, 2}, solid_of(3.0, 2.0, 1.0));
    const Solid& s = model.solids[0];
    comm::SerialComm comm;
    WaveParams params = params_of(4, 1.0);
    const auto solver = make_wave_solver(model, params, {}, comm);
    // Strain e: stress lambda tr e + 2 mu e, energy density (lambda (tr e)^2 + 2 mu e : e)/2.
    const std::array<double, 6> e = {0.3, -0.2, 0.5, 0.1, -0.4, 0.2};
    const double trace = e[0] + e[1] + e[2];
    solver->start_from([&](const Vec3&) {
        std::array<double, 9> q{};
        for (int c = 0; c < 6; ++c) {
            q[c] = (c < 3 ? s.lambda_pa * trace : 0.0) + 2 * s.mu_pa * e[c];
        }
        q[6] = 0.7;
        return q;
    });
    const double squares =
        e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + 2 * (e[3] * e[3] + e[4] * e[4] + e[5] * e[5]);
    const double density_j = 0.5 * (s.lambda_pa * trace * trace + 2 * s.mu_pa * squares) +
                             0.5 * s.density_kg_m3 * 0.7 * 0.7;
    EXPECT_NEAR(solver->energy_j(0), 8.0 * density_j, 1e-10);
}

}  // namespace
}  // namespace kaname::aderdg::energy_test
