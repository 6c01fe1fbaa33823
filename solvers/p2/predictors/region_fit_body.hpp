// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>

#include "solvers/device/hd.hpp"
#include "solvers/lanes/share.hpp"
#include "solvers/p2/predictors/region_fit.hpp"

namespace kaname::predictors::body {

/// Number i of an image [4][buckets].
struct KeepImage {
    KeepImageArgs args;
    double* before;
    KANAME_HD void operator()(std::int64_t i) const {
        const std::int64_t lane = i / args.buckets;
        const std::int64_t at = i % args.buckets * lanes::kLanes + lane;
        const double image = args.f[at] - args.r[at];
        if (args.x != nullptr) {
            args.x[i] = image - 2.0 * args.newest[i] + before[i];
        }
        before[i] = image;
    }
};

/// The bodies here are the work of one GPU thread of each kernel; tests run them on the CPU.

using lanes::kLanes;
template <class T>
using LaneArray = lanes::LaneArray<T, kLanes>;

/// A warp of a compression: three rows of each thread, of two regions, sixteen nodes of each at a
/// time. Four warps of a block read the same rows and nodes of Q.
inline constexpr int kRowsOfThread = 3;
inline constexpr int kRowsOfWarp = 32 * kRowsOfThread;
inline constexpr int kRegionsOfWarp = 2;
inline constexpr int kTileNodes = 16;
inline constexpr int kWarpsOfBlock = 4;
inline constexpr int kCompressBlocks = 4;  ///< of a multiprocessor: 128 registers a thread

/// How a compression is cut: enough pieces of the regions' nodes to fill a large GPU once.
struct CompressPlan {
    int regions, rows;
    std::int32_t most_nodes;          ///< of a region
    std::int32_t nodes_of_piece = 0;  ///< whole tiles
    int pieces = 0;

    CompressPlan(int n_regions, int n_rows, std::int32_t most)
        : regions(n_regions), rows(n_rows), most_nodes(most) {
        constexpr int kMultiprocessors = 132;
        const int tiles = (most + kTileNodes - 1) / kTileNodes;
        if (regions == 0 || tiles == 0) {
            return;
        }
        const int wanted = kMultiprocessors * kCompressBlocks / blocks_of_piece();
        const int tiles_of_piece = wanted > 1 ? (tiles + wanted - 1) / wanted : tiles;
        nodes_of_piece = tiles_of_piece * kTileNodes;
        pieces = (tiles + tiles_of_piece - 1) / tiles_of_piece;
    }
    [[nodiscard]] KANAME_HD int row_parts() const { return (rows + kRowsOfWarp - 1) / kRowsOfWarp; }
    [[nodiscard]] KANAME_HD int blocks_of_piece() const {
        constexpr int kRegionsOfBlock = kRegionsOfWarp * kWarpsOfBlock;
        return (regions + kRegionsOfBlock - 1) / kRegionsOfBlock * row_parts();
    }
};

/// du = 2 newest - before + sum_k a_k x_k at a node, or du = 0.
template <int L = lanes::kLanes>
struct SumFit {
    static constexpr const char* kName = "sum_fit";
    using GpuShare = lanes::LaneArrays<L>;
    const std::int32_t* region_of;
    int columns;
    const double* a;
    const double* newest;
    const double* before;
    const float* x[kMostFitColumns];
    double* du;
    KANAME_HD static constexpr int numbers() { return 3; }
    template <class P>
    KANAME_HD void operator()(std::int64_t node, const P& p) const {
        const std::int64_t region = region_of[node];
        for (int comp = 0; comp < P::numbers(3); ++comp) {
            const std::int64_t at = node * 3 + comp;
            auto value = p.constant(0.0);
            if (region >= 0) {
                value = 2.0 * p.load(newest, at) - p.load(before, at);
                for (int k = 0; k < columns; ++k) {
                    value += p.per_lane(a + (region * columns + k) * L) * p.load64(x[k], at);
                }
            }
            p.store(du, at, value);
        }
    }
};

}  // namespace kaname::predictors::body
