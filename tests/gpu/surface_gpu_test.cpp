// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "solvers/aderdg/wave_solver.hpp"
#include "solvers/comm/comm.hpp"
#include "tests/gpu/gpu_test.hpp"
#include "tests/support/wave_cubes.hpp"

namespace kaname::aderdg::surface_gpu_test {
namespace {

struct Case {
    int order = 4;
    Precision precision = Precision::Double;
    int lanes = 1;
    int mechanisms = 0;
};

/// A liquid over a solid, thin cubes at the surface, which gravity pulls back within few steps.
WaveModel model_of(const Case& c) {
    WaveModel model = box_of_cubes({4, 4, 4}, {0, 0, -1}, {2, 1, 0}, solid_of(1.0, 2.0, 0.0));
    make_periodic(model, {false, true, false});
    model.surfaces[static_cast<int>(mesh::Side::Top)] = Boundary::Gravity;
    model.gravity_m_s2 = 20.0;
    model.solids.push_back(solid_of(1.5, 3.0, 1.4));
    for (Solid& solid : model.solids) {
        for (int l = 0; l < c.mechanisms; ++l) {
            solid.mechanisms.push_back({2.0 * (l + 1), 0.1 * solid.lambda_pa, 0.1 * solid.mu_pa});
        }
    }
    for (std::size_t e = 0; e < model.mesh.tets.size(); ++e) {
        double z = 0.0;
        for (const std::int32_t v : model.mesh.tets[e]) {
            z += model.mesh.xyz[v].z;
        }
        model.mesh.material[e] = z < -2.0 ? 1 : 0;
    }
    for (Vec3& v : model.mesh.xyz) {
        v.z *= 0.2 - 0.8 * v.z;
        v.x = 0.3 * v.x + 0.35 * v.x * v.x;  // of clusters along the surface
    }
    return model;
}

struct Found {
    std::vector<double> unknowns;
    std::vector<float> heights;
    double potential_j = 0.0;
    std::vector<std::byte> state;
    std::size_t clusters = 0;
};

std::unique_ptr<WaveSolver> solver_of(const WaveModel& model, const Case& c, comm::Comm& comm,
                                      const device::Queue& queue) {
    WaveParams params;
    params.order = c.order;
    params.precision = c.precision;
    params.lanes = c.lanes;
    params.end_s = params.interval_s = 1e3;  // steps as long as they may be
    params.end_s = params.interval_s = 4.9 * find_clusters(model, params).macro_step_s();
    return make_wave_solver(model, params, {}, comm, queue);
}

void start(WaveSolver& solver) {
    solver.start_from([](const Vec3& x) {
        std::array<double, 9> q{};
        q[0] = q[1] = q[2] = std::cos(2.0 * x.x) * x.z;
        q[8] = std::sin(3.0 * x.x) + std::cos(2.0 * M_PI * x.y);
        return q;
    });
}

Found found_by(WaveSolver& solver, const WaveModel& model, int lanes) {
    Found found;
    found.clusters = solver.clusters().elements.size();
    for (int lane = 0; lane < lanes; ++lane) {
        solver.visit(lane, 2, [&](const Vec3&, double, std::span<const double> q) {
            found.unknowns.insert(found.unknowns.end(), q.begin(), q.end());
        });
    }
    std::vector<PointInTet> points;
    for (const double x : {0.1, 0.5, 1.9}) {
        points.push_back(tet_at(model, {x, 0.31, 0.0}));
    }
    found.heights = solver.surface_height(points);
    found.potential_j = solver.energy().potential_j;
    found.state = solver.state();
    return found;
}

class SurfaceGpu : public GpuTest {
protected:
    static void expect_same(const Found& found, const Found& wanted, double rounding) {
        EXPECT_GE(found.clusters, 3U);
        EXPECT_GT(wanted.potential_j, 0.0);
        EXPECT_NEAR(found.potential_j, wanted.potential_j, rounding * wanted.potential_j);
        EXPECT_LT(apart(found.unknowns, wanted.unknowns), rounding);
        EXPECT_LT(apart(found.heights, wanted.heights), std::max(rounding, 1e-6));  // in FP32
        EXPECT_EQ(found.state.size(), wanted.state.size());
    }
};

TEST_F(SurfaceGpu, RisesAsOnTheCpu) {
    for (const Case& c :
         {Case{}, Case{.order = 2}, Case{.order = 7}, Case{.precision = Precision::Single},
          Case{.lanes = 2}, Case{.lanes = 4, .mechanisms = 2}, Case{.order = 5, .mechanisms = 1}}) {
        SCOPED_TRACE(testing::Message() << "order " << c.order << ", lanes " << c.lanes);
        const WaveModel model = model_of(c);
        std::array<Found, 2> found;
        for (const bool on_gpu : {false, true}) {
            comm::SerialComm comm;
            const auto solver = solver_of(model, c, comm, on_gpu ? gpu : cpu);
            start(*solver);
            solver->advance(100);
            found[on_gpu ? 1 : 0] = found_by(*solver, model, c.lanes);
        }
        expect_same(found[1], found[0], c.precision == Precision::Single ? 1e-5 : 1e-12);
    }
}

TEST_F(SurfaceGpu, GoesOnFromAStateOfTheCpuAndBack) {
    const Case c{.order = 3};
    const WaveModel model = model_of(c);
    comm::SerialComm comm;
    const auto whole = solver_of(model, c, comm, cpu);
    start(*whole);
    whole->advance(100);
    std::vector<std::byte> state;
    std::unique_ptr<WaveSolver> solver;
    for (const device::Queue& queue : {gpu, cpu, gpu}) {
        solver = solver_of(model, c, comm, queue);
        if (state.empty()) {
            start(*solver);
        } else {
            solver->resume(state);
        }
        solver->advance(1);
        state = solver->state();
    }
    solver->advance(100);
    expect_same(found_by(*solver, model, 1), found_by(*whole, model, 1), 1e-12);
}

}  // namespace
}  // namespace kaname::aderdg::surface_gpu_test
