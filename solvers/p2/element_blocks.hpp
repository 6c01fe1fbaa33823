// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/p2/tet10.hpp"

namespace kaname::p2 {

/// Elements grouped into blocks of neighbours, blocks grouped into colours: two blocks of one
/// colour share no node, so threads may scatter into the nodes of one colour's blocks without
/// atomics, and the order of additions does not depend on the number of threads.
struct ElementBlocks {
    /// Multiple of every SIMD element group, small enough for a block's nodes to stay in L1.
    static constexpr int kBlockSize = 64;

    struct Block {
        std::int32_t begin;
        std::int32_t end;
    };
    std::vector<std::vector<Block>> colours;
    int n_boundary_colours = 0;  ///< colours before this one hold the elements at shared nodes
};

/// Order of the elements by recursive bisection of their centroids, in runs of kBlockSize.
[[nodiscard]] std::vector<std::int32_t> spatial_order(std::span<const Vec3> centroids,
                                                      std::vector<std::int32_t> elements);

/// Blocks of `size` consecutive elements; the first n_boundary elements are coloured on their own.
[[nodiscard]] ElementBlocks colour_blocks(
    std::span<const std::array<std::int32_t, kNodesPerTet10>> conn, std::int32_t n_boundary,
    std::int32_t n_nodes, std::int32_t size = ElementBlocks::kBlockSize);

/// Elements of a block for a CPU's operator: the more in one block, the fewer nodes lie in several,
/// and the less often each passes the caches; a block's data take half a megabyte at most. Some
/// blocks of kBlockSize; it depends on the mesh alone, as the order of additions does,
/// and at least 256 blocks are left for threads to share.
[[nodiscard]] std::int32_t chunk_size(std::int64_t n_elements);

}  // namespace kaname::p2
