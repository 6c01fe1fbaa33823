// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/voxelwave/kernels/walsh_tile.hpp"

#include <algorithm>
#include <limits>

namespace kaname::voxelwave {
namespace {

constexpr int kWarp = 32;
/// Planes that a tile reads beyond those that it writes, with the time until its first numbers
/// come.
constexpr int kExtraLayers = 3;
/// What threads wait for at the two barriers of a layer, in threads that could work: an estimate.
constexpr int kWaiting = 128;

int up(int n, int of) {
    return (n + of - 1) / of;
}

}  // namespace

WalshTile walsh_tile(const FieldShape& shape, int most, int resident, int multiprocessors) {
    const auto& n = shape.nodes;
    WalshTile best{};
    double least = std::numeric_limits<double>::infinity();
    for (int x = 1; x <= n[0]; ++x) {
        const int columns = up(n[0], x) + 2;
        const bool narrow = columns * shape.lanes < kWarp && x > 1;
        if (narrow || columns * shape.lanes * 3 > most) {
            continue;
        }
        for (int y = 1; y <= n[1]; ++y) {
            const int rows = up(n[1], y) + 2;
            const int threads = up(columns * shape.lanes * rows, kWarp) * kWarp;
            if (threads > most) {
                continue;
            }
            const int together = std::max(1, resident / threads);
            for (int z = 1; z <= n[2]; ++z) {
                const int layers = up(n[2], z);
                const int waves = up(x * y * up(n[2], layers), together * multiprocessors);
                const double work =
                    double(waves) * (together * threads + kWaiting) * (layers + kExtraLayers);
                if (work < least) {
                    least = work;
                    best = {columns, rows, layers, threads, {x, y, up(n[2], layers)}};
                }
            }
        }
    }
    return best;
}

}  // namespace kaname::voxelwave
