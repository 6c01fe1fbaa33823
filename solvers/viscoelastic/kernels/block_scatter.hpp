// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/device/buffer.hpp"
#include "solvers/p2/dof_map.hpp"

namespace kaname::viscoelastic {

/// Order of a block's nodes (variants C and D of Yamaguchi et al. 2018).
enum class NodeOrder {
    Ascending,  ///< by their number
    ByPlaces,   ///< by the number of contributions, most first: threads of a warp add alike many
};

/// How the element blocks of a GPU add up their forces without atomics on shared memory: every
/// block of elements has a list of its different nodes, and for each of them the places in the
/// block's element forces that belong to it.
struct BlockNodes {
    /// [blocks] range of groups, colour after colour. Blocks of one colour need not follow each
    /// other: elements of a mesh lie in spatial order.
    std::vector<p2::ElementBlocks::Block> groups;
    std::vector<std::int32_t> colour_first;  ///< [colours + 1] first block of each colour
    std::vector<std::int32_t> node_ptr;      ///< [blocks + 1] into node and place_ptr
    std::vector<std::int32_t> node;          ///< node of each entry, in the order of NodeOrder
    std::vector<std::int32_t> place_ptr;     ///< [entries + 1] into place
    /// body::offset_of_place(element in block, node in element): where its force lies in shared
    /// memory, ascending for each entry. Filler elements add nothing and are left out.
    std::vector<std::uint16_t> place;
    /// [slots][10] body::staged_place(entry of its block) of every node of every element, where a
    /// thread block that has its nodes' numbers in shared memory finds them.
    std::vector<std::uint16_t> staged;
    std::int32_t most_nodes = 0;  ///< largest number of nodes in a block
};

/// conn [groups][group][10]; ranges of groups per colour. A filler repeats the element before it in
/// the last group of its block.
[[nodiscard]] BlockNodes block_nodes(std::span<const std::int32_t> conn,
                                     std::span<const std::vector<p2::ElementBlocks::Block>> colours,
                                     int group, NodeOrder order = NodeOrder::ByPlaces);

/// Blocks, counted through all colours, as their elements follow each other: neighbours in space
/// run at the same time and meet in the cache. Blocks at shared nodes stay before the others.
[[nodiscard]] std::vector<std::int32_t> spatial_order_of_blocks(const p2::ElementBlocks& blocks);

/// BlockNodes in the memory of a queue: all that a thread block needs of them in one row of
/// memory, which it copies to shared memory at once (body::BlockRow).
struct BlockScatter {
    BlockScatter() = default;
    /// group: elements of a warp, where kernels read their nodes from shared memory; 0 otherwise.
    BlockScatter(const BlockNodes& nodes, const p2::ElementBlocks& blocks, int group,
                 device::Queue& queue);

    device::Buffer<std::int32_t> rows;  ///< [blocks][row_words], in spatial_order_of_blocks
    device::Buffer<std::int32_t> row;   ///< [blocks] row of each block, counted through the colours
    /// [groups][5][group] places of an element's nodes 2k and 2k + 1, BlockNodes::staged.
    device::Buffer<std::uint32_t> staged;
    std::vector<std::int32_t> colour_first;
    int n_boundary_colours = 0;
    std::int32_t row_words = 0;
    std::int32_t most_nodes = 0;

    /// Returns true if the blocks of the colours [first, last) are rows that follow each other: the
    /// boundary's, the interior's or all.
    [[nodiscard]] bool spatial(int first, int last) const;
};

}  // namespace kaname::viscoelastic
