// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::meshing {

/// The faces of all tets, to be found by their vertices.
class FaceTable {
public:
    using Vertices = std::array<std::int32_t, 3>;
    struct Entry {
        Vertices key;  ///< ascending
        std::int32_t tet;
        std::int32_t opposite;  ///< corner 0..3 of the tet that is not on the face
    };

    explicit FaceTable(const mesh::TetMesh& mesh);

    /// One entry per tet that has the face.
    [[nodiscard]] std::span<const Entry> find(const Vertices& vertices) const;
    /// Faces of one tet only, in ascending order of their vertices.
    [[nodiscard]] std::vector<Entry> outer() const;

private:
    std::vector<Entry> entries_;  ///< sorted by key, then tet
};

}  // namespace kaname::meshing
