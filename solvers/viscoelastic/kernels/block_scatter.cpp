// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/kernels/block_scatter.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "solvers/p2/dof_map.hpp"
#include "solvers/parallel/loops.hpp"
#include "solvers/viscoelastic/kernels/block_scatter_body.hpp"

namespace kaname::viscoelastic {
namespace {

/// Elements of the block without the fillers at its end, which repeat the last one.
std::int32_t real_elements(const std::int32_t* conn, std::int32_t slots) {
    const auto same_as_before = [&](std::int32_t slot) {
        return std::equal(conn + slot * p2::kNodesPerTet10, conn + (slot + 1) * p2::kNodesPerTet10,
                          conn + (slot - 1) * p2::kNodesPerTet10);
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

    /// A block of `count` elements with these nodes [count][10]; places of their entries in
    /// `staged` [count][10].
    void add(const std::int32_t* nodes, std::int32_t count, NodeOrder order,
             std::uint16_t* staged) {
        std::vector<std::pair<std::int32_t, std::int32_t>> touched;  // (node, place)
        for (std::int32_t k = 0; k < count * p2::kNodesPerTet10; ++k) {
            touched.emplace_back(
                nodes[k], body::offset_of_place(k / p2::kNodesPerTet10, k % p2::kNodesPerTet10));
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
        for (std::size_t k = 0; k < entries.size(); ++k) {
            node.push_back(entries[k][0].first);
            places_of_node.push_back(static_cast<std::int32_t>(entries[k].size()));
            for (const auto& at : entries[k]) {
                place.push_back(static_cast<std::uint16_t>(at.second));
                staged[body::slot_node_of_place(at.second)] =
                    static_cast<std::uint16_t>(body::staged_place(static_cast<int>(k)));
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
    result.staged.resize(conn.size());
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
            const std::int32_t* nodes =
                conn.data() + std::ptrdiff_t(range.begin) * group * p2::kNodesPerTet10;
            const std::int32_t slots = (range.end - range.begin) * group;
            const std::int32_t real = real_elements(nodes, slots);
            std::uint16_t* staged = result.staged.data() + (nodes - conn.data());
            parts[part].add(nodes, real, order, staged);
            for (std::int32_t slot = real; slot < slots; ++slot) {
                std::copy_n(staged + (slot - 1) * p2::kNodesPerTet10, p2::kNodesPerTet10,
                            staged + slot * p2::kNodesPerTet10);
            }
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

namespace {

/// Words of a row (body::BlockRow) for the largest block, whole pieces of 32 bytes.
std::int32_t words_of_a_row(const BlockNodes& nodes) {
    std::int32_t most = 0;
    for (std::size_t block = 0; block < nodes.groups.size(); ++block) {
        const std::int32_t first = nodes.node_ptr[block];
        const std::int32_t last = nodes.node_ptr[block + 1];
        const std::int32_t n = last - first;
        const std::int32_t halves = n + 1 + nodes.place_ptr[last] - nodes.place_ptr[first];
        most = std::max(most, body::BlockRow::kHeader + n + (halves + 1) / 2);
    }
    return (most + 7) / 8 * 8;
}

void fill_row(const BlockNodes& nodes, std::int32_t block, std::int32_t* row) {
    const std::int32_t first = nodes.node_ptr[block];
    const std::int32_t n = nodes.node_ptr[block + 1] - first;
    row[0] = nodes.groups[block].begin;
    row[1] = nodes.groups[block].end;
    row[2] = n;
    row[3] = 0;
    std::copy_n(nodes.node.data() + first, n, row + body::BlockRow::kHeader);
    auto* half = reinterpret_cast<std::uint16_t*>(row + body::BlockRow::kHeader + n);
    const std::int32_t place0 = nodes.place_ptr[first];
    for (std::int32_t k = 0; k <= n; ++k) {
        *half++ = static_cast<std::uint16_t>(nodes.place_ptr[first + k] - place0);
    }
    std::copy_n(nodes.place.data() + place0, nodes.place_ptr[first + n] - place0, half);
}

/// BlockNodes::staged as [groups][5][group] pairs.
std::vector<std::uint32_t> staged_pairs(const std::vector<std::uint16_t>& staged, int group) {
    constexpr int kPairs = p2::kNodesPerTet10 / 2;
    std::vector<std::uint32_t> pairs(staged.size() / 2);
    parallel_for(std::ssize(staged) / p2::kNodesPerTet10, [&](std::int64_t slot) {
        for (int k = 0; k < kPairs; ++k) {
            const std::uint16_t* of = staged.data() + slot * p2::kNodesPerTet10 + 2 * k;
            pairs[(slot / group * kPairs + k) * group + slot % group] = of[0] | std::uint32_t(of[1])
                                                                                    << 16;
        }
    });
    return pairs;
}

}  // namespace

BlockScatter::BlockScatter(const BlockNodes& nodes, const p2::ElementBlocks& blocks, int group,
                           device::Queue& queue)
    : colour_first(nodes.colour_first),
      n_boundary_colours(blocks.n_boundary_colours),
      row_words(words_of_a_row(nodes)),
      most_nodes(nodes.most_nodes) {
    const std::vector<std::int32_t> order = spatial_order_of_blocks(blocks);
    std::vector<std::int32_t> place(order.size());
    device::Buffer<std::int32_t> filled(order.size() * row_words);
    parallel_for(std::ssize(order), [&](std::int64_t k) {
        place[order[k]] = static_cast<std::int32_t>(k);
        fill_row(nodes, order[k], filled.data() + k * row_words);
    });
    rows = moved_to(queue, std::move(filled));
    row = {std::span<const std::int32_t>(place), queue};
    if (group > 0) {
        staged = {std::span<const std::uint32_t>(staged_pairs(nodes.staged, group)), queue};
    }
}

bool BlockScatter::spatial(int first, int last) const {
    const int all = static_cast<int>(colour_first.size()) - 1;
    return (first == 0 || first == n_boundary_colours) &&
           (last == n_boundary_colours || last == all);
}

}  // namespace kaname::viscoelastic
