// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "solvers/p2/dof_map.hpp"
#include "tests/support/box_mesh.hpp"

namespace kaname::p2::element_blocks_test {
namespace {

/// 6 x 5 x 4 cells, 720 tets (11 full blocks and one of 16), elements in spatial order.
struct Lattice {
    mesh::TetMesh mesh = test::BoxMesh{.cells = {6, 5, 4}}.build();
    DofMap dofs{mesh};
    std::vector<Vec3> centroids = std::vector<Vec3>(mesh.tets.size());

    Lattice() {
        for (std::size_t tet = 0; tet < mesh.tets.size(); ++tet) {
            for (const std::int32_t v : mesh.tets[tet]) {
                centroids[tet] += 0.25 * mesh.xyz[v];
            }
        }
    }
    [[nodiscard]] std::vector<std::int32_t> order() const {
        std::vector<std::int32_t> all(mesh.tets.size());
        std::iota(all.begin(), all.end(), 0);
        return spatial_order(centroids, all);
    }
    [[nodiscard]] std::vector<std::array<std::int32_t, kNodesPerTet10>> ordered_conn() const {
        std::vector<std::array<std::int32_t, kNodesPerTet10>> conn;
        for (const std::int32_t tet : order()) {
            conn.push_back(dofs.conn[tet]);
        }
        return conn;
    }
};

TEST(SpatialOrder, IsAPermutation) {
    const Lattice lattice;

    std::vector<std::int32_t> order = lattice.order();

    std::sort(order.begin(), order.end());
    for (std::size_t k = 0; k < order.size(); ++k) {
        EXPECT_EQ(order[k], static_cast<std::int32_t>(k));
    }
    EXPECT_EQ(order.size(), lattice.mesh.tets.size());
}

TEST(SpatialOrder, BlocksAreCompact) {
    const Lattice lattice;

    const std::vector<std::int32_t> order = lattice.order();

    // A block of 64 of the 720 tets: a compact one spans far less than the box in all directions.
    double mean = 0.0;
    const std::size_t blocks = order.size() / ElementBlocks::kBlockSize;
    for (std::size_t block = 0; block < blocks; ++block) {
        double span = 0.0;
        const auto begin = order.begin() + block * ElementBlocks::kBlockSize;
        for (int comp = 0; comp < 3; ++comp) {
            const auto [low, high] = std::minmax_element(
                begin, begin + ElementBlocks::kBlockSize, [&](std::int32_t a, std::int32_t b) {
                    return lattice.centroids[a][comp] < lattice.centroids[b][comp];
                });
            span = std::max(span, lattice.centroids[*high][comp] - lattice.centroids[*low][comp]);
        }
        mean += span / static_cast<double>(blocks);
    }
    EXPECT_LT(mean, 0.6);
}

TEST(SpatialOrder, KeepsOnlyTheGivenElements) {
    const Lattice lattice;

    const auto order = spatial_order(lattice.centroids, {700, 3, 55});

    EXPECT_EQ(order, (std::vector<std::int32_t>{3, 55, 700}));
}

void expect_valid(const ElementBlocks& blocks,
                  const std::vector<std::array<std::int32_t, kNodesPerTet10>>& conn,
                  std::int32_t n_boundary, std::int32_t n_nodes,
                  std::int32_t size = ElementBlocks::kBlockSize) {
    std::vector<int> seen(conn.size(), 0);
    for (std::size_t colour = 0; colour < blocks.colours.size(); ++colour) {
        std::vector<int> block_of(n_nodes, -1);
        for (std::size_t b = 0; b < blocks.colours[colour].size(); ++b) {
            const auto& block = blocks.colours[colour][b];
            EXPECT_LE(block.end - block.begin, size);
            for (std::int32_t elem = block.begin; elem < block.end; ++elem) {
                ++seen[elem];
                EXPECT_EQ(elem < n_boundary, static_cast<int>(colour) < blocks.n_boundary_colours);
                for (const std::int32_t node : conn[elem]) {
                    ASSERT_TRUE(block_of[node] == -1 || block_of[node] == static_cast<int>(b))
                        << "colour " << colour << " node " << node;
                    block_of[node] = static_cast<int>(b);
                }
            }
        }
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::ptrdiff_t>(conn.size()));
}

TEST(ColourBlocks, NoTwoBlocksOfOneColourShareANode) {
    const Lattice lattice;
    const auto conn = lattice.ordered_conn();
    const auto n_nodes = static_cast<std::int32_t>(lattice.dofs.n_nodes());

    const ElementBlocks blocks = colour_blocks(conn, 0, n_nodes);

    EXPECT_EQ(blocks.n_boundary_colours, 0);
    EXPECT_GT(blocks.colours.size(), 1u);
    expect_valid(blocks, conn, 0, n_nodes);
}

TEST(ColourBlocks, BoundaryElementsHaveTheFirstColoursToThemselves) {
    const Lattice lattice;
    const auto conn = lattice.ordered_conn();
    const auto n_nodes = static_cast<std::int32_t>(lattice.dofs.n_nodes());
    constexpr std::int32_t kBoundary = 101;

    const ElementBlocks blocks = colour_blocks(conn, kBoundary, n_nodes);

    EXPECT_GT(blocks.n_boundary_colours, 0);
    expect_valid(blocks, conn, kBoundary, n_nodes);
}

TEST(ColourBlocks, LargerBlocksShareNoNodeEither) {
    const Lattice lattice;
    const auto conn = lattice.ordered_conn();
    const auto n_nodes = static_cast<std::int32_t>(lattice.dofs.n_nodes());
    constexpr std::int32_t kBoundary = 101;
    constexpr std::int32_t kSize = 2 * ElementBlocks::kBlockSize;

    const ElementBlocks blocks = colour_blocks(conn, kBoundary, n_nodes, kSize);

    expect_valid(blocks, conn, kBoundary, n_nodes, kSize);
    std::size_t n_blocks = 0;
    for (const auto& colour : blocks.colours) {
        n_blocks += colour.size();
    }
    EXPECT_EQ(n_blocks, 1u + 5u);  // 101 elements, then 619
}

TEST(ChunkSize, GrowsWithTheMeshAndLeavesManyChunks) {
    EXPECT_EQ(chunk_size(0), ElementBlocks::kBlockSize);
    EXPECT_EQ(chunk_size(10'000), ElementBlocks::kBlockSize);
    EXPECT_EQ(chunk_size(180'000), 8 * ElementBlocks::kBlockSize);
    EXPECT_EQ(chunk_size(5'000'000), 16 * ElementBlocks::kBlockSize);
    for (std::int64_t n = 1; n < 10'000'000; n = n * 5 / 4 + 1) {
        const std::int32_t size = chunk_size(n);
        EXPECT_EQ(size % ElementBlocks::kBlockSize, 0) << n;
        EXPECT_TRUE(size == ElementBlocks::kBlockSize || n / size >= 256) << n;
    }
}

TEST(ColourBlocks, NothingGivesNoColours) {
    const ElementBlocks blocks = colour_blocks({}, 0, 0);

    EXPECT_TRUE(blocks.colours.empty());
    EXPECT_EQ(blocks.n_boundary_colours, 0);
}

}  // namespace
}  // namespace kaname::p2::element_blocks_test
