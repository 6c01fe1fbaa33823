// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/voxelwave/kernels/walsh_tile.hpp"

#include <gtest/gtest.h>

namespace kaname::voxelwave {
namespace {

TEST(WalshTile, TilesHaveEveryNodeOnceAndFitAGpu) {
    constexpr int kMost = 512;
    for (const FieldShape& shape :
         {FieldShape{{163, 65, 193}, 1, 0}, FieldShape{{163, 65, 193}, 4, 0},
          FieldShape{{2, 2, 2}, 2, 0}, FieldShape{{1000, 2, 3}, 4, 0}}) {
        for (const int multiprocessors : {2, 132}) {
            const WalshTile tile = walsh_tile(shape, kMost, 2 * kMost, multiprocessors);
            const int inner[3] = {tile.columns - 2, tile.rows - 2, tile.layers};
            for (int axis = 0; axis < 3; ++axis) {
                EXPECT_GE(tile.tiles[axis] * inner[axis], shape.nodes[axis]);
                EXPECT_LT((tile.tiles[axis] - 1) * inner[axis], shape.nodes[axis]);
            }
            EXPECT_GE(tile.threads, tile.columns * shape.lanes * tile.rows);
            EXPECT_LE(tile.threads, kMost);
            EXPECT_EQ(tile.threads % 32, 0);
        }
    }
}

TEST(WalshTile, AGpuIsFilled) {
    const WalshTile tile = walsh_tile({{163, 65, 193}, 1, 0}, 512, 512, 132);
    const int blocks = tile.tiles[0] * tile.tiles[1] * tile.tiles[2];
    EXPECT_GT(blocks % 132 == 0 ? 132 : blocks % 132, 100) << blocks;
    EXPECT_GE(tile.threads, 350);
}

}  // namespace
}  // namespace kaname::voxelwave
