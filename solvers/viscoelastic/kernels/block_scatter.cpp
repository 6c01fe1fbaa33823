// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/kernels/block_scatter.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "solvers/p2/tet10.hpp"
#include "solvers/viscoelastic/kernels/block_scatter_body.hpp"

namespace kaname::viscoelastic {
namespace {

constexpr int kNodes = p2::kNodesPerTet10;

/// Elements of the block without the fillers at its end, which repeat the last one.
std::int32_t real_elements(const std::int32_t* conn, std::int32_t slots) {
    const auto same_as_before = [&](std::int32_t slot) {
        return std::equal(conn + slot * kNodes, conn + (slot + 1) * kNodes,
                          conn + (slot - 1) * kNodes);
    };
    while (slots > 1 && same_as_before(slots - 1)) {
        --slots;
    }
    return slots;
}

static_assert(body::offset_of_place(p2::ElementBlocks::kBlockSize, 0) <=
              std::numeric_limits<std::uint16_t>::max());

/// Lists of blocks that follow each other.
struct Lists {
    std::vector<std::int32_t> nodes_of_block;  ///< how many
    std::vector<std::int32_t> node, places_of_node;
    std::vector<std::uint16_t> place;

    /// A block of `count` elements with these nodes [count][10].
    void add(const std::int32_t* nodes, std::int32_t count, NodeOrder order) {
        std::vector<std::pair<std::int32_t, std::int32_t>> touched;  // (node, place)
        for (std::int32_t k = 0; k < count * kNodes; ++k) {
            touched.emplace_back(nodes[k], body::offset_of_place(k / kNodes, k % kNodes));
        }
        std::sort(touched.begin(), touched.end());
        std::vector<std::span<const std::pair<std::int32_t, std::int32_t>>> entries;
        for (std::size_t begin = 0, end = 0; begin < touched.size(); begin = end) {
            while (end < touched.size() && touched[end].first == touched[begin].first) {
                ++end;
            }
            entries.emplace_back(touched.data() + begin, end - begin);
        }
        if (order == NodeOrder::ByPlaces) {
            std::stable_sort(
                entries.begin(), entries.end(),
                [](const auto& one, const auto& other) { return one.size() > other.size(); });
        }
        nodes_of_block.push_back(static_cast<std::int32_t>(entries.size()));
        for (const auto& entry : entries) {
            node.push_back(entry[0].first);
            places_of_node.push_back(static_cast<std::int32_t>(entry.size()));
            for (const auto& at : entry) {
                place.push_back(static_cast<std::uint16_t>(at.second));
            }
        }
    }
};

/// to += numbers, as sums from the last of `to` on.
void append_sums(std::vector<std::int32_t>& to, const std::vector<std::int32_t>& numbers) {
    for (const std::int32_t n : numbers) {
        to.push_back(to.back() + n);
    }
}

}  // namespace

BlockNodes block_nodes(std::span<const std::int32_t> conn,
                       std::span<const std::vector<p2::ElementBlocks::Block>> colours, int group,
                       NodeOrder order) {
    BlockNodes result;
    result.colour_first = {0};
    for (const auto& colour : colours) {
        result.groups.insert(result.groups.end(), colour.begin(), colour.end());
        result.colour_first.push_back(static_cast<std::int32_t>(result.groups.size()));
    }
    const auto n_blocks = std::ssize(result.groups);
    constexpr std::ptrdiff_t kBlocksOfPart = 64;
    std::vector<Lists> parts((n_blocks + kBlocksOfPart - 1) / kBlocksOfPart);
#pragma omp parallel for schedule(dynamic)
    for (std::ptrdiff_t part = 0; part < std::ssize(parts); ++part) {
        const std::ptrdiff_t end = std::min((part + 1) * kBlocksOfPart, n_blocks);
        for (std::ptrdiff_t block = part * kBlocksOfPart; block < end; ++block) {
            const auto& range = result.groups[block];
            const std::int32_t* nodes = conn.data() + std::ptrdiff_t(range.begin) * group * kNodes;
            const std::int32_t slots = (range.end - range.begin) * group;
            parts[part].add(nodes, real_elements(nodes, slots), order);
        }
    }
    result.node_ptr = {0};
    result.place_ptr = {0};
    for (Lists& part : parts) {
        append_sums(result.node_ptr, part.nodes_of_block);
        append_sums(result.place_ptr, part.places_of_node);
        result.node.insert(result.node.end(), part.node.begin(), part.node.end());
        result.place.insert(result.place.end(), part.place.begin(), part.place.end());
        for (const std::int32_t n : part.nodes_of_block) {
            result.most_nodes = std::max(result.most_nodes, n);
        }
        part = {};
    }
    return result;
}

std::vector<std::int32_t> spatial_order_of_blocks(const p2::ElementBlocks& blocks) {
    std::vector<std::int32_t> begin;
    std::size_t boundary = 0;
    for (std::size_t colour = 0; colour < blocks.colours.size(); ++colour) {
        for (const auto& block : blocks.colours[colour]) {
            begin.push_back(block.begin);
        }
        if (static_cast<int>(colour) < blocks.n_boundary_colours) {
            boundary = begin.size();
        }
    }
    std::vector<std::int32_t> order(begin.size());
    std::iota(order.begin(), order.end(), 0);
    const auto before = [&](std::int32_t a, std::int32_t b) { return begin[a] < begin[b]; };
    const auto middle = order.begin() + static_cast<std::ptrdiff_t>(boundary);
    std::sort(order.begin(), middle, before);
    std::sort(middle, order.end(), before);
    return order;
}

BlockScatter::BlockScatter(const BlockNodes& nodes, const p2::ElementBlocks& blocks,
                           device::Queue& queue)
    : groups(std::span(nodes.groups), queue),
      node_ptr(std::span(nodes.node_ptr), queue),
      node(std::span(nodes.node), queue),
      place_ptr(std::span(nodes.place_ptr), queue),
      place(std::span(nodes.place), queue),
      spatial(std::span<const std::int32_t>(spatial_order_of_blocks(blocks)), queue),
      colour_first(nodes.colour_first),
      n_boundary_colours(blocks.n_boundary_colours),
      most_nodes(nodes.most_nodes) {}

const std::int32_t* BlockScatter::spatial_for(int first, int last) const {
    const int all = static_cast<int>(colour_first.size()) - 1;
    const bool whole =
        (first == 0 || first == n_boundary_colours) && (last == n_boundary_colours || last == all);
    return whole ? spatial.data() + colour_first[first] : nullptr;
}

}  // namespace kaname::viscoelastic
