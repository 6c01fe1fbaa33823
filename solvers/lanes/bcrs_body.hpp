// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <type_traits>

#include "solvers/device/queue.hpp"
#include "solvers/lanes/bcrs.hpp"
#include "solvers/lanes/lanes.hpp"
#include "solvers/lanes/share.hpp"

namespace kaname::lanes::body {

/// The N numbers of a block among blocks that follow each other from an aligned start, in as few
/// loads as their alignment allows a GPU's thread: nine of 16 bytes for 36.
template <int N>
struct BlockNumbers {
    static constexpr int kWide = N % 4 == 0 ? 4 : N % 2 == 0 ? 2 : 1;
    LaneArray<float, kWide> wide[N / kWide];

    KANAME_HD explicit BlockNumbers(const float* D) {
        KANAME_UNROLL(36)
        for (int k = 0; k < N / kWide; ++k) {
            wide[k] = reinterpret_cast<const LaneArray<float, kWide>*>(D)[k];
        }
    }
    KANAME_HD float operator[](int k) const { return wide[k / kWide][k % kWide]; }
};

/// y += D x with one block [R][C] of numbers that all lanes share.
template <int R, int C, class V>
KANAME_HD inline void add_block_times(const float* from, const V (&x)[C], V (&y)[R]) {
#ifdef __CUDA_ARCH__
    using Numbers =
        std::conditional_t<(BlockNumbers<R * C>::kWide > 1), BlockNumbers<R * C>, const float*>;
    const Numbers D(from);
#else
    const float* D = from;  // a SIMD register takes each number from memory
#endif
    KANAME_UNROLL(6)
    for (int j = 0; j < C; ++j) {
        KANAME_UNROLL(6)
        for (int i = 0; i < R; ++i) {
            y[i] += D[i * C + j] * x[j];
        }
    }
}

/// y = c D x of one item.
template <int R, int L = kLanes>
struct BlockDiagonal {
    static constexpr const char* kName = "block_diagonal_apply";
    using GpuShare = OneLane<L>;
    float c;
    const float* D;
    const float* x;
    float* y;
    KANAME_HD static constexpr int numbers() { return R; }
    template <class P>
    KANAME_HD void operator()(std::int64_t item, const P& p) const {
        PackOf<P, float> in[R];
        PackOf<P, float> z[R];
        KANAME_UNROLL(6)
        for (int k = 0; k < R; ++k) {
            in[k] = p.load(x, item * R + k);
            z[k] = p.constant(0.0F);
        }
        add_block_times<R, R>(D + item * R * R, in, z);
        KANAME_UNROLL(6)
        for (int k = 0; k < R; ++k) {
            p.store(y, item * R + k, c * z[k]);
        }
    }
};

/// next = x + w (x - previous) + step of number i; the previous is what next holds.
template <Previous Before, class P, class V>
KANAME_HD inline void store_next(const P& p, std::int64_t i, float w, const V& step, const float* x,
                                 float* next) {
    const V here = p.load(x, i);
    V value = here + step;
    if constexpr (Before == Previous::Zero) {
        value += w * here;
    } else if constexpr (Before == Previous::Given) {
        value += w * (here - p.load(next, i));
    }
    p.store(next, i, value);
}

/// next = x + w (x - previous) + c D (b - Ax) of one item.
template <int R, Previous Before, int L = kLanes>
struct ChebyshevStep {
    static constexpr const char* kName = "chebyshev_step";
    using GpuShare = OneLane<L>;
    float w, c;
    const float* D;
    const float* b;
    const float* Ax;
    const float* x;
    float* next;
    KANAME_HD static constexpr int numbers() { return R; }
    template <class P>
    KANAME_HD void operator()(std::int64_t item, const P& p) const {
        PackOf<P, float> r[R];
        PackOf<P, float> z[R];
        KANAME_UNROLL(6)
        for (int k = 0; k < R; ++k) {
            r[k] = p.load(b, item * R + k) - p.load(Ax, item * R + k);
            z[k] = p.constant(0.0F);
        }
        add_block_times<R, R>(D + item * R * R, r, z);
        KANAME_UNROLL(6)
        for (int k = 0; k < R; ++k) {
            store_next<Before>(p, item * R + k, w, c * z[k], x, next);
        }
    }
};

/// A row of A x on a CPU.
template <int R, int C, int L = lanes::kLanes>
struct BcrsRow {
    static constexpr const char* kName = "bcrs_apply";
    static constexpr int kLanes = L;
    static constexpr int kNumbers = R;
    using Number = float;
    const std::int64_t* row_ptr;
    const std::int32_t* col;
    const float* val;
    const float* x;
    template <class P, class V>
    KANAME_HD void operator()(std::int64_t row, int first, int stride, const P& p,
                              V (&sum)[R]) const {
        for (std::int64_t k = row_ptr[row] + first; k < row_ptr[row + 1]; k += stride) {
            const std::int64_t from = std::int64_t(col[k]) * C;
            V in[C];
            KANAME_UNROLL(6)
            for (int j = 0; j < C; ++j) {
                in[j] = p.load(x, from + j);
            }
            add_block_times<R, C>(val + k * R * C, in, sum);
        }
    }
};

/// Threads that share a row of A x on a GPU: as a row of fifteen P1 blocks wants (five at a time),
/// as one of many 6 x 6 blocks, and as one block of a prolongation.
template <int R, int C>
inline constexpr int kRowThreads = R == 3 ? (C == 3 ? 16 : 8) : 32;

/// Adds the share of thread `thread`, one of a row's kRowThreads, all lanes: a column of every
/// block that is its own. Threads of a block read neighbouring numbers of x, 16 bytes each, and
/// each of them once. The next block's place in x is asked for before this block's numbers are
/// waited for.
template <int R, int C, int L = lanes::kLanes>
struct BcrsColumns {
    BcrsRow<R, C, L> A;
    KANAME_HD void operator()(std::int64_t row, int thread, LaneArray<float, L> (&sum)[R]) const {
        constexpr int kBlocks = kRowThreads<R, C> / C;
        const std::int64_t end = A.row_ptr[row + 1];
        std::int64_t k = A.row_ptr[row] + thread / C;
        if (thread >= kBlocks * C || k >= end) {
            return;
        }
        const int j = thread % C;
        const auto* x = reinterpret_cast<const LaneArray<float, L>*>(A.x);
        std::int32_t next = A.col[k];
        for (; k < end; k += kBlocks) {
            const std::int64_t from = std::int64_t(next) * C + j;
            if (k + kBlocks < end) {
                next = A.col[k + kBlocks];
            }
            const LaneArray<float, L> in = x[from];
            const float* column = A.val + k * R * C + j;
            KANAME_UNROLL(6)
            for (int i = 0; i < R; ++i) {
                sum[i] += column[i * C] * in;
            }
        }
    }
};

/// y = or += A x: what becomes of number i of a row, of which `sum` are all numbers and `own` is
/// the i-th.
template <int R, int L = kLanes>
struct RowResult {
    float* y;
    bool add;
    template <class P, class V>
    KANAME_HD void operator()(std::int64_t row, int i, const P& p, const V (&/*sum*/)[R],
                              const V& own) const {
        p.store(y, row * R + i, add ? p.load(y, row * R + i) + own : own);
    }
};

/// r = b - A x.
template <int R, int L = kLanes>
struct RowResidual {
    const float* b;
    float* r;
    template <class P, class V>
    KANAME_HD void operator()(std::int64_t row, int i, const P& p, const V (&/*sum*/)[R],
                              const V& own) const {
        p.store(r, row * R + i, p.load(b, row * R + i) - own);
    }
};

/// ChebyshevStep with the row's A x.
template <int R, Previous Before, int L = kLanes>
struct RowStep {
    float w, c;
    const float* D;
    const float* b;
    const float* x;
    float* next;
    /// The row's A x becomes b - A x, before any of its numbers is finished.
    template <class P, class V>
    KANAME_HD void prepare(std::int64_t row, const P& p, V (&sum)[R]) const {
        KANAME_UNROLL(6)
        for (int j = 0; j < R; ++j) {
            sum[j] = p.load(b, row * R + j) - sum[j];
        }
    }
    template <class P, class V>
    KANAME_HD void operator()(std::int64_t row, int i, const P& p, const V (&r)[R],
                              const V& /*own*/) const {
        V z = p.constant(0.0F);
        KANAME_UNROLL(6)
        for (int j = 0; j < R; ++j) {
            z += D[(row * R + i) * R + j] * r[j];
        }
        store_next<Before>(p, row * R + i, w, c * z, x, next);
    }
};

}  // namespace kaname::lanes::body

