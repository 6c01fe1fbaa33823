// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/element_blocks.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "solvers/base/error.hpp"

namespace kaname::p2 {
namespace {

using Iterator = std::vector<std::int32_t>::iterator;

void bisect(std::span<const Vec3> centroids, Iterator begin, Iterator end) {
    const auto n = end - begin;
    if (n <= ElementBlocks::kBlockSize) {
        std::sort(begin, end);
        return;
    }
    constexpr double inf = std::numeric_limits<double>::infinity();
    Vec3 low{inf, inf, inf};
    Vec3 high{-inf, -inf, -inf};
    for (Iterator it = begin; it != end; ++it) {
        for (int comp = 0; comp < 3; ++comp) {
            low[comp] = std::min(low[comp], centroids[*it][comp]);
            high[comp] = std::max(high[comp], centroids[*it][comp]);
        }
    }
    int axis = 0;
    for (int comp = 1; comp < 3; ++comp) {
        if (high[comp] - low[comp] > high[axis] - low[axis]) {
            axis = comp;
        }
    }
    // The left half is a whole number of blocks, so that only the last block is short.
    const auto blocks = (n + ElementBlocks::kBlockSize - 1) / ElementBlocks::kBlockSize;
    const Iterator middle = begin + (blocks / 2) * ElementBlocks::kBlockSize;
    std::nth_element(begin, middle, end, [&](std::int32_t a, std::int32_t b) {
        const double xa = centroids[a][axis];
        const double xb = centroids[b][axis];
        return xa < xb || (xa == xb && a < b);
    });
    bisect(centroids, begin, middle);
    bisect(centroids, middle, end);
}

void colour_range(std::span<const std::array<std::int32_t, kNodesPerTet10>> conn,
                  std::int32_t begin, std::int32_t end, std::int32_t n_nodes,
                  std::vector<std::vector<ElementBlocks::Block>>& colours) {
    std::vector<std::uint64_t> used(n_nodes, 0);  // bit c: a block of colour c holds the node
    const std::size_t first = colours.size();
    for (std::int32_t start = begin; start < end; start += ElementBlocks::kBlockSize) {
        const std::int32_t stop = std::min(start + ElementBlocks::kBlockSize, end);
        std::uint64_t taken = 0;
        for (std::int32_t elem = start; elem < stop; ++elem) {
            for (const std::int32_t node : conn[elem]) {
                taken |= used[node];
            }
        }
        const int colour = std::countr_one(taken);
        if (colour == 64) {
            throw Error(ErrorCode::Internal, "more than 64 colours of element blocks are needed");
        }
        for (std::int32_t elem = start; elem < stop; ++elem) {
            for (const std::int32_t node : conn[elem]) {
                used[node] |= std::uint64_t{1} << colour;
            }
        }
        if (first + colour == colours.size()) {
            colours.emplace_back();
        }
        colours[first + colour].push_back({start, stop});
    }
}

}  // namespace

std::vector<std::int32_t> spatial_order(std::span<const Vec3> centroids,
                                        std::vector<std::int32_t> elements) {
    bisect(centroids, elements.begin(), elements.end());
    return elements;
}

ElementBlocks colour_blocks(std::span<const std::array<std::int32_t, kNodesPerTet10>> conn,
                            std::int32_t n_boundary, std::int32_t n_nodes) {
    ElementBlocks blocks;
    colour_range(conn, 0, n_boundary, n_nodes, blocks.colours);
    blocks.n_boundary_colours = static_cast<int>(blocks.colours.size());
    colour_range(conn, n_boundary, static_cast<std::int32_t>(conn.size()), n_nodes, blocks.colours);
    return blocks;
}

}  // namespace kaname::p2
