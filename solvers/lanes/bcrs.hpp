// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>

#include "solvers/device/buffer.hpp"
#include "solvers/device/queue.hpp"

namespace kaname::lanes {

/// Block compressed rows: blocks of R x C numbers in FP32.
///   row_ptr [rows + 1], col [nnz] ascending in a row, val [nnz][R][C]
struct Bcrs {
    int block_rows = 3;
    int block_cols = 3;
    std::int32_t n_cols = 0;
    device::Buffer<std::int64_t> row_ptr;
    device::Buffer<std::int32_t> col;
    device::Buffer<float> val;

    [[nodiscard]] std::int32_t n_rows() const {
        return row_ptr.size() == 0 ? 0 : static_cast<std::int32_t>(row_ptr.size()) - 1;
    }
};

/// y = A x, or y += A x; four sources.
///   x [n_cols][C][4], y [n_rows][R][4]
/// Bytes per block: 4 R C + 4; one row of y written once, so no atomics. Blocks: 3x3, 3x6, 6x3,
/// 6x6; throws InvalidArgument for others and for sizes that disagree.
void bcrs_apply(const Bcrs& A, device::View<const float> x, device::View<float> y, bool add,
                device::Queue& queue);

/// r = b - A x in one pass.
void bcrs_residual(const Bcrs& A, device::View<const float> b, device::View<const float> x,
                   device::View<float> r, device::Queue& queue);

/// y = c D x with one dense R x R block per item (inverse diagonal blocks); D [items][R][R].
void block_diagonal_apply(int block, float c, device::View<const float> D,
                          device::View<const float> x, device::View<float> y, device::Queue& queue);

/// Previous tells what the iterate before x was, in a Chebyshev step.
enum class Previous {
    None,   ///< there was none: x is the start
    Zero,   ///< the start was zero and was never stored
    Given,  ///< `next` holds it
};

/// One Chebyshev step as a three-term recurrence in a single pass over memory (R x R blocks), the
/// new iterate written over the one before x:
///   next = x + w (x - previous) + c D (b - Ax)
/// Streams of [items][R][4]: b, Ax, x, previous read, next written, and D once.
void chebyshev_step(int block, float w, float c, Previous previous, device::View<const float> D,
                    device::View<const float> b, device::View<const float> Ax,
                    device::View<const float> x, device::View<float> next, device::Queue& queue);

/// Makes the Chebyshev step with A's rows formed where they are used: nothing of A x is stored. A
/// is square; next is not x.
void bcrs_chebyshev_step(const Bcrs& A, float w, float c, Previous previous,
                         device::View<const float> D, device::View<const float> b,
                         device::View<const float> x, device::View<float> next,
                         device::Queue& queue);

/// packed [items][width] = x at the listed items, and back; width is a number of whole lanes, else
/// InvalidArgument is thrown. T: float, double.
template <class T>
void gather_items(device::View<const std::int32_t> items, int width, device::View<const T> x,
                  device::View<T> packed, device::Queue& queue);
template <class T>
void scatter_items(device::View<const std::int32_t> items, int width, device::View<const T> packed,
                   device::View<T> x, device::Queue& queue);

/// x [n][width] at items[i] = sum, from zero and in their order, of the items listed[ptr[i]] ..
/// listed[ptr[i + 1] - 1] of packed [m][width]. T: float, double.
template <class T>
struct ScatterSumsArgs {
    device::View<const std::int32_t> items;   ///< [items]
    device::View<const std::int32_t> ptr;     ///< [items + 1]
    device::View<const std::int32_t> listed;  ///< into packed
    int width;
    device::View<const T> packed;
    device::View<T> x;
};
template <class T>
void scatter_sums(const ScatterSumsArgs<T>& args, device::Queue& queue);

/// packed [groups][3][4] = sums of x [items][3][4] over the items of each group, added up in their
/// order: items items[ptr[g]] .. items[ptr[g + 1] - 1] of group g. T: float.
template <class T>
void sum_items(device::View<const std::int32_t> ptr, device::View<const std::int32_t> items,
               device::View<const T> x, device::View<T> packed, device::Queue& queue);

}  // namespace kaname::lanes
