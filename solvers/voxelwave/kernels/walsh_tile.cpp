// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/voxelwave/kernels/walsh_tile.hpp"

#include <algorithm>
#include <limits>

namespace kaname::voxelwave {
namespace {

/// Numbers of a row that are read together, at least: half of what a warp reads.
constexpr int kShortestRow = 16;
/// Planes that a tile reads beyond those that it writes, with the time until its first numbers
/// come.
constexpr int kExtraLayers = 3;
/// kWaiting estimates the wait of a block alone on a multiprocessor at the barrier of a layer, in
/// threads that could work. Several blocks wait at different times.
constexpr double kWaiting = 192;

int up(int n, int of) {
    return (n + of - 1) / of;
}

}  // namespace

WalshTile walsh_tile(const FieldShape& shape, std::span<const int> threads, int resident,
                     int multiprocessors) {
    const auto& n = shape.nodes;
    WalshTile best{};
    double least = std::numeric_limits<double>::infinity();
    for (const int most : threads) {
        const int together = resident / most;
        for (int x = 1; x <= n[0]; ++x) {
            const int columns = up(n[0], x) + 1, width = columns * shape.lanes;
            if ((width < kShortestRow && x > 1) || width * 2 > most) {
                continue;
            }
            for (int y = 1; y <= n[1]; ++y) {
                const int rows = up(n[1], y) + 1;
                // Nodes beyond the tile's own are brought by half of its threads at most.
                if (width * rows > most || width + shape.lanes * (rows + 1) > most / 2) {
                    continue;
                }
                for (int z = 1; z <= n[2]; ++z) {
                    const int layers = up(n[2], z);
                    const int busiest = up(x * y * up(n[2], layers), multiprocessors);
                    const int at_a_time = std::min(busiest, together);
                    const double work =
                        (double(busiest) * most + up(busiest, together) * kWaiting / at_a_time) *
                        (layers + kExtraLayers);
                    if (work < least) {
                        least = work;
                        best = {columns, rows, layers, most, {x, y, up(n[2], layers)}};
                    }
                }
            }
        }
    }
    return best;
}

}  // namespace kaname::voxelwave
