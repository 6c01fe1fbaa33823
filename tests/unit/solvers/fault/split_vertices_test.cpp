// SPDX-License-Identifier: BSD-3-Clause
#include <set>

#include <gtest/gtest.h>

#include "solvers/fault/split_nodes.hpp"
#include "solvers/p2/dof_map.hpp"
#include "tests/support/box_mesh.hpp"

namespace kaname::fault::split_vertices_test {
namespace {

/// Vertical fault x = 2 from the surface down two cells of four, along y.
mesh::TetMesh box() {
    return test::BoxMesh{.cells = {4, 4, 4},
                         .low = {0.0, 0.0, -4.0},
                         .high = {4.0, 4.0, 0.0},
                         .faults = {{.axis = 0, .index = 2, .low = {0, 1, 2}, .high = {0, 3, 4}}}}
        .build();
}

TEST(SplitVertices, GiveEachSideOfAFaultItsPoint) {
    const mesh::TetMesh mesh = box();
    const p2::DofMap dofs(mesh);
    const SplitNodes split = split_fault_nodes(mesh, dofs.conn, dofs.node_xyz);

    const SplitVertices cut = split_vertices(mesh, split);

    // y = 2 at depths 0 and 1: what is inside of the fault's edge, and where it meets the surface.
    ASSERT_EQ(cut.vertex.size(), mesh.xyz.size() + 2);
    ASSERT_EQ(cut.tets.size(), mesh.tets.size());
    std::set<std::int32_t> used;
    for (std::size_t tet = 0; tet < cut.tets.size(); ++tet) {
        double centre_x = 0.0;
        for (int k = 0; k < 4; ++k) {
            centre_x += 0.25 * mesh.xyz[mesh.tets[tet][k]].x;
        }
        for (int k = 0; k < 4; ++k) {
            const std::int32_t point = cut.tets[tet][k];
            used.insert(point);
            ASSERT_EQ(cut.vertex[point], mesh.tets[tet][k]);
            const Vec3& x = mesh.xyz[cut.vertex[point]];
            const bool on_fault = x.x == 2.0 && x.y == 2.0 && x.z >= -1.0;
            EXPECT_EQ(std::size_t(point) >= mesh.xyz.size(), on_fault && centre_x > 2.0);
        }
    }
    EXPECT_EQ(used.size(), cut.vertex.size());
}

TEST(SplitVertices, AreTheVerticesWhereNothingCanSlip) {
    mesh::TetMesh mesh = box();
    mesh.fault_faces.clear();
    const p2::DofMap dofs(mesh);

    const SplitVertices cut =
        split_vertices(mesh, split_fault_nodes(mesh, dofs.conn, dofs.node_xyz));

    EXPECT_EQ(cut.vertex.size(), mesh.xyz.size());
    EXPECT_EQ(cut.tets, mesh.tets);
}

}  // namespace
}  // namespace kaname::fault::split_vertices_test
