// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/device/once_per_device.hpp"
#include "solvers/lanes/for_each.cuh"
#include "solvers/p2/predictors/region_fit_body.hpp"

namespace kaname::predictors {

using body::LaneArray;
using lanes::kLanes;

namespace {

constexpr int kWarp = 32;

const LaneArray<float>* lane_arrays(const float* x) {
    return reinterpret_cast<const LaneArray<float>*>(x);
}

/// A block per region, a thread per row and part; parts are added in their order.
__global__ void __launch_bounds__(body::kCompressThreads)
    compress_kernel(body::CompressRow compress, float* out) {
    extern __shared__ double partial[];  // [parts][rows][4]
    const int row = threadIdx.x % compress.rows;
    const int part = threadIdx.x / compress.rows;
    double sum[kLanes];
    compress(blockIdx.x, row, part, sum);
#pragma unroll
    for (int lane = 0; lane < kLanes; ++lane) {
        partial[threadIdx.x * kLanes + lane] = sum[lane];
    }
    __syncthreads();
    const int numbers = compress.rows * kLanes;
    for (int i = threadIdx.x; i < numbers; i += blockDim.x) {
        double total = 0.0;
        for (int p = 0; p < compress.parts; ++p) {
            total += partial[p * numbers + i];
        }
        out[std::int64_t(blockIdx.x) * numbers + i] = static_cast<float>(total);
    }
}

struct WarpTeam {
    __device__ int thread() const { return threadIdx.x % kWarp; }
    __device__ int size() const { return kWarp; }
    __device__ void sync() const { __syncwarp(); }
    template <int K>
    __device__ void sum(double (&value)[K]) const {
#pragma unroll
        for (int offset = kWarp / 2; offset > 0; offset /= 2) {
#pragma unroll
            for (int k = 0; k < K; ++k) {
                value[k] += __shfl_xor_sync(0xffffffffU, value[k], offset);
            }
        }
    }
};

/// FitArgs without the view.
struct FitColumns {
    int rows, columns;
    double drop;
    const LaneArray<float>* column[kMostFitColumns + 1];  ///< b is the last of `columns` + 1
};

/// A block per region, a warp per lane; a problem's numbers lie in shared memory.
__global__ void __launch_bounds__(kLanes* kWarp) fit_kernel(FitColumns fit, double* a) {
    extern __shared__ double shared[];
    const auto numbers = static_cast<int>(body::FitProblem::numbers(fit.rows, fit.columns));
    const int n = (fit.columns + 1) * fit.rows;
    for (int i = threadIdx.x; i < n; i += kLanes * kWarp) {
        const LaneArray<float> value =
            fit.column[i / fit.rows][std::int64_t(blockIdx.x) * fit.rows + i % fit.rows];
#pragma unroll
        for (int lane = 0; lane < kLanes; ++lane) {
            shared[lane * numbers + i] = value.v[lane];
        }
    }
    __syncthreads();
    const int lane = threadIdx.x / kWarp;
    double* mine = shared + lane * numbers;
    WarpTeam team;
    body::fit_region(
        body::FitProblem{fit.rows, fit.columns, fit.drop, mine, mine + fit.columns * fit.rows,
                         mine + n, a + std::int64_t(blockIdx.x) * fit.columns * kLanes + lane},
        team);
}

}  // namespace

void compress_regions_cuda(const CompressArgs& args, device::Queue& queue) {
    if (args.regions.size == 0) {
        return;
    }
    const int parts = body::compress_parts(args.rows);
    const body::CompressRow compress{args.regions.ptr.data(),
                                     args.regions.node.data(),
                                     args.Q.data(),
                                     lane_arrays(args.x.data()),
                                     args.rows,
                                     parts};
    const int threads = args.rows * parts;
    compress_kernel<<<args.regions.size, threads, threads * kLanes * sizeof(double),
                      queue.stream().stream>>>(compress, args.out.data());
    device::cuda::check(cudaGetLastError(), "compress_regions");
}

void fit_regions_cuda(const FitArgs& args, device::Queue& queue) {
    if (args.regions == 0) {
        return;
    }
    FitColumns fit{args.rows, args.columns, args.drop, {}};
    for (int k = 0; k < args.columns; ++k) {
        fit.column[k] = lane_arrays(args.X[k]);
    }
    fit.column[args.columns] = lane_arrays(args.b);
    const std::size_t bytes =
        kLanes * body::FitProblem::numbers(args.rows, args.columns) * sizeof(double);
    // All that the device has, so that one call serves fits of every shape.
    static device::OncePerDevice allowed;
    allowed.run(queue.stream().device, [&] {
        int most = 0;
        device::cuda::check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                                   queue.stream().device),
                            "fit_regions");
        device::cuda::check(
            cudaFuncSetAttribute(fit_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most),
            "fit_regions");
    });
    fit_kernel<<<args.regions, kLanes * kWarp, bytes, queue.stream().stream>>>(fit, args.a.data());
    device::cuda::check(cudaGetLastError(), "fit_regions");
}

}  // namespace kaname::predictors

namespace kaname::lanes {

KANAME_FOR_EACH_CUDA(predictors::body::AddFit<>)

}  // namespace kaname::lanes
