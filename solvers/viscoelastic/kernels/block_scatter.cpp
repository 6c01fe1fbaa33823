// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/kernels/block_scatter.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "solvers/base/error.hpp"
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

/// The entries of the last block, those with most places first, equal ones as they were.
void sort_by_places(BlockNodes& nodes) {
    const std::int32_t first = nodes.node_ptr.end()[-2];
    const std::int32_t last = nodes.node_ptr.back();
    const std::int32_t first_place = nodes.place_ptr[first];
    const std::vector<std::int32_t> node(nodes.node.begin() + first, nodes.node.end());
    const std::vector<std::int32_t> ptr(nodes.place_ptr.begin() + first, nodes.place_ptr.end());
    const std::vector<std::uint16_t> place(nodes.place.begin() + first_place, nodes.place.end());
    std::vector<std::int32_t> order(last - first);
    std::iota(order.begin(), order.end(), 0);
    const auto count = [&](std::int32_t entry) { return ptr[entry + 1] - ptr[entry]; };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int32_t a, std::int32_t b) { return count(a) > count(b); });
    auto to = nodes.place.begin() + first_place;
    for (std::int32_t k = 0; k < last - first; ++k) {
        const std::int32_t entry = order[k];
        nodes.node[first + k] = node[entry];
        to = std::copy(place.begin() + (ptr[entry] - first_place),
                       place.begin() + (ptr[entry + 1] - first_place), to);
        nodes.place_ptr[first + k + 1] = nodes.place_ptr[first + k] + count(entry);
    }
}

}  // namespace

BlockNodes block_nodes(std::span<const std::int32_t> conn,
                       std::span<const std::vector<p2::ElementBlocks::Block>> colours, int group,
                       NodeOrder order) {
    BlockNodes result;
    result.first_group = {0};
    result.colour_first = {0};
    result.node_ptr = {0};
    result.place_ptr = {0};
    std::vector<std::pair<std::int32_t, std::uint16_t>> touched;  // (node, place)
    for (const auto& colour : colours) {
        for (const auto& block : colour) {
            if (block.begin != result.first_group.back()) {
                throw Error(ErrorCode::Internal, "element blocks must follow each other");
            }
            const std::int32_t* nodes = conn.data() + std::ptrdiff_t(block.begin) * group * kNodes;
            const std::int32_t count = real_elements(nodes, (block.end - block.begin) * group);
            touched.clear();
            for (std::int32_t k = 0; k < count * kNodes; ++k) {
                touched.emplace_back(nodes[k], static_cast<std::uint16_t>(k));
            }
            std::sort(touched.begin(), touched.end());
            for (std::size_t k = 0; k < touched.size(); ++k) {
                if (k == 0 || touched[k].first != touched[k - 1].first) {
                    result.node.push_back(touched[k].first);
                    result.place_ptr.push_back(result.place_ptr.back());
                }
                result.place.push_back(static_cast<std::uint16_t>(
                    body::offset_of_place(touched[k].second / kNodes, touched[k].second % kNodes)));
                ++result.place_ptr.back();
            }
            result.first_group.push_back(block.end);
            result.node_ptr.push_back(static_cast<std::int32_t>(result.node.size()));
            if (order == NodeOrder::ByPlaces) {
                sort_by_places(result);
            }
            result.most_nodes =
                std::max(result.most_nodes, result.node_ptr.end()[-1] - result.node_ptr.end()[-2]);
        }
        result.colour_first.push_back(static_cast<std::int32_t>(result.first_group.size()) - 1);
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
    : first_group(std::span(nodes.first_group), queue),
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
