// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/table_slip.hpp"

#include <cmath>
#include <functional>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "tests/support/box_mesh.hpp"

namespace kaname::fault::table_slip_test {
namespace {

/// A box of 4 x 4 x 4 cells of 1 km, cut at x = 2 km by a fault that dips to the east by 45 degrees
/// (the box is sheared by x += z).
class SlopingFault : public testing::Test {
protected:
    SlopingFault() : mesh_(box()), dofs_(mesh_), nodes_(fault_nodes(mesh_, dofs_, 0)) {}

    static mesh::TetMesh box() {
        test::BoxMesh box;
        box.cells = {4, 4, 4};
        box.low = {0.0, 0.0, -4000.0};
        box.high = {4000.0, 4000.0, 0.0};
        box.faults = {{0, 2, {0, 0, 1}, {0, 4, 4}, true}};
        box.move = [](const Vec3& x) { return Vec3{x.x - x.z, x.y, x.z}; };
        return box.build();
    }
    /// A table of `field` at points of the fault's plane, in a rectangle [from, to]^2 of (y, z).
    static SlipTable table(int n, double from_y, double to_y, double from_z, double to_z,
                           const std::function<Vec3(const Vec3&)>& field) {
        SlipTable table;
        std::mt19937 random(5);
        std::uniform_real_distribution<double> uniform(0.0, 1.0);
        const auto add = [&](double y, double z) {
            table.places.push_back({2000.0 - z, y, z});
            table.slip.push_back(field(table.places.back()));
        };
        for (const double y : {from_y, to_y}) {
            for (const double z : {from_z, to_z}) {
                add(y, z);
            }
        }
        for (int k = 0; k < n; ++k) {
            add(from_y + (to_y - from_y) * uniform(random),
                from_z + (to_z - from_z) * uniform(random));
        }
        return table;
    }
    [[nodiscard]] TableSlip slip(const SlipTable& table, double reach_m = 0.0) const {
        return slip_of_table(table, nodes_, mesh_, dofs_, 0, reach_m, std::nullopt);
    }
    static Vec3 linear(const Vec3& x) { return {1.0 + 1e-3 * x.y, 2e-3 * x.z - 1e-4 * x.x, 5.0}; }

    mesh::TetMesh mesh_;
    p2::DofMap dofs_;
    FaultNodeSet nodes_;
};

TEST_F(SlopingFault, LinearFieldIsExactAtAllNodes) {
    const TableSlip found = slip(table(40, 0.0, 4000.0, -4000.0, 0.0, linear));

    EXPECT_EQ(found.slip.size(), 9u * 7u);  // all nodes of 4 x 3 cells of two triangles
    EXPECT_EQ(found.outside, 0);
    for (const auto& [node, value] : found.slip) {
        EXPECT_LT(norm(value - linear(dofs_.node_xyz[node])), 1e-9);
    }
}

TEST_F(SlopingFault, NodesThatArePointsHaveTheirSlipExactly) {
    SlipTable given;
    double k = 0.0;
    for (const auto& [node, area] : nodes_.area) {
        if (node < dofs_.n_vertices) {
            given.places.push_back(dofs_.node_xyz[node]);
            given.slip.push_back({std::sin(k += 1.0), std::cos(2.0 * k), 0.1 * k});
        }
    }

    const TableSlip found = slip(given);

    for (std::size_t row = 0; row < given.places.size(); ++row) {
        for (const auto& [node, area] : nodes_.area) {
            if (dofs_.node_xyz[node] == given.places[row]) {
                EXPECT_EQ(found.slip.at(node), given.slip[row]);
            }
        }
    }
    // In the middle of an edge: the mean, along the fault's own edges.
    for (const auto& [node, value] : found.slip) {
        if (node >= dofs_.n_vertices) {
            const auto& [a, b] = dofs_.edges[node - dofs_.n_vertices];
            EXPECT_LT(norm(value - 0.5 * (found.slip.at(a) + found.slip.at(b))), 1e-15);
        }
    }
}

TEST_F(SlopingFault, BeyondTheTableThereIsNoneAfterItsReach) {
    const SlipTable half = table(10, 0.0, 2000.0, -4000.0, 0.0, [](const Vec3&) {
        return Vec3{0.0, 1.0, 0.0};
    });

    const TableSlip none = slip(half);
    const TableSlip some = slip(half, 600.0);

    EXPECT_EQ(none.outside, 4 * 7);  // y = 2500, 3000, 3500, 4000
    EXPECT_NEAR(none.farthest_m, 2000.0, 1e-6);
    EXPECT_EQ(some.outside, 3 * 7);
    for (const auto& [node, value] : some.slip) {
        EXPECT_NEAR(value.y, dofs_.node_xyz[node].y < 2600.0 ? 1.0 : 0.0, 1e-12);
    }
}

TEST_F(SlopingFault, ComponentsFollowStrikeAndDip) {
    // Dips to the east (+x), so strikes to the north (+y): left-lateral slip moves the hanging wall
    // to the north, reverse slip up and to the west.
    SlipTable both = table(5, 0.0, 4000.0, -4000.0, 0.0, [](const Vec3&) {
        return Vec3{0.5, 2.0, 0.0};
    });
    both.by_components = true;

    const TableSlip found = slip(both);

    const double r = std::numbers::sqrt2;
    for (const auto& [node, value] : found.slip) {
        EXPECT_LT(norm(value - Vec3{-r, 0.5, r}), 1e-12);
    }
    EXPECT_LT(found.opening_m, 1e-12);
}

TEST_F(SlopingFault, OpeningIsMeasured) {
    const TableSlip found = slip(table(5, 0.0, 4000.0, -4000.0, 0.0, [](const Vec3&) {
        return Vec3{0.0, 0.0, 1.0};
    }));

    EXPECT_NEAR(found.opening_m, std::sqrt(0.5), 1e-12);
}

TEST_F(SlopingFault, TableOfAnotherFaultIsRefused) {
    SlipTable other = table(10, 0.0, 4000.0, -4000.0, 0.0, linear);
    for (Vec3& x : other.places) {
        x.y += 9000.0;
    }

    EXPECT_THROW((void)slip(other), Error);
    for (Vec3& x : other.places) {
        x = {x.x + 20000.0, x.y - 9000.0, x.z + 20000.0};  // straight across the fault
    }
    EXPECT_THROW((void)slip(other), Error);
}

TEST_F(SlopingFault, LevelFaultNeedsAStrikeForComponents) {
    test::BoxMesh box;
    box.cells = {2, 2, 2};
    box.faults = {{2, 1, {0, 0, 0}, {2, 2, 0}, true}};
    const mesh::TetMesh mesh = box.build();
    const p2::DofMap dofs(mesh);
    const FaultNodeSet nodes = fault_nodes(mesh, dofs, 0);
    SlipTable table;
    table.by_components = true;
    table.places = {{0, 0, 0.5}, {1, 0, 0.5}, {0, 1, 0.5}, {1, 1, 0.5}};
    table.slip.assign(4, {1.0, 0.0, 0.0});

    EXPECT_THROW((void)slip_of_table(table, nodes, mesh, dofs, 0, 0.0, std::nullopt), Error);
    const TableSlip found = slip_of_table(table, nodes, mesh, dofs, 0, 0.0, std::numbers::pi / 2.0);
    for (const auto& [node, value] : found.slip) {
        EXPECT_LT(norm(value - Vec3{1.0, 0.0, 0.0}), 1e-12);
    }
}

}  // namespace
}  // namespace kaname::fault::table_slip_test
