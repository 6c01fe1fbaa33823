// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "solvers/aderdg/layout.hpp"
#include "solvers/aderdg/wave_solver.hpp"
#include "tests/support/wave_cubes.hpp"

namespace kaname::aderdg::clusters_test {
namespace {

/// Elements that get thin towards x = 0.
WaveModel graded() {
    WaveModel model = box_of_cubes({12, 4, 4}, {-1, -1, -1}, {1, 1, 1}, solid_of(1, 2, 1));
    for (Vec3& v : model.mesh.xyz) {
        v.x = v.x * (0.05 + 0.95 * v.x * v.x);
    }
    return model;
}

WaveParams params_of(double end_s) {
    WaveParams params;
    params.end_s = end_s;
    params.interval_s = end_s;
    return params;
}

double updates(const Clustering& c) {
    double sum = 0.0;
    for (const std::uint8_t k : c.cluster) {
        sum += std::ldexp(1.0, c.n_clusters - 1 - k);
    }
    return sum * static_cast<double>(c.macro_steps);
}

TEST(Clusters, StepsAreNoLongerThanTheirTetsAllowAndMeetTheEnd) {
    const WaveModel model = graded();
    const TetTopology topology = TetTopology::of(model);
    for (const double end_s : {0.7, 3.1}) {
        const WaveParams params = params_of(end_s);
        const std::vector<double> largest_s = largest_steps(model, topology, params);
        const Clustering c = cluster(largest_s, topology, params);
        ASSERT_GE(c.n_clusters, 3);
        for (std::size_t e = 0; e < largest_s.size(); ++e) {
            EXPECT_LE(std::ldexp(c.step_s, c.cluster[e]), largest_s[e] * (1 + 1e-9));
            for (const auto& beyond : topology.beyond[e]) {
                if (beyond.tet >= 0) {
                    EXPECT_LE(std::abs(c.cluster[e] - c.cluster[beyond.tet]), 1);
                }
            }
        }
        EXPECT_NEAR(std::ldexp(c.step_s, c.n_clusters - 1) * static_cast<double>(c.macro_steps),
                    end_s, 1e-12);
    }
}

TEST(Clusters, StepsAreNoLongerThanMemoryVariablesDecayIn) {
    WaveModel model = box_of_cubes({2, 2, 2}, {-1, -1, -1}, {1, 1, 1}, solid_of(1, 2, 1));
    model.solids.push_back(model.solids.front());
    std::ranges::fill(model.mesh.material, 0);
    model.mesh.material[3] = 1;
    const TetTopology topology = TetTopology::of(model);
    const WaveParams params = params_of(3.0);
    const double elastic_s = largest_steps(model, topology, params)[3];
    model.solids[0].mechanisms = {{0.1 / elastic_s, 0.0, 0.1}};
    model.solids[1].mechanisms = {
        {4.0 / elastic_s, 0.0, 0.0}};  // without weight, yet it must decay

    const std::vector<double> largest_s = largest_steps(model, topology, params);

    EXPECT_DOUBLE_EQ(largest_s[2], elastic_s);
    EXPECT_DOUBLE_EQ(largest_s[3], relaxation_step_s(4.0 / elastic_s));
    EXPECT_LT(largest_s[3], elastic_s / 2.0);
}

TEST(Clusters, AShorterSmallestStepMayBeCheaper) {
    const WaveModel model = graded();
    const TetTopology topology = TetTopology::of(model);
    WaveParams params = params_of(3.0);
    const std::vector<double> largest_s = largest_steps(model, topology, params);
    const double with = updates(cluster(largest_s, topology, params));
    params.least_wiggle = 1.0;
    const double without = updates(cluster(largest_s, topology, params));
    params.local_time_steps = false;
    const Clustering global = cluster(largest_s, topology, params);

    EXPECT_LT(with, without);
    EXPECT_LT(without, 0.8 * updates(global));
    EXPECT_EQ(global.n_clusters, 1);
    EXPECT_GT(global.step_s, 0.9 * *std::ranges::min_element(largest_s));
}

TEST(Clusters, AShortRunIsOneStepNoLongerThanItsEnd) {
    const WaveModel model = graded();
    const TetTopology topology = TetTopology::of(model);
    WaveParams params = params_of(1.0);
    const std::vector<double> largest_s = largest_steps(model, topology, params);
    params.end_s = 0.3 * *std::ranges::min_element(largest_s);
    const Clustering c = cluster(largest_s, topology, params);
    EXPECT_EQ(c.n_clusters, 1);
    EXPECT_EQ(c.macro_steps, 1);
    EXPECT_DOUBLE_EQ(c.step_s, params.end_s);
}

TEST(Clusters, AreThoseThatTheSolverIsAskedFor) {
    const WaveModel model = graded();
    const Clusters found = find_clusters(model, params_of(1.0));
    std::int64_t n = 0;
    for (const std::int64_t elements : found.elements) {
        n += elements;
    }
    EXPECT_EQ(n, std::ssize(model.mesh.tets));
    EXPECT_LT(found.updates(), n << (found.elements.size() - 1));
}

}  // namespace
}  // namespace kaname::aderdg::clusters_test
