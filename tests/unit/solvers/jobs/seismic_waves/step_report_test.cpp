// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/seismic_waves/step_report.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "solvers/mesh/tet_shape.hpp"
#include "tests/support/box_mesh.hpp"

namespace kaname::jobs {
namespace {

TEST(StepReport, ClustersTakeStepsOfPowersOfTwo) {
    const std::vector<double> dt_s{1.0, 1.9, 2.0, 3.9, 4.0, 17.0};
    const StepReport report = report_steps(dt_s);

    EXPECT_EQ(report.dt_min_s, 1.0);
    EXPECT_EQ(report.per_cluster, (std::vector<std::int64_t>{2, 2, 1, 0, 1}));
    EXPECT_NEAR(report.updates_per_s, 2.0 + 2.0 / 2.0 + 1.0 / 4.0 + 1.0 / 16.0, 1e-12);
    EXPECT_NEAR(report.gain(), 6.0 / report.updates_per_s, 1e-12);
}

TEST(StepReport, CountsStandForTets) {
    const std::vector<double> dt_s{0.5, 1.2}, count{10.0, 100.0};
    const StepReport report = report_steps(dt_s, count);

    EXPECT_EQ(report.per_cluster, (std::vector<std::int64_t>{10, 100}));
    EXPECT_NEAR(report.updates_per_s, 10.0 / 0.5 + 100.0 / 1.0, 1e-9);
}

/// A rod whose cells grow along x.
aderdg::WaveModel rod(double growth) {
    test::BoxMesh box;
    box.cells = {12, 1, 1};
    box.high = {12.0, 1.0, 1.0};
    box.move = [growth](const Vec3& x) {
        const double scale = std::pow(growth, x.x);
        return Vec3{(scale - 1.0) / (growth - 1.0), scale * x.y, scale * x.z};
    };
    aderdg::WaveModel model;
    model.mesh = box.build();
    model.solids = {{1.0, 1.0, 1.0, {}}};
    return model;
}

/// Tets per cluster, neighbours brought together pair by pair until none is left to be.
std::vector<std::int64_t> clusters_one_by_one(const aderdg::WaveModel& model, double least_s) {
    const mesh::TetMesh& mesh = model.mesh;
    std::vector<int> cluster;
    for (std::size_t tet = 0; tet < mesh.tets.size(); ++tet) {
        const double time_s = mesh::insphere_diameter_m(mesh::corners_of(mesh, tet)) /
                              model.solids[mesh.material[tet]].vp_m_per_s();
        cluster.push_back(static_cast<int>(std::floor(std::log2(time_s / least_s) + 1e-9)));
    }
    const auto shared = [&](std::size_t one, std::size_t other) {
        return std::ranges::count_if(mesh.tets[one], [&](std::int32_t vertex) {
            return std::ranges::count(mesh.tets[other], vertex) > 0;
        });
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t one = 0; one < cluster.size(); ++one) {
            for (std::size_t other = 0; other < cluster.size(); ++other) {
                if (cluster[one] > cluster[other] + 1 && shared(one, other) == 3) {
                    cluster[one] = cluster[other] + 1;
                    changed = true;
                }
            }
        }
    }
    std::vector<std::int64_t> counts(std::ranges::max(cluster) + 1);
    for (const int c : cluster) {
        ++counts[c];
    }
    return counts;
}

TEST(StepReport, NeighboursAreAtMostOneClusterApart) {
    // Cells 100 times as large as the ones before: by themselves seven clusters apart.
    for (const double growth : {1.5, 5.0, 100.0}) {
        const aderdg::WaveModel model = rod(growth);
        const StepReport report = report_steps(model, 3, 0.5);

        const double least_s = measure_steps(model).least_s;
        EXPECT_NEAR(report.dt_min_s, 0.5 * least_s / 5.0, 1e-12 * least_s);
        EXPECT_EQ(report.per_cluster, clusters_one_by_one(model, least_s)) << growth;
    }
}

TEST(StepReport, StepsFollowInsphereSpeedAndOrder) {
    EXPECT_NEAR(step_of(100.0, 5000.0, 5, 0.9), 0.9 * 100.0 / (9.0 * 5000.0), 1e-18);

    aderdg::WaveModel model = rod(1.5);
    const StepShapes shapes = measure_steps(model);
    const mesh::Corners smallest = mesh::corners_of(model.mesh, shapes.least_tet);
    EXPECT_NEAR(shapes.least_s, mesh::insphere_diameter_m(smallest) / std::sqrt(3.0), 1e-12);
    EXPECT_LT(shapes.least_s, shapes.median_s);
    EXPECT_LT(shapes.median_s, shapes.most_s);
    EXPECT_LT(shapes.least_insphere_per_edge, 1.0 / std::sqrt(6.0));
    model.solids[0].lambda_pa = 10.0;  // vp = 2 sqrt(3)
    EXPECT_NEAR(measure_steps(model).least_s, 0.5 * shapes.least_s, 1e-12);
}

}  // namespace
}  // namespace kaname::jobs
