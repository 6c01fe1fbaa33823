// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/dof_map.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/support/box_mesh.hpp"

namespace kaname::p2::dof_map_test {
namespace {

TEST(DofMap, NumbersEveryVertexAndEdgeOfALatticeOnce) {
    const mesh::TetMesh mesh = test::BoxMesh{.cells = {3, 2, 1}}.build();

    const DofMap dofs(mesh);

    // The middles of the lattice's edges and diagonals fill the lattice of half the spacing.
    EXPECT_EQ(dofs.n_vertices, 4 * 3 * 2);
    EXPECT_EQ(dofs.n_nodes(), 7 * 5 * 3);
    EXPECT_EQ(static_cast<std::int64_t>(dofs.edges.size()), dofs.n_nodes() - dofs.n_vertices);
    EXPECT_TRUE(std::is_sorted(dofs.edges.begin(), dofs.edges.end()));
}

TEST(DofMap, MidNodesLieBetweenTheirVertices) {
    const mesh::TetMesh mesh = test::BoxMesh{.cells = {2, 2, 2}}.build();

    const DofMap dofs(mesh);

    for (std::size_t tet = 0; tet < mesh.tets.size(); ++tet) {
        for (int v = 0; v < 4; ++v) {
            EXPECT_EQ(dofs.conn[tet][v], mesh.tets[tet][v]);
        }
        for (int e = 0; e < 6; ++e) {
            const Vec3 middle = 0.5 * (mesh.xyz[mesh.tets[tet][kTet10Edges[e][0]]] +
                                       mesh.xyz[mesh.tets[tet][kTet10Edges[e][1]]]);
            EXPECT_EQ(dofs.node_xyz[dofs.conn[tet][4 + e]], middle);
        }
    }
}

TEST(DofMap, EdgeNodeIsFoundFromBothEndsAndMissingEdgesAreMinusOne) {
    const mesh::TetMesh mesh = test::BoxMesh{.cells = {2, 1, 1}}.build();
    const DofMap dofs(mesh);

    const std::int32_t node = dofs.edge_node(0, 1);

    EXPECT_EQ(node, dofs.edge_node(1, 0));
    EXPECT_EQ(dofs.node_xyz[node], 0.5 * (mesh.xyz[0] + mesh.xyz[1]));
    EXPECT_EQ(dofs.edge_node(0, 2), -1);
    EXPECT_EQ(dofs.edge_node(0, dofs.n_vertices + 7), -1);
}

}  // namespace
}  // namespace kaname::p2::dof_map_test
