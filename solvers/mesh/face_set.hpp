// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::mesh {

/// The distinct faces of a mesh's tets, sorted by their vertices; made in time proportional to the
/// mesh, with all threads. Vertex ids must be in range.
class FaceSet {
public:
    using Vertices = std::array<std::int32_t, 3>;

    explicit FaceSet(const TetMesh& mesh);

    [[nodiscard]] std::int64_t size() const { return std::ssize(keys_); }
    /// Index of a face, its vertices in any order; -1 when no tet has it.
    [[nodiscard]] std::int64_t find(Vertices vertices) const;
    /// Vertices of a face, ascending.
    [[nodiscard]] Vertices vertices(std::int64_t face) const;
    /// Vertices of a face that has one tet: smallest first, right-hand normal out of that tet.
    [[nodiscard]] Vertices outward(std::int64_t face) const;
    /// Number of tets that have the face.
    [[nodiscard]] int uses(std::int64_t face) const { return left_[face] + right_[face]; }
    /// Returns true if two of the face's tets lie on the same side of it: they overlap.
    [[nodiscard]] bool folded(std::int64_t face) const {
        return left_[face] > 1 || right_[face] > 1;
    }

private:
    std::vector<std::int64_t> first_;         ///< [V + 1] first face with that smallest vertex
    std::vector<std::uint64_t> keys_;         ///< (middle vertex, largest vertex)
    std::vector<std::uint8_t> left_, right_;  ///< tets on either side, ascending outward: left
};

/// Distinct edges of the tets: the mid-edge nodes of second order.
[[nodiscard]] std::int64_t count_edges(const TetMesh& mesh);

/// The pieces of a surface: triangles that common edges join.
struct FacePieces {
    std::vector<std::int32_t> of;  ///< of each face its piece: the number of one of the faces there
    std::vector<bool> stray;       ///< of each face: its piece is too small to be there by intent
};

/// `faces` by their vertices, at most 2^31; `size` of each face, in any unit. A piece is as large
/// as its faces together, and a stray where that is less than a fiftieth of the largest one's size.
[[nodiscard]] FacePieces find_pieces(std::span<const std::array<std::int32_t, 3>> faces,
                                     std::span<const double> size);

/// Turns triangles that share an edge to the same side: each edge is then run through in both
/// directions. Returns the piece [T] that each triangle belongs to, counted from 0; the first
/// triangle of a piece keeps its order. Throws InvalidArgument naming the place where more than two
/// triangles share an edge, or where a surface of one side only (a Moebius strip) closes.
std::vector<std::int32_t> orient_surface(std::span<std::array<std::int32_t, 3>> triangles,
                                         std::span<const Vec3> xyz);

}  // namespace kaname::mesh
