// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/voxelwave/wave_solver.hpp"

#include <cmath>
#include <map>
#include <numbers>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "tests/support/whole_space.hpp"
#include "tests/unit/solvers/voxelwave/voxel_box.hpp"

namespace kaname::voxelwave::wave_solver_test {
namespace {

using Place = std::array<double, 3>;
using source_time::TimeFunction;

PointSource force_at(const Place& place, const Place& force_n, const TimeFunction& time) {
    PointSource source;
    source.position_m = place;
    source.force_n = force_n;
    source.time = time;
    return source;
}

TEST(WaveSolver, APointForceIsStokes) {
    constexpr int kVoxels = 60;
    constexpr double kDs = 1.0, kDt = 6e-5;
    const TimeFunction s = TimeFunction::ricker(150.0, 0.008);  // 15 voxels per S wave
    const Place source = {25.0, 30.0, 30.0}, receiver = {37.0, 36.0, 26.0};
    const Place apart = {12.0, 6.0, -4.0};
    const test::WholeSpace space{rock().density_kg_per_m3, rock().vp_m_per_s(),
                                 rock().vs_m_per_s()};
    double misfit[2];
    for (const Variant variant : {Variant::Vfem, Variant::OvfemWalsh}) {
        WaveParams params;
        params.dt_s = kDt;
        params.variant = variant;
        const std::vector<PointSource> sources = {force_at(source, {1.0, 0.0, 0.0}, s)};
        // Single precision takes two thirds of the time for the same misfits to four digits; steps
        // in double are those of the other tests.
        WaveSolver<float> solver(uniform_box({kVoxels, kVoxels, kVoxels}, kDs, rock()), params,
                                 sources, std::vector<Place>{receiver});
        double error = 0.0, size = 0.0;
        while (solver.time_s() < 0.0165) {  // before anything comes back from a side
            const auto u = solver.at_receivers(0);
            const Place wanted = space.force(
                apart, {1.0, 0.0, 0.0}, [&](double t) { return s.at(t); }, solver.time_s());
            for (int c = 0; c < 3; ++c) {
                error += (u[c] - wanted[c]) * (u[c] - wanted[c]);
                size += wanted[c] * wanted[c];
            }
            solver.step();
        }
        misfit[variant == Variant::Vfem ? 0 : 1] = std::sqrt(error / size);
    }
    EXPECT_LT(misfit[0], 0.1);
    EXPECT_LT(misfit[1], 0.03);
    RecordProperty("vfem", std::to_string(misfit[0]));
    RecordProperty("ovfem", std::to_string(misfit[1]));
}

TEST(WaveSolver, ABarSwingsAtItsFrequencyToSecondOrder) {
    // Without sideways strain (lambda = 0) a bar's longest mode is cos(pi x/L) cos(c pi t/L).
    Solid solid{1e10, 1.5e10, 2500.0};
    const double c = std::sqrt(2.0 * solid.shear_modulus_pa / solid.density_kg_per_m3);
    double error[2];
    for (int fine = 0; fine < 2; ++fine) {
        const int n = fine == 0 ? 8 : 16;
        const double ds = 1.0 / n;
        WaveParams params;
        params.dt_s = 0.1 * ds / c;
        const PointSource none = force_at({0.0, 0.0, 0.0}, {}, TimeFunction::ricker(1.0, 0.0));
        WaveSolver<double> solver(uniform_box({n, 1, 1}, ds, solid), params,
                                  std::vector<PointSource>{none},
                                  std::vector<Place>{{0.0, 0.0, 0.0}});
        NodeField<double> now(solver.model().nodes(), 1), before = now;
        const double w = c * std::numbers::pi;
        for_all(now, [&](double& value, int component, int x, int y, int z, int) {
            const double shape = component == 0 ? std::cos(std::numbers::pi * x * ds) : 0.0;
            value = shape;
            before.of(component, x, y, z, 0) = shape * std::cos(w * params.dt_s);
        });
        solver.resume(now, before, 0);
        error[fine] = 0.0;
        while (solver.time_s() < 2.0 / c) {  // one period
            error[fine] = std::max(
                error[fine], std::abs(solver.at_receivers(0)[0] - std::cos(w * solver.time_s())));
            solver.step();
        }
    }
    EXPECT_LT(error[0], 0.05);
    EXPECT_NEAR(error[0] / error[1], 4.0, 0.3);
}

TEST(WaveSolver, EnergyStaysWithoutDampingAndGoesWithIt) {
    const PointSource push = force_at({0.011, 0.006, 0.009}, {1.0, 2.0, -1.0},
                                      TimeFunction::table({0.0, 1e-6, 2e-6}, {0.0, 1.0, 0.0}));
    for (const Variant variant : {Variant::Vfem, Variant::OvfemDense, Variant::OvfemWalsh}) {
        for (const double beta_s : {0.0, 1e-9}) {
            WaveParams params;
            params.dt_s = 1e-7;
            params.variant = variant;
            params.damping.beta_s = beta_s;
            params.fixed = {0, 5};
            WaveSolver<double> solver(mixed_box({10, 7, 9}, 2e-3), params,
                                      std::vector<PointSource>{push}, {});
            for (int k = 0; k < 30; ++k) {
                solver.step();
            }
            const double first = solver.energy_j(0);
            ASSERT_GT(first, 0.0);
            for (int k = 0; k < 2000; ++k) {
                solver.step();
            }
            if (beta_s == 0.0) {
                EXPECT_NEAR(solver.energy_j(0) / first, 1.0, 1e-12);
            } else {
                EXPECT_LT(solver.energy_j(0), 0.5 * first);
            }
        }
    }
}

TEST(WaveSolver, SourceAndReceiverChangePlaces) {
    const TimeFunction s = TimeFunction::ricker(1e5, 1e-5);
    const Place a = {0.0031, 0.0052, 0.0108}, b = {0.0153, 0.0117, 0.0049};
    WaveParams params;
    params.dt_s = 1e-7;
    params.damping = {1e3, 1e-9};
    const auto run = [&](const Place& from, const Place& to, const Place& force_n) {
        WaveSolver<double> solver(mixed_box({10, 8, 9}, 2e-3), params,
                                  std::vector<PointSource>{force_at(from, force_n, s)},
                                  std::vector<Place>{to});
        for (int k = 0; k < 400; ++k) {
            solver.step();
        }
        return solver.at_receivers(0);
    };
    const auto there = run(a, b, {0.0, 1.0, 0.0});  // z at b of y at a
    const auto back = run(b, a, {0.0, 0.0, 1.0});   // y at a of z at b
    ASSERT_NE(there[2], 0.0);
    EXPECT_NEAR(there[2] / back[1], 1.0, 1e-10);
}

TEST(NodeForces, OfAMomentActAtItsPlaceAndNotAtItsVoxelsMiddle) {
    const VoxelModel model = uniform_box({10, 9, 8}, 2.0, rock());
    PointSource source;
    source.moment_nm = {1.0, -2.0, 0.5, 0.3, -0.7, 1.1};
    const double tensor[3][3] = {{1.0, 1.1, -0.7}, {1.1, -2.0, 0.3}, {-0.7, 0.3, 0.5}};
    // Off a middle, on a node, and beside a side of the box.
    for (const Place& at : {Place{9.3, 8.9, 7.4}, {8.0, 10.0, 6.0}, {0.2, 17.7, 15.9}}) {
        source.position_m = at;
        double sum[3] = {}, first[3][3] = {}, second[3][3][3] = {};
        for (const NodeForce& force : node_forces(model, source, "source")) {
            for (int i = 0; i < 3; ++i) {
                EXPECT_EQ(force.force_n[i], 0.0);
                sum[i] += force.of_moment_n[i];
                for (int j = 0; j < 3; ++j) {
                    const double y_j = 2.0 * force.node[j] - at[j];
                    first[i][j] += force.of_moment_n[i] * y_j;
                    for (int k = 0; k < 3; ++k) {
                        second[i][j][k] +=
                            force.of_moment_n[i] * y_j * (2.0 * force.node[k] - at[k]);
                    }
                }
            }
        }
        for (int i = 0; i < 3; ++i) {
            EXPECT_NEAR(sum[i], 0.0, 1e-12);
            for (int j = 0; j < 3; ++j) {
                EXPECT_NEAR(first[i][j], tensor[i][j], 1e-11);
                for (int k = 0; k < 3; ++k) {
                    EXPECT_NEAR(second[i][j][k], 0.0, 1e-10) << i << j << k;
                }
            }
        }
    }
}

TEST(NodeForces, OfMomentsAtFurtherPointsAddUp) {
    const VoxelModel model = uniform_box({10, 9, 8}, 2.0, rock());
    const auto forces_of = [&](const PointSource& source) {
        std::map<std::array<int, 3>, Place> found;
        for (const NodeForce& force : node_forces(model, source, "source")) {
            for (std::size_t c = 0; c < 3; ++c) {
                found[force.node][c] += force.of_moment_n[c];
            }
        }
        return found;
    };
    PointSource first, second, both;
    first.position_m = {9.3, 8.9, 7.4};
    first.moment_nm = {1.0, -2.0, 0.5, 0.3, -0.7, 1.1};
    second.position_m = {10.1, 8.2, 8.8};
    second.moment_nm = {0.2, 0.4, -1.5, 0.1, 0.6, -0.3};
    both.position_m = first.position_m;
    both.further = {{first.position_m, first.moment_nm}, {second.position_m, second.moment_nm}};
    auto sum = forces_of(first);
    for (const auto& [node, force_n] : forces_of(second)) {
        for (std::size_t c = 0; c < 3; ++c) {
            sum[node][c] += force_n[c];
        }
    }
    const auto found = forces_of(both);
    for (const auto& [node, force_n] : sum) {
        for (std::size_t c = 0; c < 3; ++c) {
            EXPECT_NEAR(found.at(node)[c], force_n[c], 1e-12);
        }
    }
}

TEST(WaveSolver, AMomentIsForcesApart) {
    const TimeFunction s = TimeFunction::gaussian(2e-6, 1e-5);
    const Place at = {0.011, 0.009, 0.009};  // the middle of a voxel
    PointSource moment = force_at(at, {}, s);
    moment.moment_nm = {0.0, 0.0, 0.0, 0.0, 0.0, 1.0};  // xy
    WaveParams params;
    params.dt_s = 1e-7;
    constexpr int kSteps = 300;
    // s is the moment's rate, so that forces go as its integral since the run's beginning.
    std::vector<double> times_s, reached;
    for (int k = 0; k < kSteps; ++k) {
        times_s.push_back(k * params.dt_s);
        reached.push_back(s.moment_at(times_s.back()) - s.moment_at(0.0));
    }
    ASSERT_NEAR(reached.back(), 1.0, 1e-6);
    const TimeFunction part = TimeFunction::table(times_s, reached);
    const std::vector<Place> receivers = {{0.004, 0.002, 0.016}};
    // Forces along x above and below in y, along y in x, half a voxel from the middle.
    std::vector<PointSource> parts;
    constexpr double kHalf = 0.001;
    for (const int side : {-1, 1}) {
        const double size = side / (2.0 * 2.0 * kHalf) * 2.0;
        parts.push_back(force_at({at[0], at[1] + side * kHalf, at[2]}, {size, 0.0, 0.0}, part));
        parts.push_back(force_at({at[0] + side * kHalf, at[1], at[2]}, {0.0, size, 0.0}, part));
    }
    WaveSolver<double> four(mixed_box({10, 8, 9}, 2e-3), params, parts, receivers);
    WaveSolver<double> one(mixed_box({10, 8, 9}, 2e-3), params, std::vector<PointSource>{moment},
                           receivers);
    for (int k = 0; k < kSteps; ++k) {
        four.step();
        one.step();
    }
    for (int c = 0; c < 3; ++c) {
        double sum = 0.0;
        for (int lane = 0; lane < 4; ++lane) {
            sum += four.at_receivers(lane)[c];
        }
        EXPECT_NEAR(sum, one.at_receivers(0)[c], 1e-12 * std::abs(one.at_receivers(0)[c]) + 1e-25);
        EXPECT_NE(sum, 0.0);
    }
}

TEST(WaveSolver, GoesOnFromItsState) {
    const std::vector<PointSource> sources = {
        force_at({0.01, 0.01, 0.01}, {0.0, 0.0, 1.0}, TimeFunction::band(1e5, 1.25e5, 1e-5)),
        force_at({0.002, 0.01, 0.01}, {0.0, 1.0, 0.0}, TimeFunction::ricker(1e5, 1e-5))};
    WaveParams params;
    params.dt_s = 1e-7;
    params.damping = damping_of_band(0.01, 1e5, 1.25e5);
    const auto make = [&] {
        return WaveSolver<float>(mixed_box({10, 8, 9}, 2e-3), params, sources,
                                 std::vector<Place>{{0.004, 0.002, 0.016}});
    };
    WaveSolver<float> whole = make(), first = make(), second = make();
    for (int k = 0; k < 200; ++k) {
        whole.step();
        if (k < 120) {
            first.step();
        }
    }
    second.resume(first.displacement(), first.before(), first.n_steps());
    while (second.n_steps() < 200) {
        second.step();
    }
    for (int lane = 0; lane < 2; ++lane) {
        EXPECT_EQ(second.at_receivers(lane), whole.at_receivers(lane));
    }
    EXPECT_THROW(first.resume(NodeField<float>({3, 3, 3}, 2), NodeField<float>({3, 3, 3}, 2), 0),
                 Error);
}

TEST(WaveSolver, MomentsOfOneSourceMayGoByTimesOfTheirOwn) {
    const std::vector<Place> at = {{0.011, 0.009, 0.009}, {0.009, 0.0075, 0.0105}};
    const std::vector<std::array<double, 6>> moment = {{0.0, 0.0, 0.0, 0.0, 0.0, 1.0},
                                                       {0.5, -0.5, 0.0, 0.2, 0.0, 0.0}};
    // The first has ended when the run is cut, the second begins later and goes on.
    const std::vector<TimeFunction> time = {TimeFunction::triangle(4e-6, 1e-6),
                                            TimeFunction::cosine(2e-5, 3e-6)};
    std::vector<PointSource> sources;  // each by itself, and both as one, which also has a force
    PointSource both =
        force_at({0.01, 0.01, 0.01}, {0.0, 0.0, 1e3}, TimeFunction::ricker(1e5, 1e-5));
    sources.push_back(both);
    for (std::size_t k = 0; k < 2; ++k) {
        PointSource one = force_at(at[k], {}, time[k]);
        one.moment_nm = moment[k];
        sources.push_back(one);
        both.further.push_back({at[k], moment[k], time[k]});
    }
    sources.push_back(both);
    WaveParams params;
    params.dt_s = 1e-7;
    const auto make = [&] {
        return WaveSolver<double>(mixed_box({10, 8, 9}, 2e-3), params, sources,
                                  std::vector<Place>{{0.004, 0.002, 0.016}});
    };
    WaveSolver<double> whole = make(), first = make(), second = make();
    whole.run(200, 1);
    first.run(120, 1);
    second.resume(first.displacement(), first.before(), first.n_steps());
    second.run(80, 1);

    for (std::size_t c = 0; c < 3; ++c) {
        double sum = 0.0;
        for (int lane = 0; lane < 3; ++lane) {
            sum += whole.at_receivers(lane)[c];
        }
        EXPECT_NEAR(whole.at_receivers(3)[c] / sum, 1.0, 1e-12);
        EXPECT_GT(std::abs(whole.at_receivers(2)[c]), 1e-3 * std::abs(sum));
    }
    EXPECT_EQ(second.at_receivers(3), whole.at_receivers(3));
}

TEST(WaveSolver, ARunIsItsStepsAndRecordsEverySoMany) {
    const std::vector<PointSource> sources = {
        force_at({0.01, 0.01, 0.01}, {0.0, 0.0, 1.0}, TimeFunction::ricker(1e5, 1e-5)),
        force_at({0.002, 0.01, 0.01}, {0.0, 1.0, 0.0}, TimeFunction::ricker(1e5, 1e-5)),
        force_at({0.002, 0.01, 0.002}, {1.0, 1.0, 0.0}, TimeFunction::ricker(1e5, 1e-5))};
    WaveParams params;
    params.dt_s = 1e-7;
    const auto make = [&] {
        return WaveSolver<double>(mixed_box({10, 8, 9}, 2e-3), params, sources,
                                  std::vector<Place>{{0.004, 0.002, 0.016}, {0.02, 0.0, 0.0}});
    };
    WaveSolver<double> stepped = make(), run = make();
    std::vector<float> wanted;  // [samples][sources][receivers][3]
    for (int n = 1; n <= 70; ++n) {
        stepped.step();
        for (int source = 0; source < 3 && n % 20 == 0; ++source) {
            for (const double u : stepped.at_receivers(source)) {
                wanted.push_back(static_cast<float>(u));
            }
        }
    }
    run.run(30, 20);
    run.run(40, 20);
    EXPECT_EQ(run.n_steps(), 70);
    EXPECT_EQ(run.take_record(), wanted);
    EXPECT_EQ(wanted.size(), 3U * 3 * 2 * 3);
    EXPECT_TRUE(run.take_record().empty());
    EXPECT_THROW(run.run(-1, 1), Error);
    EXPECT_THROW(run.run(1, 0), Error);
}

/// Compares the echo from the end of a rod that has a damping layer with the echo without one.
TEST(WaveSolver, ADampingLayerTakesTheWave) {
    const auto echo = [](int width, double alpha_per_s) {
        constexpr int kVoxels = 200;
        WaveParams params;
        params.dt_s = 5e-5;
        params.layer = {{0, width, 0, 0, 0, 0}, alpha_per_s};
        Solid solid{1e10, 1.5e10, 2500.0};  // lambda = 0: a plane wave in a rod
        PointSource push =
            force_at({0.0, 0.5, 0.5}, {1.0, 0.0, 0.0}, TimeFunction::ricker(200.0, 0.006));
        WaveSolver<double> solver(uniform_box({kVoxels, 1, 1}, 1.0, solid), params,
                                  std::vector<PointSource>{push},
                                  std::vector<Place>{{100.0, 0.5, 0.5}});
        double largest = 0.0;
        while (solver.time_s() < 0.012 + 300.0 / std::sqrt(12e6)) {
            solver.step();
            if (solver.time_s() > 0.012 + 110.0 / std::sqrt(12e6)) {  // it has gone by
                largest = std::max(largest, std::abs(solver.at_receivers(0)[0]));
            }
        }
        return largest;
    };
    // A wave of 17 voxels, through the layer and back by damping alone: a hundredth.
    const auto layer = [&](int width) {
        return echo(width, 3.0 * std::sqrt(12e6) * std::log(100.0) / width);
    };
    const double all = echo(0, 0.0);
    EXPECT_NEAR(layer(20), 0.086 * all, 0.01 * all);
    EXPECT_NEAR(layer(30), 0.042 * all, 0.005 * all);
    EXPECT_NEAR(layer(40), 0.024 * all, 0.003 * all);
    EXPECT_GT(layer(2), 0.3 * all);
}

TEST(WaveSolver, RefusesWhatIsOutside) {
    const auto refusal = [](const Place& source, const Place& receiver, std::size_t n) {
        WaveParams params;
        params.dt_s = 1e-7;
        try {
            WaveSolver<double> solver(
                uniform_box({4, 4, 4}, 2e-3, rock()), params,
                std::vector<PointSource>(n, force_at(source, {}, TimeFunction::ricker(1e5, 0.0))),
                std::vector<Place>{receiver});
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(refusal({0.0, 0.008, 0.001}, {0.008, 0.0, 0.0}, 1), "");
    EXPECT_NE(refusal({0.0, 0.0081, 0.001}, {}, 1)
                  .find("sources[0]: y must be within 0 to 0.008 m, the model, got 0.0081"),
              std::string::npos);
    EXPECT_NE(refusal({}, {0.0, 0.0, -0.001}, 1).find("receivers[0]: z"), std::string::npos);
    EXPECT_NE(refusal({}, {}, 5).find("sources must be 1 to 4 at a time, got 5"),
              std::string::npos);
    EXPECT_NE(refusal({}, {}, 0), "");
}

}  // namespace
}  // namespace kaname::voxelwave::wave_solver_test
