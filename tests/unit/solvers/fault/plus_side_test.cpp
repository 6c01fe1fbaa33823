// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <gtest/gtest.h>

#include "solvers/fault/split_nodes.hpp"
#include "solvers/p2/dof_map.hpp"
#include "tests/support/box_mesh.hpp"

namespace kaname::fault::plus_side_test {
namespace {

/// 4 x 4 x 4 unit cells, a wall on x = 2 through all of the box, its tets in either order.
mesh::TetMesh walled(bool reversed, bool normal_along_x) {
    test::BoxMesh box{.cells = {4, 4, 4}, .high = {4.0, 4.0, 4.0}};
    box.faults = {{.axis = 0, .index = 2, .low = {0, 0, 0}, .high = {0, 4, 4}}};
    box.faults[0].normal_along_axis = normal_along_x;
    mesh::TetMesh mesh = box.build();
    if (reversed) {
        std::ranges::reverse(mesh.tets);
    }
    return mesh;
}

double centre_x(const mesh::TetMesh& mesh, std::int32_t tet) {
    double x = 0.0;
    for (const std::int32_t v : mesh.tets[tet]) {
        x += 0.25 * mesh.xyz[v].x;
    }
    return x;
}

TEST(ToPlusSide, APlaceOnAFaultIsOnThePlusSideWhicheverWayTheMeshFell) {
    // In a face, on an edge and at a vertex of the trace, a rounding error to either side, inside
    // of the box, and beside the fault.
    const std::vector<Vec3> places = {{2.0, 1.3, 4.0},        {2.0, 2.0, 4.0},
                                      {2.0 + 1e-8, 1.4, 4.0}, {2.0 - 1e-8, 1.4, 4.0},
                                      {2.0, 1.2, 2.6},        {1.9, 1.3, 4.0}};
    for (const bool reversed : {false, true}) {
        for (const bool east : {false, true}) {
            const mesh::TetMesh mesh = walled(reversed, east);
            const p2::DofMap dofs(mesh);
            std::vector<p2::Location> found = p2::locate_points(mesh, places);

            to_plus_side(mesh, split_fault_nodes(mesh, dofs.conn, dofs.node_xyz), found);

            for (std::size_t k = 0; k + 1 < places.size(); ++k) {
                EXPECT_EQ(centre_x(mesh, found[k].tet) > 2.0, east) << k << reversed;
                Vec3 at;
                for (int corner = 0; corner < 4; ++corner) {
                    at += found[k].barycentric[corner] * mesh.xyz[mesh.tets[found[k].tet][corner]];
                }
                EXPECT_NEAR(norm(at - places[k]), 0.0, 2e-8);
            }
            EXPECT_LT(centre_x(mesh, found.back().tet), 2.0);
        }
    }
}

}  // namespace
}  // namespace kaname::fault::plus_side_test
