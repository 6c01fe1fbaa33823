// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "solvers/lanes/share.hpp"
#include "solvers/p2/predictors/region_fit.hpp"

/// What one GPU thread of each kernel does; tests run them on the CPU.
namespace kaname::predictors::body {

using lanes::kLanes;
template <class T>
using LaneArray = lanes::LaneArray<T, kLanes>;

/// Threads that share a row of a region, at most; so a block stays below 1,024 threads.
inline constexpr int kCompressParts = 8;
inline constexpr int kCompressThreads = 1024;
inline int compress_parts(int rows) {
    const int parts = kCompressThreads / rows;
    return parts < kCompressParts ? parts : kCompressParts;
}

/// What thread `part` of `parts` adds to a row of a region: every parts-th node of it. Threads of
/// neighbouring rows read neighbouring numbers of Q, and one and the same x.
struct CompressRow {
    const std::int32_t* ptr;
    const std::int32_t* node;
    const float* Q;
    const LaneArray<float>* x;
    int rows;
    int parts;
    KANAME_HD void operator()(std::int64_t region, int row, int part, double (&sum)[kLanes]) const {
        KANAME_UNROLL(4)
        for (int lane = 0; lane < kLanes; ++lane) {
            sum[lane] = 0.0;
        }
        const std::int32_t begin = ptr[region];
        const std::int32_t count = ptr[region + 1] - begin;
        for (std::int32_t k = part; k < count; k += parts) {
            const LaneArray<float>* u = x + std::int64_t(node[begin + k]) * 3;
            const float* q = Q + std::int64_t(k) * 3 * rows + row;
            KANAME_UNROLL(3)
            for (int comp = 0; comp < 3; ++comp) {
                const LaneArray<float> value = u[comp];
                const double sign = q[comp * rows];
                KANAME_UNROLL(4)
                for (int lane = 0; lane < kLanes; ++lane) {
                    sum[lane] += static_cast<double>(value.v[lane]) * sign;
                }
            }
        }
    }
};

/// One fit: the memory that its team of threads shares.
struct FitProblem {
    int rows, columns;
    double drop;
    double* X;  ///< [columns][rows], becomes the orthonormal columns
    double* b;  ///< [rows]
    double* R;  ///< [columns][columns + 1], the last column: norms at the start
    double* a;  ///< out: coefficient k at a[k * kLanes]

    KANAME_HD static std::size_t numbers(int rows, int columns) {
        return std::size_t(columns + 1) * rows + std::size_t(columns) * (columns + 1);
    }
};

/// Modified Gram-Schmidt of truncated_fit with all later columns updated as soon as one is done:
/// the same operations on each column in the same order, but independent of each other, so that
/// their sums over the team overlap. A thread treats every size()-th row. The team has thread(),
/// size(), sum(numbers): each summed over the threads, the same on all of them; and sync(): what
/// was written before is seen after.
template <class Team>
KANAME_HD void fit_region(const FitProblem& p, Team& team) {
    constexpr int kBatch = 4;
    const int first = team.thread();
    const int stride = team.size();
    const int width = p.columns + 1;
    const auto dot = [&](const double* x, const double* y) {
        double sum = 0.0;
        for (int i = first; i < p.rows; i += stride) {
            sum += x[i] * y[i];
        }
        return sum;
    };
    for (int j = 0; j < p.columns; ++j) {
        double norm[1] = {dot(p.X + j * p.rows, p.X + j * p.rows)};
        team.sum(norm);
        if (first == 0) {
            p.R[j * width + p.columns] = std::sqrt(norm[0]);
            p.a[j * kLanes] = 0.0;
        }
    }
    team.sync();
    for (int k = 0; k < p.columns; ++k) {
        double* q = p.X + k * p.rows;
        double norm[1] = {dot(q, q)};
        team.sum(norm);
        norm[0] = std::sqrt(norm[0]);
        const bool kept = norm[0] > p.drop * p.R[k * width + p.columns];
        if (first == 0) {
            p.R[k * width + k] = kept ? norm[0] : 0.0;
        }
        if (!kept) {
            continue;
        }
        for (int i = first; i < p.rows; i += stride) {
            q[i] /= norm[0];
        }
        double c[1] = {dot(q, p.b)};
        team.sum(c);
        for (int i = first; i < p.rows; i += stride) {
            p.b[i] -= c[0] * q[i];
        }
        if (first == 0) {
            p.a[k * kLanes] = c[0];
        }
        for (int j = k + 1; j < p.columns; j += kBatch) {
            const int n = p.columns - j < kBatch ? p.columns - j : kBatch;
            double r[kBatch] = {};
            for (int l = 0; l < n; ++l) {
                r[l] = dot(q, p.X + (j + l) * p.rows);
            }
            team.sum(r);
            for (int l = 0; l < n; ++l) {
                double* x = p.X + (j + l) * p.rows;
                for (int i = first; i < p.rows; i += stride) {
                    x[i] -= r[l] * q[i];
                }
                if (first == 0) {
                    p.R[k * width + j + l] = r[l];
                }
            }
        }
    }
    // Back substitution; a holds the projections of b so far. Only thread 0 wrote what it reads.
    for (int k = p.columns - 1; k >= 0 && first == 0; --k) {
        if (p.R[k * width + k] == 0.0) {
            continue;
        }
        double value = p.a[k * kLanes];
        for (int l = k + 1; l < p.columns; ++l) {
            if (p.R[l * width + l] != 0.0) {
                value -= p.R[k * width + l] * p.a[l * kLanes];
            }
        }
        p.a[k * kLanes] = value / p.R[k * width + k];
    }
}

/// du += sum_k a_k x_k at a node, or du = 0.
template <int L = lanes::kLanes>
struct AddFit {
    static constexpr const char* kName = "add_fit";
    using GpuShare = lanes::LaneArrays<L>;
    const std::int32_t* region_of;
    int columns;
    const double* a;
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
                value = p.load(du, at);
                for (int k = 0; k < columns; ++k) {
                    value += p.per_lane(a + (region * columns + k) * L) * p.load64(x[k], at);
                }
            }
            p.store(du, at, value);
        }
    }
};

}  // namespace kaname::predictors::body
