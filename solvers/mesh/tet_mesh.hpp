// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "solvers/base/vec3.hpp"

namespace kaname::mesh {

using kaname::kSideCount;
using kaname::kSideNames;
using kaname::Side;

/// Index into TetMesh::surfaces. The sides of a box are its first six surfaces.
struct SurfaceId {
    std::int32_t index = 0;

    constexpr SurfaceId() = default;
    constexpr explicit SurfaceId(std::int32_t of) : index(of) {}
    // Implicit: wherever a surface is asked for, a side of the box is one.
    constexpr SurfaceId(Side side) : index(static_cast<std::int32_t>(side)) {}
    constexpr explicit operator int() const { return index; }
    friend constexpr bool operator==(SurfaceId, SurfaceId) = default;
};

/// A face between two tetrahedra on a fault. Vertices are ordered so that the right-hand normal
/// points to the plus side (the hanging wall: up for a dipping fault).
struct FaultFace {
    std::array<std::int32_t, 3> vertices;
    std::int32_t fault = 0;  ///< index into TetMesh::faults
};

struct BoundaryFace {
    std::array<std::int32_t, 3> vertices;  ///< right-hand normal points outward
    SurfaceId side;
};

/// Straight-sided tetrahedra; second order comes from p2::DofMap, which numbers the edges.
///   xyz       [V]     vertex coordinates [m], x east, y north, z up
///   tets      [E][4]  vertex ids, positive volume: det(b-a, c-a, d-a) > 0
///   material  [E]     index into earth::LayeredStructure::materials
struct TetMesh {
    std::vector<Vec3> xyz;
    std::vector<std::array<std::int32_t, 4>> tets;
    std::vector<std::int32_t> material;
    std::vector<FaultFace> fault_faces;
    std::vector<BoundaryFace> boundary_faces;
    std::vector<std::string> surfaces{kSideNames.begin(), kSideNames.end()};  ///< names
    SurfaceId top = Side::Top;                 ///< where stations and the surface's motion are
    std::vector<std::string> faults{"fault"};  ///< names
    std::vector<std::int32_t> volume;          ///< [E] index into volumes; empty: not known
    std::vector<std::string> volumes;          ///< names of the structure's volumes
};

/// Edges of a tetrahedron by its corners, in the order of fem's mid-edge nodes.
inline constexpr std::array<std::array<int, 2>, 6> kTetEdges = {
    {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}}};

/// Face opposite to corner k; right-hand normal outward for a tet of positive volume.
inline constexpr std::array<std::array<int, 3>, 4> kTetFaces = {
    {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}};

using Corners = std::array<Vec3, 4>;

[[nodiscard]] inline Corners corners_of(const TetMesh& mesh, std::size_t tet) {
    const auto& v = mesh.tets[tet];
    return {mesh.xyz[v[0]], mesh.xyz[v[1]], mesh.xyz[v[2]], mesh.xyz[v[3]]};
}
[[nodiscard]] inline Vec3 centroid_of(const Corners& at) {
    return 0.25 * (at[0] + at[1] + at[2] + at[3]);
}
/// [m^3], negative for the other orientation.
[[nodiscard]] inline double volume_of(const Corners& at) {
    return det6(at[0], at[1], at[2], at[3]) / 6.0;
}
/// Size of an element [m]: the edge of the regular tetrahedron of this volume, a^3 = 6 sqrt(2) V.
[[nodiscard]] double regular_edge_m(double volume_m3);

[[nodiscard]] double longest_edge_m(const Corners& at);

/// The six dihedral angles [degrees].
[[nodiscard]] std::array<double, 6> dihedral_angles_deg(const Corners& at);

/// Meshes of one model side by side in one: they share no vertex, though they fill the same space.
/// Problems on them are solved as one, and what is linear in them is summed at a place. `faults`
/// names the faults of the result, in its order. Throws InvalidArgument where there is no mesh, a
/// mesh has a fault that is not among them, or their surfaces or volumes differ.
[[nodiscard]] TetMesh joined(std::vector<TetMesh> meshes, std::vector<std::string> faults);

/// One of the pieces of a mesh that share no vertex, as a mesh.
struct MeshPart {
    TetMesh mesh;                   ///< vertices, tets, materials and faces of the outside alone
    std::vector<std::int32_t> tet;  ///< [E of the part] ids in the whole mesh
};
/// The pieces in the order of their first tets.
[[nodiscard]] std::vector<MeshPart> parts_of(const TetMesh& mesh);

}  // namespace kaname::mesh
