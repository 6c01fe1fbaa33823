// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/kernels/block_scatter.hpp"

#include <algorithm>

#include "solvers/base/error.hpp"
#include "solvers/p2/tet10.hpp"

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

}  // namespace

BlockNodes block_nodes(std::span<const std::int32_t> conn,
                       std::span<const std::vector<p2::ElementBlocks::Block>> colours, int group) {
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
                result.place.push_back(touched[k].second);
                ++result.place_ptr.back();
            }
            result.first_group.push_back(block.end);
            result.node_ptr.push_back(static_cast<std::int32_t>(result.node.size()));
            result.most_nodes =
                std::max(result.most_nodes, result.node_ptr.end()[-1] - result.node_ptr.end()[-2]);
        }
        result.colour_first.push_back(static_cast<std::int32_t>(result.first_group.size()) - 1);
    }
    return result;
}

BlockScatter::BlockScatter(const BlockNodes& nodes, device::Queue& queue)
    : first_group(std::span(nodes.first_group), queue),
      node_ptr(std::span(nodes.node_ptr), queue),
      node(std::span(nodes.node), queue),
      place_ptr(std::span(nodes.place_ptr), queue),
      place(std::span(nodes.place), queue),
      colour_first(nodes.colour_first),
      most_nodes(nodes.most_nodes) {}

}  // namespace kaname::viscoelastic
