// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/aderdg/wave_setup.hpp"

namespace kaname::aderdg {

/// The vertices of a face, which tell it from others once they are sorted.
using FaceKey = std::array<std::int32_t, 3>;

/// Tets with their vertices sorted, and what lies beyond their faces.
struct TetTopology {
    struct Beyond {
        std::int64_t tet = -1;  ///< -1: a boundary
        int face = 0;           ///< its own number there
        Boundary boundary = Boundary::Free;
        std::int32_t fault_face = -1;  ///< TetMesh::fault_faces, where friction acts
        bool on_plus_side = false;     ///< of that face: the tet that this is said of

        /// Returns true if the trace is kept over time and the element sees another one beyond than
        /// its neighbour's.
        [[nodiscard]] bool conditioned() const {
            return fault_face >= 0 || (tet < 0 && boundary == Boundary::Gravity);
        }
    };
    /// Vertices in ascending order of their numbers, where one of a periodic pair counts as the
    /// other: both tets of a face then order its vertices alike.
    std::vector<std::array<std::int32_t, 4>> tets;
    std::vector<std::array<Beyond, 4>> beyond;  ///< face f is opposite to vertex f

    /// Throws ValidationError for solids out of range, faces of three tets, a periodic surface
    /// whose triangles are not those of the other one moved, boundaries that are not all named, and
    /// faults with friction (model.fault) that are not between two solids.
    [[nodiscard]] static TetTopology of(const WaveModel& model);
};

/// Faces of one kind of boundary, numbered, [4 tets]; -1 for all others.
[[nodiscard]] std::vector<std::int64_t> numbered_faces(const TetTopology& topology,
                                                       Boundary boundary);
/// Faces where waves leave.
[[nodiscard]] inline std::vector<std::int64_t> absorbing_faces(const TetTopology& topology) {
    return numbered_faces(topology, Boundary::Absorbing);
}

/// Shape of a tet: what the equations need of it.
struct TetShape {
    std::array<Vec3, 4> gradient;  ///< of the barycentric coordinates [1/m]
    double volume_m3 = 0.0;
    std::array<Vec3, 4> normal;  ///< outward, of length 1
    std::array<double, 4> area_m2{};
    double insphere_diameter_m = 0.0;

    [[nodiscard]] static TetShape of(const std::array<Vec3, 4>& corners);
};

/// Barycentric coordinates of a point.
[[nodiscard]] std::array<double, 4> barycentric(const std::array<Vec3, 4>& corners, const Vec3& x);

[[nodiscard]] std::array<Vec3, 4> corners_of(const WaveModel& model, const TetTopology& topology,
                                             std::int64_t tet);

/// Marks the two tets of every fault face, where model.fault has laws. Throws ValidationError for
/// faces that are none between two tets, and those beside a liquid.
void attach_faults(const WaveModel& model, TetTopology& topology);

/// Gives both tets of every fault face one rank: the friction there needs both traces.
void keep_pairs_together(const TetTopology& topology, std::span<std::int32_t> rank_of_tet);

}  // namespace kaname::aderdg
