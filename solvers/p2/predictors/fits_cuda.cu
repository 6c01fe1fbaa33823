// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/device/cuda/launch.cuh"
#include "solvers/lanes/for_each.cuh"
#include "solvers/p2/predictors/fit_by_block.cuh"
#include "solvers/p2/predictors/region_fit_body.hpp"

namespace kaname::predictors {

using lanes::kLanes;

namespace {

/// FitArgs without the view.
struct FitColumns {
    int rows, columns;
    double drop;
    const float* column[kMostFitColumns + 1];  ///< b is the last of `columns` + 1
};

/// A block per region and lane.
template <int R>
__global__ void __launch_bounds__(fit_threads(kMostFitColumns), 2)
    fit_kernel(FitColumns fit, double* a) {
    extern __shared__ double shared[];
    const std::int64_t region = blockIdx.x / kLanes;
    const int lane = blockIdx.x % kLanes;
    const auto load = [&](int k, double(&x)[R]) {
        load_column(fit.column[k] + region * fit.rows * kLanes + lane, kLanes, fit.rows, x);
    };
    fit_by_block<R>(load, fit.columns, fit.drop, shared, a + region * fit.columns * kLanes + lane);
}

template <int R>
void launch_fit(const FitColumns& fit, const FitArgs& args, device::Queue& queue) {
    fit_kernel<R><<<args.regions * kLanes, fit_threads(fit.columns),
                    fit_shared_bytes<R>(fit.columns), queue.stream().stream>>>(fit, args.a.data());
    device::cuda::check(cudaGetLastError(), "fit_regions");
}

}  // namespace

void fit_regions_cuda(const FitArgs& args, device::Queue& queue) {
    if (args.regions == 0) {
        return;
    }
    FitColumns fit{args.rows, args.columns, args.drop, {}};
    for (int k = 0; k < args.columns; ++k) {
        fit.column[k] = args.X[k];
    }
    fit.column[args.columns] = args.b;
    constexpr int kUsual = 4;  // 128 rows
    constexpr int kMost = kMostFitRows / kFitWarp;
    if (args.rows <= kUsual * kFitWarp) {
        launch_fit<kUsual>(fit, args, queue);
    } else {
        launch_fit<kMost>(fit, args, queue);
    }
}

}  // namespace kaname::predictors

namespace kaname::lanes {

KANAME_FOR_EACH_CUDA(predictors::body::SumFit<>)

}  // namespace kaname::lanes

namespace kaname::predictors {

using lanes::kLanes;

namespace {

constexpr int kMostColumns = lanes::HistorySum::kMostTerms + 2;
constexpr int kBucketsOfThread = kMostBuckets / kFitWarp;

/// A block per lane.
__global__ void __launch_bounds__(fit_threads(kMostColumns), 1)
    fit_sketches_kernel(SketchFitArgs args, double* a) {
    extern __shared__ double shared[];
    const int lane = blockIdx.x;
    const int columns = args.columns();
    const int first = lane * args.buckets;
    const auto load = [&](int k, double(&x)[kBucketsOfThread]) {
        if (k == columns) {
            return load_column(args.b + lane, kLanes, args.buckets, x);
        }
        load_column((k < 2 ? args.newest : args.x[k - 2]) + first, 1, args.buckets, x);
        if (k == 1) {
            constexpr int kAtOnce = 8;  // what registers have room for
#pragma unroll
            for (int i = 0; i < kBucketsOfThread; i += kAtOnce) {
                double before[kAtOnce];
                load_column(args.before + first + i * kFitWarp, 1, args.buckets - i * kFitWarp,
                            before);
#pragma unroll
                for (int j = 0; j < kAtOnce; ++j) {
                    x[i + j] -= before[j];
                }
                __syncwarp();
            }
        }
    };
    fit_by_block<kBucketsOfThread>(load, columns, args.drop, shared, a + lane);
}

}  // namespace

void fit_sketches_cuda(const SketchFitArgs& args, device::Queue& queue) {
    fit_sketches_kernel<<<kLanes, fit_threads(args.columns()),
                          fit_shared_bytes<kBucketsOfThread>(args.columns()),
                          queue.stream().stream>>>(args, args.a.data());
    device::cuda::check(cudaGetLastError(), "fit_sketches");
}

void keep_image_cuda(const KeepImageArgs& args, device::Queue& queue) {
    device::cuda::for_each(static_cast<std::int64_t>(args.before.size()),
                           body::KeepImage{args, args.before.data()}, "keep_image", queue);
}

}  // namespace kaname::predictors
