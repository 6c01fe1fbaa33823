// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace kaname::mesh {

/// The pieces of a surface: triangles that common edges join.
struct FacePieces {
    std::vector<std::int32_t> of;  ///< of each face its piece: the number of one of the faces there
    std::vector<bool> stray;       ///< of each face: its piece is too small to be there by intent
};

/// `faces` by their vertices, at most 2^31; `size` of each face, in any unit. A piece is as large
/// as its faces together, and a stray where that is less than a fiftieth of the largest one's size.
[[nodiscard]] FacePieces find_pieces(std::span<const std::array<std::int32_t, 3>> faces,
                                     std::span<const double> size);

}  // namespace kaname::mesh
