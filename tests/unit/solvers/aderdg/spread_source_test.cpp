// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/spread_source.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "solvers/aderdg/block_points.hpp"
#include "solvers/aderdg/quadrature.hpp"
#include "tests/support/wave_cubes.hpp"

namespace kaname::aderdg::spread_source_test {
namespace {

constexpr int kOrder = 6;

/// int rho q of a source's shares, q = (x - x_s)^a (y - y_s)^b (z - z_s)^c.
double moment_of(const WaveModel& model, const TetTopology& topology,
                 const std::vector<SourceShare>& shares, const Vec3& at,
                 const std::array<int, 3>& powers) {
    double sum = 0.0;
    for (const SourceShare& share : shares) {
        const std::array<Vec3, 4> corners = corners_of(model, topology, share.tet);
        const double volume_m3 = TetShape::of(corners).volume_m3;
        for (const TetRule::Point& p : TetRule(9).points) {
            Vec3 x = -1.0 * at;
            for (int v = 0; v < 4; ++v) {
                x += p.lambda[v] * corners[v];
            }
            const std::vector<double> b = bernstein_at(kOrder - 1, p.lambda);
            double density = 0.0;
            for (std::size_t k = 0; k < b.size(); ++k) {
                density += share.shape[k] * b[k];
            }
            sum += p.weight * volume_m3 * density * std::pow(x.x, powers[0]) *
                   std::pow(x.y, powers[1]) * std::pow(x.z, powers[2]);
        }
    }
    return sum;
}

TEST(SpreadSource, ActsAsItsPlaceDoesOnPolynomials) {
    const WaveModel model = box_of_cubes({6, 6, 6}, {-3, -3, -3}, {3, 3, 3}, solid_of(1, 2, 1));
    const TetTopology topology = TetTopology::of(model);
    const SourceSpread spread(model, topology, kOrder);
    // A vertex, inside, and near the ground, where half of the ball is missing.
    for (const Vec3& at : {Vec3{0, 0, 0}, Vec3{0.23, 0.31, -0.13}, Vec3{0.3, 0.2, 2.9}}) {
        const std::vector<SourceShare> shares = spread.of(tet_at(model, at));
        EXPECT_GT(shares.size(), 4U);
        EXPECT_NEAR(moment_of(model, topology, shares, at, {0, 0, 0}), 1.0, 1e-8);
        for (const std::array<int, 3>& powers :
             {std::array{1, 0, 0}, {0, 2, 0}, {1, 1, 1}, {0, 0, 4}, {2, 0, 3}}) {
            EXPECT_NEAR(moment_of(model, topology, shares, at, powers), 0.0, 1e-8);
        }
    }
}

TEST(SpreadSource, StaysInSolidsLikeItsOwn) {
    WaveModel model = box_of_cubes({6, 6, 6}, {-3, -3, -3}, {3, 3, 3}, solid_of(1, 2, 1));
    model.solids.push_back(solid_of(1, 3, 1.5));
    for (std::size_t e = 0; e < model.mesh.tets.size(); ++e) {
        double z = 0.0;
        for (const std::int32_t v : model.mesh.tets[e]) {
            z += 0.25 * model.mesh.xyz[v].z;
        }
        model.mesh.material[e] = z > 1.0 ? 1 : 0;
    }
    const TetTopology topology = TetTopology::of(model);

    const auto shares = SourceSpread(model, topology, kOrder).of(tet_at(model, {0.2, 0.1, 0.9}));

    EXPECT_GT(shares.size(), 4U);
    for (const SourceShare& share : shares) {
        EXPECT_EQ(model.mesh.material[share.tet], 0);
    }
}

}  // namespace
}  // namespace kaname::aderdg::spread_source_test
