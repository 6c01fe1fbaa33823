// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::mesh::mesh_parts_test {
namespace {

/// Two tetrahedra with a common face, which is a fault.
TetMesh pair(const std::string& fault, double at) {
    TetMesh mesh;
    mesh.xyz = {{at, 0, 0}, {at + 1, 0, 0}, {at, 1, 0}, {at, 0, 1}, {at, 0, -1}};
    mesh.tets = {{0, 1, 2, 3}, {0, 2, 1, 4}};
    mesh.material = {0, 1};
    mesh.fault_faces = {{{0, 1, 2}, 0}};
    mesh.faults = {fault};
    mesh.boundary_faces = {{{1, 2, 3}, Side::Top}};
    return mesh;
}

TEST(MeshParts, JoinedMeshesShareNoVertexAndKeepTheirFaults) {
    const TetMesh whole = joined({pair("b", 0.0), pair("a", 0.25)}, {"a", "b"});

    EXPECT_EQ(whole.xyz.size(), 10u);
    EXPECT_EQ(whole.tets.at(2), (std::array<std::int32_t, 4>{5, 6, 7, 8}));
    EXPECT_EQ(whole.material, (std::vector<std::int32_t>{0, 1, 0, 1}));
    EXPECT_EQ(whole.fault_faces.at(0).fault, 1);
    EXPECT_EQ(whole.fault_faces.at(1).fault, 0);
    EXPECT_EQ(whole.boundary_faces.at(1).vertices, (std::array<std::int32_t, 3>{6, 7, 8}));
}

TEST(MeshParts, PartsOfAMeshAreTheMeshesThatItWasJoinedFrom) {
    const TetMesh second = pair("a", 0.25);
    const std::vector<MeshPart> parts = parts_of(joined({pair("a", 0.0), second}, {"a"}));

    ASSERT_EQ(parts.size(), 2u);
    EXPECT_EQ(parts[1].tet, (std::vector<std::int32_t>{2, 3}));
    EXPECT_EQ(parts[1].mesh.tets, second.tets);
    EXPECT_EQ(parts[1].mesh.material, second.material);
    EXPECT_EQ(parts[1].mesh.xyz.at(3).x, second.xyz.at(3).x);
    EXPECT_EQ(parts[1].mesh.boundary_faces.size(), 1u);
}

TEST(MeshParts, MeshesThatDoNotFitAreRefused) {
    TetMesh other = pair("a", 0.25);
    other.surfaces.push_back("more");

    EXPECT_THROW((void)joined({}, {}), Error);
    EXPECT_THROW((void)joined({pair("a", 0.0)}, {"b"}), Error);
    EXPECT_THROW((void)joined({pair("a", 0.0), other}, {"a"}), Error);
}

}  // namespace
}  // namespace kaname::mesh::mesh_parts_test
