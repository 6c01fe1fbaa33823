// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/voxelwave/kernels/walsh_tile.hpp"

#include <gtest/gtest.h>

namespace kaname::voxelwave::walsh_tile_test {
namespace {

TEST(WalshTile, TilesHaveEveryNodeOnceAndFitAGpu) {
    constexpr int kThreads[] = {256, 512};
    for (const FieldShape& shape :
         {FieldShape{{163, 65, 193}, 1, 0}, FieldShape{{163, 65, 193}, 4, 0},
          FieldShape{{2, 2, 2}, 2, 0}, FieldShape{{1000, 2, 3}, 4, 0}}) {
        for (const int multiprocessors : {2, 132}) {
            const WalshTile tile = walsh_tile(shape, kThreads, 1024, multiprocessors);
            const int inner[3] = {tile.columns - 1, tile.rows - 1, tile.layers};
            for (int axis = 0; axis < 3; ++axis) {
                EXPECT_GE(tile.tiles[axis] * inner[axis], shape.nodes[axis]);
                EXPECT_LT((tile.tiles[axis] - 1) * inner[axis], shape.nodes[axis]);
            }
            EXPECT_GE(tile.threads, tile.columns * shape.lanes * tile.rows);
            EXPECT_TRUE(tile.threads == 256 || tile.threads == 512);
            const int rim = (tile.columns + tile.rows + 1) * shape.lanes;
            EXPECT_LE(rim, tile.threads / 2);
        }
    }
}

TEST(WalshTile, AGpuIsFilled) {
    constexpr int kThreads[] = {256, 512};
    const WalshTile tile = walsh_tile({{163, 65, 193}, 1, 0}, kThreads, 512, 132);
    const int blocks = tile.tiles[0] * tile.tiles[1] * tile.tiles[2];
    const int together = 132 * (512 / tile.threads);
    EXPECT_GT(blocks % together == 0 ? together : blocks % together, together * 3 / 4) << blocks;
    EXPECT_GE(tile.columns * tile.rows, tile.threads * 3 / 4);
}

}  // namespace
}  // namespace kaname::voxelwave::walsh_tile_test
