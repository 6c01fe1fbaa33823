// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/kernels/gpu_block.cuh"
#include "solvers/aderdg/kernels/gpu_faults.hpp"

/// YieldPass for a block of elements: modes and nodes are shared out to rows of threads, one
/// thread's column is one element's.
namespace kaname::aderdg {
namespace {

using gpu::Place;
using kernels::kDeviators;

/// Rows enough for order 4's 20 modes in two or three rounds, and for looking at coefficients only.
constexpr int kYieldThreads = 256;

/// Numbers of each column in shared memory: what nodes give up, work against it, sums of the rows.
template <class T>
struct YieldShared {
    static constexpr int kRows = kYieldThreads / kColumns<T>;
    int modes;
    [[nodiscard]] KANAME_HD int middle() const { return kDeviators * modes; }
    [[nodiscard]] KANAME_HD int rows() const { return 2 * kDeviators * modes; }
    [[nodiscard]] KANAME_HD int bytes() const { return (rows() + 3 * kRows) * 128; }
};

/// The sum of all rows' numbers of a column, by all of its threads and in the same order.
template <class T>
__device__ T over_rows(const Place<T, kYieldThreads>& me, T mine, T* of_rows) {
    constexpr int kWide = kColumns<T>;
    of_rows[me.row * kWide] = mine;
    __syncthreads();
    T sum = 0;
    for (int r = 0; r < me.kRows; ++r) {
        sum += of_rows[r * kWide];
    }
    __syncthreads();
    return sum;
}

/// Returns true if a coefficient of the column's element is above the least margin, or, `with` the
/// initial stress, above the strength.
template <class T>
__device__ bool is_above(const GpuYield<T>& y, const Place<T, kYieldThreads>& me, const T* given,
                         const T* q, bool with) {
    constexpr int kWide = kColumns<T>;
    const T least = given[YieldTerms::kLeastSine * kWide];
    const T most = given[YieldTerms::kMostSine * kWide];
    bool above = false;
    for (int k = me.row; k < y.modes; k += me.kRows) {
        T at[kStresses + 1] = {};
        at[YieldTerms::kCohesion] = given[YieldTerms::kMargin * kWide];
        if (with) {
            kernels::between_vertices<T, kStresses + 1>(given, kWide, y.vertex_share + 4 * k, at);
        }
        for (int c = 0; c < kStresses; ++c) {
            at[c] += q[(kQuantities * k + c) * kWide];
        }
        above = above || kernels::excess<T>(at, at[YieldTerms::kCohesion], least, most) > T(0);
    }
    return above;
}

/// Stresses and strength at a node.
template <class T>
__device__ void at_node(const GpuYield<T>& y, const T* given, const T* q, int n,
                        T (&s)[YieldTerms::kVertex]) {
    constexpr int kWide = kColumns<T>;
    kernels::between_vertices<T, YieldTerms::kVertex>(given, kWide, y.nodes + 4 * n, s);
    for (int k = y.to_nodes.first[n]; k < y.to_nodes.first[n + 1]; ++k) {
        const T* from = q + kQuantities * y.to_nodes.column[k] * kWide;
        const T value = y.to_nodes.value[k];
        for (int c = 0; c < kStresses; ++c) {
            s[c] += value * from[c * kWide];
        }
    }
}

/// Takes from mode m what the nodes give up; what stresses half way work against to `middle`.
template <class T>
__device__ void take(const GpuYield<T>& y, int m, bool may, const T* taken, T* middle, T* q) {
    constexpr int kWide = kColumns<T>;
    T d[kDeviators] = {};
    for (int k = y.to_modes.first[m]; k < y.to_modes.first[m + 1]; ++k) {
        const T* from = taken + kDeviators * y.to_modes.column[k] * kWide;
        const T value = y.to_modes.value[k];
        for (int c = 0; c < kDeviators; ++c) {
            d[c] += value * from[c * kWide];
        }
    }
    const T less[kStresses] = {d[0], d[1], -d[0] - d[1], d[2], d[3], d[4]};
    T half[kStresses];
    T* s = q + kQuantities * m * kWide;
    for (int c = 0; c < kStresses; ++c) {
        const T stress = s[c * kWide];
        half[c] = stress - T(0.5) * less[c];
        if (may) {
            s[c * kWide] = stress - less[c];
        }
    }
    kernels::worked_against(half, middle + kDeviators * m * kWide, kWide);
}

/// Works of node n's deviator against the stresses of waves and the initial ones.
template <class T>
__device__ void add_works(const GpuYield<T>& y, const T* given, const T* taken, const T* middle,
                          int n, T& waves, T& initial) {
    constexpr int kWide = kColumns<T>;
    T by_waves[kDeviators] = {}, by_initial[kStresses], against[kDeviators];
    for (int m = 0; m < y.modes; ++m) {
        const T value = y.times_modes[n * y.modes + m];
        for (int c = 0; c < kDeviators; ++c) {
            by_waves[c] += value * middle[(kDeviators * m + c) * kWide];
        }
    }
    kernels::between_vertices<T, kStresses>(given, kWide, y.times_vertices + 4 * n, by_initial);
    kernels::worked_against(by_initial, against, 1);
    for (int c = 0; c < kDeviators; ++c) {
        const T d = taken[(kDeviators * n + c) * kWide];
        waves += d * by_waves[c];
        initial += d * against[c];
    }
}

template <class T>
__global__ void __launch_bounds__(kYieldThreads)
    yield_kernel(GpuYield<T> y, GpuElements<T> e, GpuRanges ranges) {
    extern __shared__ __align__(16) unsigned char memory[];
    constexpr int kWide = kColumns<T>;
    const YieldShared<T> place{y.modes};
    const GpuRanges::Range& range = gpu::range_of(ranges, blockIdx.x);
    const std::int64_t block = gpu::block_of(ranges, range, blockIdx.x);
    const Place<T, kYieldThreads> me(0);
    T* taken = reinterpret_cast<T*>(memory) + me.column;
    T* middle = taken + place.middle() * kWide;
    T* of_rows = taken + place.rows() * kWide;
    const T* given = y.given + block * YieldTerms::kSize * kWide + me.column;
    T* q =
        e.unknowns + block * y.modes * (kQuantities + kStresses * e.mechanisms) * kWide + me.column;

    bool may = is_above(y, me, given, q, false);
    if (__syncthreads_or(may) == 0) {
        return;
    }
    may = over_rows(me, T(may), of_rows) > T(0);
    may = over_rows(me, T(may && is_above(y, me, given, q, true)), of_rows) > T(0);
    if (__syncthreads_or(may) == 0) {
        return;
    }
    T strain = 0, waves = 0, initial = 0;
    for (int n = me.row; n < y.modes; n += me.kRows) {
        T s[YieldTerms::kVertex];
        at_node(y, given, q, n, s);
        strain += y.mean[n] * kernels::relaxed<T>(s, T(may), y.relaxes[range.cluster],
                                                  taken + kDeviators * n * kWide, kWide);
    }
    strain = over_rows(me, strain, of_rows);
    if (__syncthreads_or(strain > T(0)) == 0) {
        return;
    }
    for (int m = me.row; m < y.modes; m += me.kRows) {
        take(y, m, may, taken, middle, q);
    }
    __syncthreads();
    for (int n = me.row; n < y.modes; n += me.kRows) {
        if (strain > T(0)) {
            add_works(y, given, taken, middle, n, waves, initial);
        }
    }
    waves = over_rows(me, waves, of_rows);
    initial = over_rows(me, initial, of_rows);
    if (me.row == 0) {
        const T per_two_mu = given[YieldTerms::kPerTwoMu * kWide];
        const T scale = per_two_mu * given[YieldTerms::kVolume * kWide];
        double* to = y.sums + block * Yielded::kFields * kWide + me.column;
        to[Yielded::kStrain * kWide] += per_two_mu * strain;
        to[Yielded::kTakenJ * kWide] += scale * waves;
        to[Yielded::kHeatJ * kWide] += scale * (waves + initial);
    }
}

}  // namespace

template <class T>
void yield_cuda(const GpuYield<T>& yield, const GpuElements<T>& elements, const GpuRanges& ranges,
                device::Queue& queue) {
    if (ranges.n_blocks == 0) {
        return;
    }
    const YieldShared<T> most{tet_modes(kMostOrder - 1)};
    static device::OncePerDevice allowed;
    allowed.run(queue.stream().device, [&] {
        gpu::allow_shared(yield_kernel<T>, most.bytes(), kMostOrder - 1, queue.stream().device);
    });
    const YieldShared<T> here{yield.modes};
    yield_kernel<T><<<ranges.n_blocks, kYieldThreads, here.bytes(), queue.stream().stream>>>(
        yield, elements, ranges);
    device::cuda::check(cudaGetLastError(), "yield");
}

template void yield_cuda(const GpuYield<double>&, const GpuElements<double>&, const GpuRanges&,
                         device::Queue&);
template void yield_cuda(const GpuYield<float>&, const GpuElements<float>&, const GpuRanges&,
                         device::Queue&);

}  // namespace kaname::aderdg
