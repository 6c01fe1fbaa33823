// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/element_blocks.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "solvers/base/error.hpp"
#include "solvers/parallel/loops.hpp"

namespace kaname::p2 {
namespace {

/// An element with its centroid beside it: bisection moves both.
struct Member {
    Vec3 centroid;
    std::int32_t elem;
};

int longest_axis(std::span<const Member> members) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    Vec3 low{inf, inf, inf};
    Vec3 high{-inf, -inf, -inf};
    for (const Member& member : members) {
        for (int comp = 0; comp < 3; ++comp) {
            low[comp] = std::min(low[comp], member.centroid[comp]);
            high[comp] = std::max(high[comp], member.centroid[comp]);
        }
    }
    int axis = 0;
    for (int comp = 1; comp < 3; ++comp) {
        if (high[comp] - low[comp] > high[axis] - low[axis]) {
            axis = comp;
        }
    }
    return axis;
}

/// The halves are sets that ties cannot change, so threads may take them in any order.
void bisect(std::span<Member> members) {
    [[maybe_unused]] constexpr std::size_t kWorthATask = 4096;  // without OpenMP
    const std::size_t n = members.size();
    if (n <= ElementBlocks::kBlockSize) {
        std::ranges::sort(members, {}, &Member::elem);
        return;
    }
    // The left half is a whole number of blocks, so that only the last block is short.
    const std::size_t blocks = (n + ElementBlocks::kBlockSize - 1) / ElementBlocks::kBlockSize;
    const std::size_t left = blocks / 2 * ElementBlocks::kBlockSize;
    const int axis = longest_axis(members);
    std::nth_element(members.begin(), members.begin() + static_cast<std::ptrdiff_t>(left),
                     members.end(), [axis](const Member& a, const Member& b) {
                         const double xa = a.centroid[axis];
                         const double xb = b.centroid[axis];
                         return xa < xb || (xa == xb && a.elem < b.elem);
                     });
#pragma omp task if (n > kWorthATask)
    bisect(members.first(left));
    bisect(members.subspan(left));
}

void colour_range(std::span<const std::array<std::int32_t, kNodesPerTet10>> conn,
                  std::int32_t begin, std::int32_t end, std::int32_t n_nodes, std::int32_t size,
                  std::vector<std::vector<ElementBlocks::Block>>& colours) {
    std::vector<std::uint64_t> used(n_nodes, 0);  // bit c: a block of colour c holds the node
    const std::size_t first = colours.size();
    for (std::int32_t start = begin; start < end; start += size) {
        const std::int32_t stop = std::min(start + size, end);
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
    const std::int64_t n = std::ssize(elements);
    std::vector<Member> members(n);
    parallel_for(n, [&](std::int64_t k) { members[k] = {centroids[elements[k]], elements[k]}; });
#pragma omp parallel
#pragma omp single
    bisect(members);
    parallel_for(n, [&](std::int64_t k) { elements[k] = members[k].elem; });
    return elements;
}

ElementBlocks colour_blocks(std::span<const std::array<std::int32_t, kNodesPerTet10>> conn,
                            std::int32_t n_boundary, std::int32_t n_nodes, std::int32_t size) {
    ElementBlocks blocks;
    colour_range(conn, 0, n_boundary, n_nodes, size, blocks.colours);
    blocks.n_boundary_colours = static_cast<int>(blocks.colours.size());
    colour_range(conn, n_boundary, static_cast<std::int32_t>(conn.size()), n_nodes, size,
                 blocks.colours);
    return blocks;
}

std::int32_t chunk_size(std::int64_t n_elements) {
    constexpr std::int64_t kFewest = 256;
    constexpr std::int32_t kLargest = 16 * ElementBlocks::kBlockSize;
    std::int32_t size = ElementBlocks::kBlockSize;
    while (size < kLargest && n_elements >= 2 * size * kFewest) {
        size *= 2;
    }
    return size;
}

}  // namespace kaname::p2
