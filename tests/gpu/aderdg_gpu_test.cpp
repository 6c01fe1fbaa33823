// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "solvers/aderdg/wave_solver.hpp"
#include "solvers/base/error.hpp"
#include "solvers/comm/comm.hpp"
#include "tests/gpu/gpu_test.hpp"
#include "tests/support/thread_comm/thread_comm.hpp"
#include "tests/support/wave_cubes.hpp"

namespace kaname::aderdg::aderdg_gpu_test {
namespace {

/// Two solids, cubes that grow along x (so that steps differ), and the sides' three kinds:
/// absorbing along x, periodic along y, free and absorbing along z.
WaveModel graded_box(int mechanisms) {
    WaveModel model = box_of_cubes({5, 4, 2}, {0, 0, 0}, {1, 1, 1}, solid_of(1.0, 2.0, 1.0));
    make_periodic(model, {false, true, false});
    for (const auto side : {mesh::Side::West, mesh::Side::East, mesh::Side::Bottom}) {
        model.surfaces[static_cast<int>(side)] = Boundary::Absorbing;
    }
    model.solids.push_back(solid_of(1.5, 3.0, 1.4));
    for (Solid& solid : model.solids) {
        for (int l = 0; l < mechanisms; ++l) {
            solid.mechanisms.push_back(
                {2.0 * (l + 1), 0.05 * solid.lambda_pa, 0.1 * solid.mu_pa / (l + 1)});
        }
    }
    for (std::size_t e = 0; e < model.mesh.tets.size(); ++e) {
        double x = 0.0;
        for (const std::int32_t v : model.mesh.tets[e]) {
            x += model.mesh.xyz[v].x;
        }
        model.mesh.material[e] = x > 2.5 ? 1 : 0;
    }
    for (Vec3& x : model.mesh.xyz) {
        x.x = 0.02 * x.x + x.x * x.x * x.x;
    }
    return model;
}

struct Case {
    int order = 4;
    Precision precision = Precision::Double;
    int lanes = 2;
    int mechanisms = 0;
    bool local_time_steps = true;
    bool sources = true;
    Motion motion = Motion::Velocity;
    bool separate_clusters = false;
};

PointInTet centre_of(const WaveModel& model, std::int64_t tet) {
    PointInTet p{tet, {}};
    const std::array<double, 4> lambda = {0.2, 0.35, 0.15, 0.3};
    for (int v = 0; v < 4; ++v) {
        p.at_m += lambda[v] * model.mesh.xyz[model.mesh.tets[tet][v]];
    }
    return p;
}

/// Sources in several clusters, two in one tet, one that ends; receivers and peaks next to and with
/// them, and far away.
WavePoints points_of(const WaveModel& model, const Case& c) {
    WavePoints points;
    const auto n = std::ssize(model.mesh.tets);
    for (int k = 0; k < 2 * c.lanes && c.sources; ++k) {
        PointSource& s = points.sources.emplace_back();
        s.lane = k % c.lanes;
        s.at = centre_of(model, k < c.lanes ? n / 4 : n - 3 - k);
        s.force_n = {1.0 + k, -0.5, 0.25 * k};
        s.moment_nm = {0.1, 0.2 * k, -0.3, 0.05, 0.0, 0.15};
        s.rate = [k](double t) { return std::sin(300.0 * t + k) + 0.5; };
        s.until_s = k % 2 == 0 ? 1e9 : 0.003;
    }
    for (const std::int64_t tet : {std::int64_t{1}, n / 4, n / 2, n - 2}) {
        points.receivers.push_back(centre_of(model, tet));
        points.peaks.push_back(centre_of(model, tet));
    }
    return points;
}

WaveParams params_of(const WaveModel& model, const Case& c) {
    WaveParams params;
    params.order = c.order;
    params.precision = c.precision;
    params.lanes = c.lanes;
    params.local_time_steps = c.local_time_steps;
    params.motion = c.motion;
    params.separate_clusters = c.separate_clusters;
    params.end_s = params.interval_s = 1e3;  // steps as long as they may be
    params.end_s = (c.local_time_steps ? 3.9 : 5.9) * find_clusters(model, params).macro_step_s();
    params.interval_s = params.end_s / 11.0;
    return params;
}

std::array<double, 9> first_unknowns(const Vec3& x) {
    std::array<double, 9> q{};
    for (int c = 0; c < 9; ++c) {
        q[c] = std::sin(0.4 * (c + 1) * x.x + 2 * M_PI * x.y + c) + 0.3 * x.z * x.z;
    }
    return q;
}

struct Found {
    std::vector<double> unknowns;
    std::vector<float> record, peaks;
    std::vector<std::byte> state;
    std::size_t clusters = 0;
};

Found found_by(WaveSolver& solver, const WaveParams& params) {
    Found found;
    found.clusters = solver.clusters().elements.size();
    for (int lane = 0; lane < params.lanes; ++lane) {
        solver.visit(lane, 2, [&](const Vec3&, double, std::span<const double> q) {
            found.unknowns.insert(found.unknowns.end(), q.begin(), q.end());
        });
    }
    found.record = solver.take_record();
    found.peaks = solver.peak_velocity();
    found.state = solver.state();
    return found;
}

class AderdgGpu : public GpuTest {
protected:
    static Found run(const WaveModel& model, const Case& c, const device::Queue& queue,
                     std::vector<int> advances = {1, 5}) {
        const WaveParams params = params_of(model, c);
        comm::SerialComm comm;
        const auto solver = make_wave_solver(model, params, points_of(model, c), comm, queue);
        solver->start_from(first_unknowns);
        for (const int steps : advances) {
            solver->advance(steps);
        }
        return found_by(*solver, params);
    }
    void expect_as_on_cpu(const Case& c) {
        SCOPED_TRACE(testing::Message() << "order " << c.order << ", lanes " << c.lanes
                                        << ", mechanisms " << c.mechanisms);
        const WaveModel model = graded_box(c.mechanisms);
        const Found wanted = run(model, c, cpu), found = run(model, c, gpu);
        const bool single = c.precision == Precision::Single;
        // Coefficients of degree 6 lose digits to the basis' condition (docs/theory/aderdg.md).
        const double single_rounding = c.order == kMostOrder ? 1e-4 : 1e-5;
        EXPECT_LT(apart(found.unknowns, wanted.unknowns), single ? single_rounding : 1e-12);
        EXPECT_LT(apart(found.record, wanted.record), single ? single_rounding : 1e-6);  // in FP32
        EXPECT_LT(apart(found.peaks, wanted.peaks), single ? single_rounding : 1e-6);
        EXPECT_EQ(found.state.size(), wanted.state.size());
        EXPECT_EQ(found.record.size(), std::size_t(12 * c.lanes * 4 * 3));
        EXPECT_EQ(found.clusters, wanted.clusters);
        if (c.local_time_steps) {
            EXPECT_GE(found.clusters, 3U);
        }
    }
};

TEST_F(AderdgGpu, AllOrders) {
    for (int order = kLeastOrder; order <= kMostOrder; ++order) {
        for (const Precision precision : {Precision::Double, Precision::Single}) {
            expect_as_on_cpu({.order = order, .precision = precision});
        }
    }
    expect_as_on_cpu({.order = 5, .sources = false});  // their absence is the same to all orders
}

TEST_F(AderdgGpu, AllLanes) {
    for (const int lanes : {1, 3, 4}) {
        for (const Precision precision : {Precision::Double, Precision::Single}) {
            expect_as_on_cpu({.precision = precision, .lanes = lanes});
        }
    }
}

TEST_F(AderdgGpu, OneStepForAllAndDisplacements) {
    expect_as_on_cpu({.order = 5, .local_time_steps = false});
    expect_as_on_cpu({.order = 3, .motion = Motion::Displacement});
}

TEST_F(AderdgGpu, Attenuation) {
    for (const Precision precision : {Precision::Double, Precision::Single}) {
        for (const int order : {2, 5}) {
            expect_as_on_cpu({.order = order, .precision = precision, .mechanisms = 3});
        }
    }
}

// A state of one is gone on with by the other, in the middle of a window of macro steps.
TEST_F(AderdgGpu, GoesOnFromAStateOfTheCpuAndBack) {
    const Case c{.order = 4, .mechanisms = 1, .motion = Motion::Displacement};
    const WaveModel model = graded_box(c.mechanisms);
    const WaveParams params = params_of(model, c);
    const WavePoints points = points_of(model, c);
    const Found whole = run(model, c, cpu);
    comm::SerialComm comm;
    std::vector<float> record;
    std::vector<std::byte> state;
    std::unique_ptr<WaveSolver> solver;
    for (const device::Queue& queue : {cpu, gpu, cpu, gpu}) {
        solver = make_wave_solver(model, params, points, comm, queue);
        if (state.empty()) {
            solver->start_from(first_unknowns);
        } else {
            solver->resume(state);
        }
        solver->advance(1);
        const std::vector<float> part = solver->take_record();
        record.insert(record.end(), part.begin(), part.end());
        state = solver->state();
    }
    solver->advance(100);
    const Found found = found_by(*solver, params);
    record.insert(record.end(), found.record.begin(), found.record.end());
    EXPECT_LT(apart(found.unknowns, whole.unknowns), 1e-12);
    EXPECT_LT(apart(record, whole.record), 1e-6);
    EXPECT_LT(apart(found.peaks, whole.peaks), 1e-6);
}

TEST_F(AderdgGpu, RepeatsBitForBitHoweverItIsAdvanced) {
    Case c{.order = 3, .precision = Precision::Single, .lanes = 1};
    const WaveModel model = graded_box(0);
    const Found once = run(model, c, gpu, {100});
    for (const bool separate : {false, true}) {
        c.separate_clusters = separate;
        const Found again = run(model, c, gpu, {1, 1, 2, 100});
        EXPECT_EQ(once.unknowns, again.unknowns);
        EXPECT_EQ(once.record, again.record);
        EXPECT_EQ(once.peaks, again.peaks);
    }
}

// Between the beginnings of windows (gpu_points.hpp) the host only launches.
TEST_F(AderdgGpu, MacroStepsWaitOnceAndAllocateNothing) {
    const Case c{.order = 3};
    const WaveModel model = graded_box(0);
    comm::SerialComm comm;
    WaveParams params = params_of(model, c);
    params.end_s *= 4.0;
    const auto solver = make_wave_solver(model, params, points_of(model, c), comm, gpu);
    solver->start_from(first_unknowns);
    solver->advance(3);  // as it is, recorded, replayed
    const std::size_t waits = device::cuda::synchronisation_count();
    const std::size_t allocations = device::allocation_count();
    solver->advance(8);
    EXPECT_EQ(device::cuda::synchronisation_count() - waits, 1U);
    EXPECT_EQ(device::allocation_count(), allocations);
    EXPECT_EQ(solver->macro_steps_done(), 11);
}

// Elements next to sources stand in other blocks there.
TEST_F(AderdgGpu, RanksSeeTheSame) {
    for (const Case& c : {Case{.order = 3}, Case{.order = 3, .mechanisms = 1}}) {
        const WaveModel model = graded_box(c.mechanisms);
        const WaveParams params = params_of(model, c);
        const Found whole = run(model, c, gpu);
        Found found;
        comm::run_as_threads(3, [&](comm::Comm& comm) {
            const auto solver = make_wave_solver(model, params, points_of(model, c), comm,
                                                 device::Queue(device::Backend::Cuda));
            solver->start_from(first_unknowns);
            solver->advance(100);
            const std::vector<float> record = solver->take_record();
            const std::vector<float> peaks = solver->peak_velocity();
            const std::vector<std::byte> state = solver->state();
            if (comm.rank() == 0) {
                found = {{}, record, peaks, state};
            }
        });
        EXPECT_EQ(found.record, whole.record);
        EXPECT_EQ(found.peaks, whole.peaks);
        EXPECT_TRUE(found.state == whole.state);
    }
}

TEST_F(AderdgGpu, RanksAreOnGpusOrNoneIs) {
    const Case c{.order = 3};
    const WaveModel model = graded_box(c.mechanisms);
    const WaveParams params = params_of(model, c);
    comm::run_as_threads(3, [&](comm::Comm& comm) {
        const device::Queue queue(comm.rank() == 1 ? device::Backend::Cpu : device::Backend::Cuda);
        try {
            (void)make_wave_solver(model, params, points_of(model, c), comm, queue);
            ADD_FAILURE() << "of rank " << comm.rank() << " nothing was thrown";
        } catch (const ValidationError& e) {
            EXPECT_NE(std::string(e.what()).find("for none, got 2 of 3"), std::string::npos)
                << e.what();
        }
    });
}

}  // namespace
}  // namespace kaname::aderdg::aderdg_gpu_test
