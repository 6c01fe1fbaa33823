// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstddef>

#include "solvers/device/cuda/launch.cuh"
#include "solvers/lanes/for_each.cuh"
#include "solvers/lanes/lanes.hpp"
#include "solvers/p2/predictors/region_fit_body.hpp"

namespace kaname::predictors {

inline constexpr int kFitWarp = 32;

/// Threads of a block of fit_by_block: a warp for each column and one for the right-hand side.
inline constexpr int fit_threads(int columns) {
    return (columns + 1) * kFitWarp;
}

/// Its shared memory: two columns q, and R with the projections of b as its last column.
template <int R>
constexpr std::size_t fit_shared_bytes(int columns) {
    return (std::size_t(2) * R * kFitWarp + std::size_t(columns) * (columns + 1)) * sizeof(double);
}

__device__ inline double sum_of_warp(double value) {
#pragma unroll
    for (int offset = kFitWarp / 2; offset > 0; offset /= 2) {
        value += __shfl_xor_sync(0xffffffffU, value, offset);
    }
    return value;
}

/// Numbers of a column for a thread, `stride` apart from row to row.
template <int R, class T>
__device__ void load_column(const T* column, int stride, int rows, double (&x)[R]) {
#pragma unroll
    for (int i = 0; i < R; ++i) {
        const int row = i * kFitWarp + static_cast<int>(threadIdx.x) % kFitWarp;
        x[i] = row < rows ? static_cast<double>(column[row * stride]) : 0.0;
    }
}

/// A thread's share of x . y, in four sums that do not wait for each other; y every 32nd number.
template <int R>
__device__ double share_of_dot(const double (&x)[R], const double* y) {
    double sum[4] = {};
#pragma unroll
    for (int i = 0; i < R; ++i) {
        sum[i % 4] += x[i] * y[i * kFitWarp];
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}
template <int R>
__device__ double norm_of_warp(const double (&x)[R]) {
    double sum[4] = {};
#pragma unroll
    for (int i = 0; i < R; ++i) {
        sum[i % 4] += x[i] * x[i];
    }
    return sqrt(sum_of_warp((sum[0] + sum[1]) + (sum[2] + sum[3])));
}

/// The fit of truncated_fit: modified Gram-Schmidt with all later columns updated as soon as one is
/// done, each by its warp, which keeps it in registers, R numbers per thread. A step waits once.
///   load(k, x)  x = a thread's numbers of column k, b the last of `columns` + 1: those of row
///               threadIdx % 32 and of every 32nd from it, zero beyond the last row
///   shared      fit_shared_bytes
///   a           coefficient k at a[k * kLanes]
template <int R, class Load>
__device__ void fit_by_block(const Load& load, int columns, double drop, double* shared,
                             double* a) {
    const int mine = threadIdx.x / kFitWarp;
    const int thread = threadIdx.x % kFitWarp;
    const int width = columns + 1;
    double* coefficient = shared + 2 * R * kFitWarp;  // [columns][width]
    double x[R];
    load(mine, x);
    const double original = norm_of_warp(x);
    for (int k = 0; k < columns; ++k) {
        // The one before may still be read by warps that are late.
        double* q = shared + k % 2 * R * kFitWarp + thread;
        if (mine == k) {
            const double norm = norm_of_warp(x);
            const bool kept = norm > drop * original;
            const double scale = 1.0 / norm;
#pragma unroll
            for (int i = 0; i < R; ++i) {
                q[i * kFitWarp] = x[i] * scale;
            }
            if (thread == 0) {
                coefficient[k * width + k] = kept ? norm : 0.0;
            }
        }
        __syncthreads();
        if (mine > k && coefficient[k * width + k] != 0.0) {
            const double r = sum_of_warp(share_of_dot(x, q));
            __syncwarp();  // so that q is read again: registers have no room for it
#pragma unroll
            for (int i = 0; i < R; ++i) {
                x[i] -= r * q[i * kFitWarp];
            }
            if (thread == 0) {
                coefficient[k * width + mine] = r;
            }
        }
    }
    __syncthreads();
    if (mine > 0) {
        return;
    }
    // Back substitution by columns of R, a row per thread.
    const bool row_there = thread < columns && coefficient[thread * width + thread] != 0.0;
    double value = row_there ? coefficient[thread * width + columns] : 0.0;
    for (int k = columns - 1; k >= 0; --k) {
        if (coefficient[k * width + k] == 0.0) {
            continue;
        }
        if (thread == k) {
            value /= coefficient[k * width + k];
            coefficient[k * width + columns] = value;
        }
        __syncwarp();
        if (row_there && thread < k) {
            value -= coefficient[thread * width + k] * coefficient[k * width + columns];
        }
    }
    if (thread < columns) {
        a[thread * lanes::kLanes] = value;
    }
}

}  // namespace kaname::predictors

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
