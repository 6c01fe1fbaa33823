// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>

#include "solvers/lanes/lanes.hpp"

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
