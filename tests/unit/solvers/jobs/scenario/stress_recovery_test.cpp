// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/scenario/stress_recovery.hpp"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "solvers/fault/split_vertices.hpp"
#include "solvers/p2/dof_map.hpp"
#include "solvers/p2/locate.hpp"
#include "tests/support/box_mesh.hpp"

namespace kaname::jobs::stress_recovery_test {
namespace {

using Field = std::function<double(const Vec3&)>;

Vec3 centroid(const mesh::TetMesh& mesh, std::size_t tet) {
    Vec3 sum;
    for (const std::int32_t v : mesh.tets[tet]) {
        sum += 0.25 * mesh.xyz[v];
    }
    return sum;
}

/// A cube of unit length of which the means of elements are known.
struct Cube {
    mesh::TetMesh mesh;
    std::vector<std::int32_t> tets;

    explicit Cube(test::BoxMesh box) : mesh(box.build()) {
        const p2::DofMap dofs(mesh);
        const auto cut =
            fault::split_vertices(mesh, fault::split_fault_nodes(mesh, dofs.conn, dofs.node_xyz));
        for (const auto& tet : cut.tets) {
            tets.insert(tets.end(), tet.begin(), tet.end());
        }
    }
    p2::Location at(const Vec3& x) const { return p2::locate_points(mesh, std::array{x}).front(); }
    /// The field's value as recovered, of a field that is its centroid's value in every element.
    double recovered(const Vec3& x, const Field& field) const {
        double sum = 0.0;
        for (const ElementShare& share :
             recovery_at(mesh, tets, static_cast<std::size_t>(at(x).tet), x)) {
            sum += share.weight * field(centroid(mesh, share.tet));
        }
        return sum;
    }
};

double linear(const Vec3& x) {
    return 3.0 - 2.0 * x.x + 5.0 * x.y + 0.5 * x.z;
}

TEST(StressRecovery, IsExactForLinearFields) {
    const Cube cube({.cells = {3, 3, 3}});

    for (const Vec3& x : {Vec3{0.52, 0.41, 0.47}, {0.02, 0.9, 0.99}, {0.34, 0.34, 0.01}}) {
        EXPECT_NEAR(cube.recovered(x, linear), linear(x), 1e-12);
    }
}

TEST(StressRecovery, IsOfSecondOrder) {
    const Field smooth = [](const Vec3& x) {
        return std::sin(3.0 * x.x) * std::exp(x.y - 2.0 * x.z);
    };
    const Vec3 x{0.26, 0.61, 0.13};
    const auto error = [&](int cells) {
        const Cube cube({.cells = {cells, cells, cells}});
        return std::abs(cube.recovered(x, smooth) - smooth(x));
    };
    const auto error_of_mean = [&](int cells) {
        const Cube cube({.cells = {cells, cells, cells}});
        return std::abs(smooth(centroid(cube.mesh, static_cast<std::size_t>(cube.at(x).tet))) -
                        smooth(x));
    };

    EXPECT_LT(error(16), error(4) / 8.0);
    EXPECT_LT(error(16), error_of_mean(16) / 5.0);
}

TEST(StressRecovery, StaysOnItsSideOfAFaultAndInItsRock) {
    const Field jump = [](const Vec3& x) { return linear(x) + (x.x > 0.5 ? 100.0 : 0.0); };
    const Vec3 left{0.49, 0.52, 0.48};
    const Vec3 right{0.51, 0.52, 0.48};

    const Cube faulted({.cells = {4, 4, 4},
                        .faults = {{.axis = 0, .index = 2, .low = {0, 0, 0}, .high = {0, 4, 4}}}});
    EXPECT_NEAR(faulted.recovered(left, jump), jump(left), 1e-10);
    EXPECT_NEAR(faulted.recovered(right, jump), jump(right), 1e-10);

    const Cube layered(
        {.cells = {4, 4, 4}, .material = [](const Vec3& x) { return x.x > 0.5 ? 1 : 0; }});
    EXPECT_NEAR(layered.recovered(left, jump), jump(left), 1e-10);
    EXPECT_NEAR(layered.recovered(right, jump), jump(right), 1e-10);
}

TEST(StressRecovery, TakesTheMeanWhereThereAreTooFewElements) {
    mesh::TetMesh one;
    one.xyz = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    one.tets = {{0, 1, 2, 3}};
    one.material = {0};

    const auto shares = recovery_at(one, std::array{0, 1, 2, 3}, 0, {0.1, 0.1, 0.1});

    ASSERT_EQ(shares.size(), 1u);
    EXPECT_DOUBLE_EQ(shares[0].weight, 1.0);
}

}  // namespace
}  // namespace kaname::jobs::stress_recovery_test
