// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "solvers/mesh/face_set.hpp"
#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::mesh {

struct QualityReport {
    std::int64_t vertices = 0;
    std::int64_t tets = 0;
    std::int64_t nodes = 0;  ///< second-order nodes: vertices and middles of edges
    [[nodiscard]] std::int64_t dof() const { return 3 * nodes; }

    double min_dihedral_deg = 0.0;
    double max_dihedral_deg = 0.0;
    double p001_min_dihedral_deg = 0.0;  ///< 99.9 % of elements have a larger smallest angle
    std::array<std::int64_t, 18> dihedral_histogram{};  ///< ten-degree bins of all dihedral angles
    struct Element {
        std::int64_t tet;
        double min_dihedral_deg, max_dihedral_deg;
        Vec3 centroid;
    };
    std::vector<Element> worst;     ///< up to ten, smallest angle first
    std::optional<Element> widest;  ///< the element with the largest angle

    std::vector<double> volume_per_material;  ///< [m^3]
    std::vector<double> volume_per_volume;    ///< [TetMesh::volumes] [m^3]; empty: not known
    std::int64_t fault_faces = 0;
    double min_edge_m = 0.0;
    double max_edge_m = 0.0;

    /// Size of an element (edge of the regular tetrahedron of its volume) over the size asked for
    /// at its centroid.
    struct Sizes {
        static constexpr int kBins = 10;
        /// Bins: below 1/4, half octaves from there, at least 4.
        std::array<std::int64_t, kBins> histogram{};
        double within_two = 0.0;  ///< fraction of elements from a half to twice the size
        double min_m = 0.0, max_m = 0.0;
    };
    std::optional<Sizes> sizes;

    /// Counts of faults; all are zero in a mesh that check_mesh() accepts.
    struct Connectivity {
        std::int64_t open_faces = 0;     ///< one tet but no boundary: hanging nodes, holes
        std::int64_t crowded_faces = 0;  ///< more than two tets
        std::int64_t folded_faces = 0;   ///< two tets on the same side
        std::int64_t unused_vertices = 0;
        [[nodiscard]] bool watertight() const {
            return open_faces + crowded_faces + folded_faces + unused_vertices == 0;
        }
    };
    Connectivity connectivity;
};

/// Uses all threads; the result does not depend on how many. `size_m(x)`, thread safe, is the size
/// asked for.
///   faces  the mesh's faces as check_mesh() returned them; made here when not given
[[nodiscard]] QualityReport measure_quality(const TetMesh& mesh, const FaceSet& faces,
                                            const std::function<double(const Vec3&)>& size_m = {});
[[nodiscard]] QualityReport measure_quality(const TetMesh& mesh,
                                            const std::function<double(const Vec3&)>& size_m = {});

/// Throws ValidationError naming the place of each fault (first ten of each kind): tets with zero
/// or negative volume (with vertex coordinates), ids out of range, faces shared by more than two
/// tets or by two on the same side of it, free faces that are no boundary face (hanging nodes,
/// holes), vertices in no tet, fault faces that are not the face of two tets, non-finite
/// coordinates, materials or volumes out of range. Returns the faces that it made,
/// which measure_quality() takes.
FaceSet check_mesh(const TetMesh& mesh, int n_materials);

}  // namespace kaname::mesh
