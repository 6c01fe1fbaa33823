// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/aderdg/layout.hpp"
#include "tests/support/box_mesh.hpp"
#include "tests/support/step_shapes.hpp"
#include "worker/jobs/ader_dg/seismic_mesh.hpp"

namespace kaname::jobs::mesh_steps_test {
namespace {

TEST(MeshSteps, ClustersTakeStepsOfPowersOfTwo) {
    const std::vector<double> largest_s{1.0, 1.9, 2.0, 3.9, 4.0, 17.0};
    const std::vector<double> count{1.0, 1.0, 1.0, 1.0, 1.0, 10.0};
    const aderdg::Clusters clusters = clusters_of_steps(largest_s, count, 1.0);

    EXPECT_EQ(clusters.step_s, 1.0);
    EXPECT_EQ(clusters.elements, (std::vector<std::int64_t>{2, 2, 1, 0, 10}));
    const double updates = 2.0 + 2.0 / 2.0 + 1.0 / 4.0 + 10.0 / 16.0;
    EXPECT_NEAR(updates_per_s(clusters), updates, 1e-12);
    EXPECT_NEAR(gain_of(clusters), 15.0 / updates, 1e-12);
}

TEST(MeshSteps, ASmallerStepIsTakenWhereThatIsCheaper) {
    // With 0.95 s nearly all have steps of 1.9 s, not of 1 s.
    const std::vector<double> largest_s{1.0, 1.9}, count{10.0, 1000.0};
    const aderdg::Clusters clusters = clusters_of_steps(largest_s, count, 0.51);

    EXPECT_NEAR(clusters.step_s, 0.95, 0.01);
    EXPECT_EQ(clusters.elements, (std::vector<std::int64_t>{10, 1000}));
}

/// A rod whose cells grow along x.
aderdg::WaveModel rod() {
    constexpr double kGrowth = 1.5;
    test::BoxMesh box;
    box.cells = {12, 1, 1};
    box.high = {12.0, 1.0, 1.0};
    box.move = [](const Vec3& x) {
        const double scale = std::pow(kGrowth, x.x);
        return Vec3{(scale - 1.0) / (kGrowth - 1.0), scale * x.y, scale * x.z};
    };
    aderdg::WaveModel model;
    model.mesh = box.build();
    model.solids = {{1.0, 1.0, 1.0, {}}};
    model.surfaces.assign(model.mesh.surfaces.size(), aderdg::Boundary::Free);
    return model;
}

TEST(MeshSteps, ShapesAreThoseThatStepsComeFrom) {
    aderdg::WaveModel model = rod();
    const test::StepShapes shapes = test::measure_steps(model);

    EXPECT_LT(shapes.least_s, shapes.median_s);
    EXPECT_LT(shapes.median_s, shapes.most_s);
    EXPECT_LT(shapes.least_insphere_per_edge, 1.0 / std::sqrt(6.0));
    EXPECT_LT(shapes.least_tet, 6);  // in the first cell
    aderdg::WaveParams params;
    params.order = 3;
    params.end_s = 100.0;
    params.interval_s = 1.0;
    const auto largest_s = aderdg::largest_steps(model, aderdg::TetTopology::of(model), params);
    EXPECT_NEAR(largest_s[shapes.least_tet], aderdg::largest_step_s(shapes.least_s, 1.0, params),
                1e-12);
    EXPECT_EQ(std::ranges::min(largest_s), largest_s[shapes.least_tet]);

    model.solids[0].lambda_pa = 10.0;  // vp twice as large
    EXPECT_NEAR(test::measure_steps(model).least_s, 0.5 * shapes.least_s, 1e-12);
}

}  // namespace
}  // namespace kaname::jobs::mesh_steps_test
