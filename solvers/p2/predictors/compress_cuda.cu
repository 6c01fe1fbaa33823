// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/device/cuda/launch.cuh"
#include "solvers/p2/predictors/region_fit_body.hpp"

namespace kaname::predictors {

using body::CompressPlan;
using body::kRegionsOfWarp;
using body::kRowsOfThread;
using body::kTileNodes;
using body::kWarpsOfBlock;
using lanes::kLanes;

namespace {

constexpr int kWarp = 32;
constexpr int kThreads = kWarpsOfBlock * kWarp;
static_assert(kTileNodes * kRegionsOfWarp == kWarp, "a thread brings one node of a tile");
static_assert(kRowsOfThread * kWarp == body::kRowsOfWarp);

using Number = body::LaneArray<float>;
using Sum = body::LaneArray<double>;

/// Reads a thread's node of its region, a part of what the warp reads; zero beyond the region's
/// end.
struct NodeOfThread {
    const std::int32_t* list;  ///< of the region
    std::int32_t count;
    const Number* x;
    __device__ void operator()(std::int32_t k, Number (&u)[3]) const {
        const bool there = k < count;
        const Number* from = x + (there ? std::int64_t(list[k]) * 3 : 0);
#pragma unroll
        for (int comp = 0; comp < 3; ++comp) {
            u[comp] = there ? from[comp] : Number{};
        }
    }
};

/// Q's numbers of one degree of freedom after another for a thread's rows; zero in rows beyond the
/// last. Beyond the last degree of freedom the last one's, which then meet zeros.
struct SignsOfThread {
    const float* at;
    const float* last;  ///< a thread's first row of the last degree of freedom
    int rows;
    int of_thread;  ///< rows from its first one on
    __device__ void take(float (&q)[kRowsOfThread]) {
#pragma unroll
        for (int i = 0; i < kRowsOfThread; ++i) {
            q[i] = i * kWarp < of_thread ? at[i * kWarp] : 0.0F;
        }
        at += at < last ? rows : 0;
    }
};

/// partial [pieces][regions][rows]: a warp adds up 96 rows of two regions over a piece of their
/// nodes, three rows of each per thread. A number of Q serves two regions of four lanes once it is
/// in a register, and all warps of the block, which come to it at about the same time, once it is
/// in the L1 cache. Vectors pass through shared memory in tiles of 16 nodes, as FP64; the next tile
/// and the next node's signs are under way while one is multiplied.
__global__ void __launch_bounds__(kThreads, body::kCompressBlocks)
    compress_kernel(CompressPlan plan, const std::int32_t* ptr, const std::int32_t* node,
                    const float* Q, const Number* x, Sum* partial) {
    __shared__ Sum staged[kWarpsOfBlock][kRegionsOfWarp][3][kTileNodes];
    const int warp = threadIdx.x / kWarp;
    const int thread = threadIdx.x % kWarp;
    const int piece = static_cast<int>(blockIdx.x) / plan.blocks_of_piece();
    const int block = static_cast<int>(blockIdx.x) % plan.blocks_of_piece();
    const int first_row = block % plan.row_parts() * body::kRowsOfWarp;
    const int first_region = (block / plan.row_parts() * kWarpsOfBlock + warp) * kRegionsOfWarp;
    if (first_region >= plan.regions) {
        return;  // whole warps, which wait for no others
    }
    const int mine = thread / kTileNodes, slot = thread % kTileNodes;
    NodeOfThread bring{node, 0, x};
    if (first_region + mine < plan.regions) {
        bring.list = node + ptr[first_region + mine];
        bring.count = ptr[first_region + mine + 1] - ptr[first_region + mine];
    }
    const std::int32_t begin = piece * plan.nodes_of_piece;
    const std::int32_t end = begin + plan.nodes_of_piece;
    const float* of_row = Q + first_row + thread;
    SignsOfThread signs{of_row + std::int64_t(begin) * 3 * plan.rows,
                        of_row + (std::int64_t(plan.most_nodes) * 3 - 1) * plan.rows, plan.rows,
                        plan.rows - first_row - thread};

    Sum sum[kRegionsOfWarp][kRowsOfThread] = {};
    Number u[3];
    float q[3][kRowsOfThread];
    bring(begin + slot, u);
#pragma unroll
    for (int comp = 0; comp < 3; ++comp) {
        signs.take(q[comp]);
    }
#pragma unroll 1
    for (std::int32_t tile = begin; tile < end; tile += kTileNodes) {
        __syncwarp();
#pragma unroll
        for (int comp = 0; comp < 3; ++comp) {
            staged[warp][mine][comp][slot] =
                Sum::each([&](int lane) { return static_cast<double>(u[comp][lane]); });
        }
        __syncwarp();
        bring(tile + kTileNodes + slot, u);
#pragma unroll 1
        for (int k = 0; k < kTileNodes; ++k) {
#pragma unroll
            for (int comp = 0; comp < 3; ++comp) {
                double sign[kRowsOfThread];
#pragma unroll
                for (int i = 0; i < kRowsOfThread; ++i) {
                    sign[i] = static_cast<double>(q[comp][i]);
                }
                signs.take(q[comp]);  // of the next node
#pragma unroll
                for (int region = 0; region < kRegionsOfWarp; ++region) {
                    const Sum value = staged[warp][region][comp][k];
#pragma unroll
                    for (int i = 0; i < kRowsOfThread; ++i) {
                        sum[region][i] += sign[i] * value;
                    }
                }
            }
        }
    }
#pragma unroll
    for (int region = 0; region < kRegionsOfWarp; ++region) {
#pragma unroll
        for (int i = 0; i < kRowsOfThread; ++i) {
            const int row = first_row + i * kWarp + thread;
            if (first_region + region < plan.regions && row < plan.rows) {
                partial[(std::int64_t(piece) * plan.regions + first_region + region) * plan.rows +
                        row] = sum[region][i];
            }
        }
    }
}

/// out [regions][rows][lanes]: pieces in their order.
struct SumOfPieces {
    int pieces;
    std::int64_t numbers;
    const double* partial;
    float* out;
    __device__ void operator()(std::int64_t i) const {
        double sum = 0.0;
#pragma unroll 4
        for (int piece = 0; piece < pieces; ++piece) {
            sum += partial[piece * numbers + i];
        }
        out[i] = static_cast<float>(sum);
    }
};

}  // namespace

void compress_regions_cuda(const CompressArgs& args, device::Queue& queue) {
    const auto numbers = static_cast<std::int64_t>(args.out.size());
    if (numbers == 0) {
        return;
    }
    const CompressPlan plan(args.regions.size, args.rows,
                            static_cast<std::int32_t>(args.Q.size() / args.rows / 3));
    if (plan.pieces > 0) {
        compress_kernel<<<plan.pieces * plan.blocks_of_piece(), kThreads, 0,
                          queue.stream().stream>>>(plan, args.regions.ptr.data(),
                                                   args.regions.node.data(), args.Q.data(),
                                                   reinterpret_cast<const Number*>(args.x.data()),
                                                   reinterpret_cast<Sum*>(args.partial.data()));
        device::cuda::check(cudaGetLastError(), "compress_regions");
    }
    device::cuda::for_each(numbers,
                           SumOfPieces{plan.pieces, numbers, args.partial.data(), args.out.data()},
                           "compress_regions", queue);
}

}  // namespace kaname::predictors
