// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <gtest/gtest.h>

#include "solvers/base/units.hpp"
#include "solvers/fault/fault_surface.hpp"
#include "solvers/fault/split_nodes.hpp"
#include "solvers/p2/dof_map.hpp"
#include "tests/support/lattice/lattices.hpp"
#include "tests/unit/solvers/meshing/mesh_facts.hpp"

namespace kaname::meshing::split_lattice_test {
namespace {

fault::SplitNodes split(const mesh::TetMesh& mesh, const p2::DofMap& dofs) {
    return fault::split_fault_nodes(mesh, dofs.conn, dofs.node_xyz);
}

TEST(SplitLattice, RectangleSlipsUpToTheSurfaceButNotAtItsBuriedRim) {
    PlaneLatticeParams params;
    params.box = {120e3, 120e3, 60e3, 0.0};
    params.sizes.at_fault_m = 4e3;
    params.sizes.far_m = 40e3;
    params.structure = homogeneous();
    params.dip_rad = 40 * kDegree;
    params.window = {-8e3, 8e3, 0.0, 16e3};
    const fault::PlaneFault fault({}, 0.0, params.dip_rad);

    const auto mesh = make_plane_lattice(params)->build({});
    const p2::DofMap dofs(mesh);
    const auto nodes = split(mesh, dofs);

    // 4 x 4 cells of two triangles: 9 x 9 P2 nodes, of which 7 x 8 are off the buried rim.
    EXPECT_EQ(nodes.split.size(), 7u * 8u);
    EXPECT_EQ(nodes.rim.size(), 9u * 9u - 7u * 8u);
    for (const auto& [node, of] : nodes.split) {
        const auto at = fault.coordinates(dofs.node_xyz[node]);
        EXPECT_LT(std::abs(at.s), 8e3 - 1.0);
        EXPECT_LT(at.d, 16e3 - 1.0);
    }
    for (const Vec3& normal : nodes.normal) {
        EXPECT_NEAR(dot(normal, fault.normal({})), 1.0, 1e-9);
    }
    for (const auto& element : nodes.elements) {
        const double side = dot(centroid(mesh, mesh.tets[element.tet]), fault.normal({}));
        for (const auto sign : element.side) {
            EXPECT_GE(sign * side, 0.0);
        }
    }
}

TEST(SplitLattice, InterfaceThatRupturesSlipsOnItsTrace) {
    const auto depth = [](double x, double /*y*/) { return std::clamp(8e3 + 0.3 * x, 0.0, 60e3); };
    const fault::PlaneFault fault({0, 0, -8e3}, 0.0, std::atan(0.3));
    ColumnLatticeParams params;
    params.box = {200e3, 200e3, 100e3, 0.0};
    params.sizes.at_fault_m = 6e3;
    params.sizes.far_m = 40e3;
    params.structure = homogeneous();
    params.interface_depth_m = depth;
    params.fault = &fault;
    params.window = {-30e3, 30e3, -40e3, 30e3};
    params.surface_rupture = true;

    const auto mesh = make_column_lattice(params)->build({});
    const p2::DofMap dofs(mesh);
    const auto nodes = split(mesh, dofs);

    const auto on_trace =
        std::count_if(nodes.split.begin(), nodes.split.end(),
                      [&](const auto& at) { return dofs.node_xyz[at.node].z == 0.0; });
    EXPECT_GT(on_trace, 10);
    for (const auto& [node, of] : nodes.rim) {
        const Vec3& x = dofs.node_xyz[node];
        EXPECT_TRUE(x.z < 0.0 || std::abs(x.y) > 20e3) << x.x << ' ' << x.y;
    }
}

}  // namespace
}  // namespace kaname::meshing::split_lattice_test
