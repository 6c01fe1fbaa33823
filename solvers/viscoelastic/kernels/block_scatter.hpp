// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/device/buffer.hpp"
#include "solvers/p2/element_blocks.hpp"

namespace kaname::viscoelastic {

/// How the element blocks of a GPU add up their forces without atomics on shared memory: every
/// block of elements has a list of its different nodes, and for each of them the places in the
/// block's element forces that belong to it.
struct BlockNodes {
    std::vector<std::int32_t> first_group;   ///< [blocks + 1] group of the block's first element
    std::vector<std::int32_t> colour_first;  ///< [colours + 1] first block of each colour
    std::vector<std::int32_t> node_ptr;      ///< [blocks + 1] into node and place_ptr
    std::vector<std::int32_t> node;          ///< node of each entry, ascending in a block
    std::vector<std::int32_t> place_ptr;     ///< [entries + 1] into place
    /// (element in block) * 10 + (node in element), ascending for each entry. Filler elements add
    /// nothing and are left out.
    std::vector<std::uint16_t> place;
    std::int32_t most_nodes = 0;  ///< largest number of nodes in a block
};

/// conn [groups][group][10]; ranges of groups per colour. A filler repeats the element before it in
/// the last group of its block.
[[nodiscard]] BlockNodes block_nodes(std::span<const std::int32_t> conn,
                                     std::span<const std::vector<p2::ElementBlocks::Block>> colours,
                                     int group);

/// BlockNodes in the memory of a queue.
struct BlockScatter {
    BlockScatter() = default;
    BlockScatter(const BlockNodes& nodes, device::Queue& queue);

    device::Buffer<std::int32_t> first_group, node_ptr, node, place_ptr;
    device::Buffer<std::uint16_t> place;
    std::vector<std::int32_t> colour_first;
    std::int32_t most_nodes = 0;
};

}  // namespace kaname::viscoelastic
