// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "solvers/lanes/bcrs.hpp"
#include "solvers/lanes/quad.hpp"
#include "solvers/lanes/row_threads.hpp"

/// What one GPU thread of the block kernels does; tests run them on the CPU.
namespace kaname::lanes::body {

/// Lane `i % kLanes` of item i / kLanes: y = c D x.
template <int R>
struct BlockDiagonal {
    float c;
    const float* D;
    const float* x;
    float* y;
    KANAME_HD void operator()(std::int64_t i) const {
        const std::int64_t item = i / kLanes;
        const std::int64_t at = item * R * kLanes + i % kLanes;
        float in[R];
        KANAME_UNROLL(6)
        for (int k = 0; k < R; ++k) {
            in[k] = x[at + k * kLanes];
        }
        KANAME_UNROLL(6)
        for (int k = 0; k < R; ++k) {
            float sum = 0.0F;
            KANAME_UNROLL(6)
            for (int j = 0; j < R; ++j) {
                sum += D[item * R * R + k * R + j] * in[j];
            }
            y[at + k * kLanes] = c * sum;
        }
    }
};

/// next = x + w (x - previous) + c D (b - Ax), one lane of one item.
template <int R, Previous P>
struct ChebyshevStep {
    float w, c;
    const float* D;
    const float* b;
    const float* Ax;
    const float* x;
    float* next;
    KANAME_HD void operator()(std::int64_t i) const {
        const std::int64_t item = i / kLanes;
        const std::int64_t at = item * R * kLanes + i % kLanes;
        float r[R];
        KANAME_UNROLL(6)
        for (int k = 0; k < R; ++k) {
            r[k] = b[at + k * kLanes] - Ax[at + k * kLanes];
        }
        KANAME_UNROLL(6)
        for (int k = 0; k < R; ++k) {
            float sum = 0.0F;
            KANAME_UNROLL(6)
            for (int j = 0; j < R; ++j) {
                sum += D[item * R * R + k * R + j] * r[j];
            }
            const float here = x[at + k * kLanes];
            float value = here + c * sum;
            if constexpr (P == Previous::Zero) {
                value += w * here;
            } else if constexpr (P == Previous::Given) {
                value += w * (here - next[at + k * kLanes]);
            }
            next[at + k * kLanes] = value;
        }
    }
};

/// y = A x: what thread `thread` of kRowThreads adds to the row: sum [R] of lane thread % kLanes.
template <int R, int C>
struct BcrsRow {
    const std::int64_t* row_ptr;
    const std::int32_t* col;
    const float* val;
    const float* x;
    KANAME_HD void operator()(std::int64_t row, int thread, float (&sum)[R]) const {
        const int lane = thread % kLanes;
        KANAME_UNROLL(6)
        for (int i = 0; i < R; ++i) {
            sum[i] = 0.0F;
        }
        for (std::int64_t k = row_ptr[row] + thread / kLanes; k < row_ptr[row + 1];
             k += kRowStride) {
            const float* block = val + k * R * C;
            const float* in = x + static_cast<std::int64_t>(col[k]) * C * kLanes + lane;
            KANAME_UNROLL(6)
            for (int j = 0; j < C; ++j) {
                const float xj = in[j * kLanes];
                KANAME_UNROLL(6)
                for (int i = 0; i < R; ++i) {
                    sum[i] += block[i * C + j] * xj;
                }
            }
        }
    }
};

}  // namespace kaname::lanes::body