namespace kaname::lanes {

/// end(row, i, share, sum, own) for every number i of the rows of A x, after end.prepare of a row
/// where there is one.
template <int R, int C, class End>
void bcrs_rows_cuda(std::int64_t rows, const body::BcrsRow<R, C>& A, const End& end,
                    device::Queue& queue);

}  // namespace kaname::lanes

namespace kaname::lanes::body {

/// Item i of the list.
template <class T, int L = kLanes>
struct GatherItems {
    static constexpr const char* kName = "gather_items";
    using GpuShare = OneNumber<L>;
    const std::int32_t* items;
    int numbers_of_item;
    const T* x;
    T* packed;
    [[nodiscard]] KANAME_HD int numbers() const { return numbers_of_item; }
    template <class P>
    KANAME_HD void operator()(std::int64_t i, const P& p) const {
        const std::int64_t from = std::int64_t(items[i]) * numbers_of_item;
        for (int k = 0; k < p.numbers(numbers_of_item); ++k) {
            p.store(packed, i * numbers_of_item + k, p.load(x, from + k));
        }
    }
};

template <class T, int L = kLanes>
struct ScatterItems {
    static constexpr const char* kName = "scatter_items";
    using GpuShare = OneNumber<L>;
    const std::int32_t* items;
    int numbers_of_item;
    const T* packed;
    T* x;
    [[nodiscard]] KANAME_HD int numbers() const { return numbers_of_item; }
    template <class P>
    KANAME_HD void operator()(std::int64_t i, const P& p) const {
        const std::int64_t to = std::int64_t(items[i]) * numbers_of_item;
        for (int k = 0; k < p.numbers(numbers_of_item); ++k) {
            p.store(x, to + k, p.load(packed, i * numbers_of_item + k));
        }
    }
};

/// Item i of the list: the sum of what is listed for it.
template <class T, int L = kLanes>
struct ScatterSums {
    static constexpr const char* kName = "scatter_sums";
    using GpuShare = OneNumber<L>;
    const std::int32_t* items;
    const std::int32_t* ptr;
    const std::int32_t* listed;
    int numbers_of_item;
    const T* packed;
    T* x;
    [[nodiscard]] KANAME_HD int numbers() const { return numbers_of_item; }
    template <class P>
    KANAME_HD void operator()(std::int64_t i, const P& p) const {
        const std::int64_t to = std::int64_t(items[i]) * numbers_of_item;
        for (int k = 0; k < p.numbers(numbers_of_item); ++k) {
            PackOf<P, T> sum = p.constant(T(0));
            for (std::int32_t m = ptr[i]; m < ptr[i + 1]; ++m) {
                sum += p.load(packed, std::int64_t(listed[m]) * numbers_of_item + k);
            }
            p.store(x, to + k, sum);
        }
    }
};

/// Group i of items of three numbers.
template <class T, int L = kLanes>
struct SumItems {
    static constexpr const char* kName = "sum_items";
    using GpuShare = OneNumber<L>;
    const std::int32_t* ptr;
    const std::int32_t* items;
    const T* x;
    T* packed;
    KANAME_HD static constexpr int numbers() { return 3; }
    template <class P>
    KANAME_HD void operator()(std::int64_t i, const P& p) const {
        constexpr int n = P::numbers(3);
        PackOf<P, T> sum[n];
        for (int k = 0; k < n; ++k) {
            sum[k] = p.constant(T(0));
        }
        for (std::int32_t m = ptr[i]; m < ptr[i + 1]; ++m) {
            for (int k = 0; k < n; ++k) {
                sum[k] += p.load(x, std::int64_t(items[m]) * 3 + k);
            }
        }
        for (int k = 0; k < n; ++k) {
            p.store(packed, i * 3 + k, sum[k]);
        }
    }
};

}  // namespace kaname::lanes::body
