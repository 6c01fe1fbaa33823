// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/kernels/gpu_block.cuh"

/// The predictor in one kernel (predict_body.hpp has the formulas): derivatives d_1 .. d_N, sums of
/// them and records in shared memory; of the unknowns what fits.
namespace kaname::aderdg {
namespace gpu {
namespace {

/// Gives the predictor's places in shared memory, in numbers of each column. As soon as derivatives
/// are summed, records are staged where d_2 .. d_N were.
template <class T, int N>
struct PredictShared {
    KANAME_HD static constexpr int place_of_derivative(int i) {
        int place = 0;
        for (int k = 1; k < i; ++k) {
            place += tet_modes(N - k) * kQuantities;
        }
        return place;
    }
    /// Faces staged at a time: two where four would leave room for one block less.
    static constexpr int kFaces = N == 4 || (N == 3 && sizeof(T) == 8) ? 2 : 4;
    static constexpr int kRecord = Record<T, N>::kNumbers;
    static constexpr int kDerivatives = place_of_derivative(N + 1);
    static constexpr int kFree = kDerivatives - place_of_derivative(2);
    static constexpr int kStaged =
        kFaces * kRecord - kFree > kRecord ? kFaces* kRecord - kFree : kRecord;
    static constexpr int kSum = tet_modes(N - 1) * kQuantities;
    static constexpr int kFirst = tet_modes(N) * kQuantities;
    static constexpr int kMost = kMostShared / 128;
    /// The unknowns stay; otherwise they are there for d_1 only, where what follows it will be.
    static constexpr bool kFirstHere = kDerivatives + kSum + kStaged + kFirst <= kMost;
    static constexpr int kAll = kDerivatives + kSum + kStaged + (kFirstHere ? kFirst : 0);
    static constexpr int kBytes = kAll * 128;
    static_assert(kBytes <= kMostShared);
    static_assert(kFirstHere || kFirst <= kFree + kStaged + kSum);
    /// Every second sum goes to `staged`, so that none is overwritten while it is read.
    static constexpr bool kTwoSums =
        N == 1 || tet_modes(N < 2 ? 0 : N - 2) * kQuantities <= kStaged;
};

template <class T>
struct Elastic {
    T g[4][3], lambda, mu, two_mu, per_density;
    __device__ explicit Elastic(const ElementTerms<T>& terms)
        : lambda(terms[Terms::kLambda]),
          mu(terms[Terms::kMu]),
          two_mu(mu + mu),
          per_density(terms[Terms::kPerDensity]) {
#pragma unroll
        for (int k = 0; k < 12; ++k) {
            g[k / 3][k % 3] = terms[Terms::kGradient + k];
        }
    }
};

/// Mode k of L in (degree n).
template <class T, int n>
__device__ void apply_operator(const T* in, T* out, const Elastic<T>& t, int k) {
    constexpr int kWide = kColumns<T>;
    const Four above = kAbove<T, n>.row[k];
    T strain[kStresses] = {}, f[3] = {};  // xx, yy, zz; xy, yz, xz twice
#pragma unroll
    for (int a = 0; a < 4; ++a) {
        const T* q = in + above.of[a];
        T s[kStresses], v[3];
#pragma unroll
        for (int c = 0; c < kStresses; ++c) {
            s[c] = q[c * kWide];
        }
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            v[c] = q[(kStresses + c) * kWide];
            strain[c] += v[c] * t.g[a][c];
        }
        add_products(v[0], t.g[a][1], v[1], t.g[a][0], strain[3]);
        add_products(v[1], t.g[a][2], v[2], t.g[a][1], strain[4]);
        add_products(v[0], t.g[a][2], v[2], t.g[a][0], strain[5]);
        add_products(s[0], t.g[a][0], s[3], t.g[a][1], f[0]);
        add_products(s[3], t.g[a][0], s[1], t.g[a][1], f[1]);
        add_products(s[5], t.g[a][0], s[4], t.g[a][1], f[2]);
        f[0] += s[5] * t.g[a][2];
        f[1] += s[4] * t.g[a][2];
        f[2] += s[2] * t.g[a][2];
    }
    const T pressure = t.lambda * (strain[0] + strain[1] + strain[2]);
    T* to = out + kQuantities * kWide * k;
#pragma unroll
    for (int c = 0; c < 3; ++c) {
        to[c * kWide] = pressure + t.two_mu * strain[c];
        to[(3 + c) * kWide] = t.mu * strain[3 + c];
        to[(kStresses + c) * kWide] = t.per_density * f[c];
    }
}

template <class T, int N, int threads, int i = 0>
__device__ void all_derivatives(const T* in, T* derivatives, const Elastic<T>& terms,
                                const Place<T, threads>& me) {
    if constexpr (i < N) {
        T* out = derivatives + PredictShared<T, N>::place_of_derivative(i + 1) * kColumns<T>;
#pragma unroll 1
        for (int k = me.row; k < tet_modes(N - i - 1); k += me.kRows) {
            apply_operator<T, N - i>(in, out, terms, k);
        }
        __syncthreads();
        all_derivatives<T, N, threads, i + 1>(out, derivatives, terms, me);
    }
}

template <class T>
__device__ void put_mode(const T (&q)[kQuantities], T* to, int k) {
#pragma unroll
    for (int c = 0; c < kQuantities; ++c) {
        to[k * kModeStride<T> + c * kColumns<T>] = q[c];
    }
}

/// elevated() of two sums and weights that have `own` in common; r only if both are wanted.
template <class T, int n, bool both>
__device__ void two_elevated(const T* low, const T* low_r, const T* own, T factor, T factor_r,
                             int k, T (&q)[kQuantities], T (&r)[kQuantities]) {
#pragma unroll
    for (int c = 0; c < kQuantities; ++c) {
        const T now = own[k * kModeStride<T> + c * kColumns<T>];
        q[c] = factor * now;
        r[c] = both ? factor_r * now : T(0);
    }
    for_elevated<T, n>(k, [&](int place, T share) {
#pragma unroll
        for (int c = 0; c < kQuantities; ++c) {
            q[c] += share * low[place + c * kColumns<T>];
            if constexpr (both) {
                r[c] += share * low_r[place + c * kColumns<T>];
            }
        }
    });
}

/// Sums over i > 0 of weights d_i by Horner's rule, of degree N - 1: one in `sum`, one in place of
/// d_1 (`ends`; those above are lost).
template <class T, int N, bool ends, int threads, int i = N>
__device__ void sum_derivatives(T* derivatives, const T* weights, const T* end, T* sum, T* other,
                                const Place<T, threads>& me) {
    if constexpr (i > 0) {
        using Here = PredictShared<T, N>;
        constexpr int kWide = kColumns<T>, kModes = tet_modes(N - i);
        T* own = derivatives + Here::place_of_derivative(i) * kWide;
        T* to = i % 2 != 0 || !Here::kTwoSums ? sum : other;
        if constexpr (i == N) {
            for (int c = me.row; c < kQuantities; c += me.kRows) {
                const T highest = own[c * kWide];
                to[c * kWide] = weights[N] * highest;
                if constexpr (ends) {
                    own[c * kWide] = end[N] * highest;
                }
            }
        } else {
            const T* low = i % 2 == 0 || !Here::kTwoSums ? sum : other;
            const T* low_end = derivatives + Here::place_of_derivative(i + 1) * kWide;
            if constexpr (Here::kTwoSums) {
#pragma unroll 1
                for (int k = me.row; k < kModes; k += me.kRows) {
                    T q[kQuantities], r[kQuantities];
                    two_elevated<T, N - i, ends>(low, low_end, own, weights[i], end[i], k, q, r);
                    put_mode(q, to, k);
                    if constexpr (ends) {
                        put_mode(r, own, k);
                    }
                }
            } else {
                constexpr int kEach = (kModes + me.kRows - 1) / me.kRows;
                T q[kEach][kQuantities] = {};
#pragma unroll
                for (int j = 0; j < kEach; ++j) {
                    if (const int k = me.row + j * me.kRows; k < kModes) {
                        elevated<T, N - i>(low, own, weights[i], k, q[j]);
                    }
                }
#pragma unroll 1
                for (int k = me.row; k < kModes && ends; k += me.kRows) {
                    T r[kQuantities];
                    elevated<T, N - i>(low_end, own, end[i], k, r);
                    put_mode(r, own, k);
                }
                __syncthreads();
#pragma unroll
                for (int j = 0; j < kEach; ++j) {
                    if (const int k = me.row + j * me.kRows; k < kModes) {
                        put_mode(q[j], to, k);
                    }
                }
            }
        }
        __syncthreads();
        sum_derivatives<T, N, ends, threads, i - 1>(derivatives, weights, end, sum, other, me);
    }
}

/// Unknowns of a block to shared memory, all of a thread's loads under way together.
template <class T, int numbers, int threads>
__device__ void bring(const T* from, T* to) {
    constexpr int kUnits = numbers * kColumns<T> / Unit<T>::kNumbers;
    constexpr int kEach = (kUnits + threads - 1) / threads;
    Unit<T> units[kEach];
#pragma unroll
    for (int j = 0; j < kEach; ++j) {
        if (const int u = threadIdx.x + j * threads; u < kUnits) {
            units[j] = reinterpret_cast<const Unit<T>*>(from)[u];
        }
    }
#pragma unroll
    for (int j = 0; j < kEach; ++j) {
        if (const int u = threadIdx.x + j * threads; u < kUnits) {
            reinterpret_cast<Unit<T>*>(to)[u] = units[j];
        }
    }
}

/// A thread per power, component and lane: binom(N, i) d_i at the receiver.
template <class T, int N, int threads>
__device__ void record(const GpuPoints& p, std::int32_t block, Elements mine, std::int64_t slot,
                       const T* first, const T* derivatives) {
    const int width = 3 * p.lanes;
    for (std::int32_t r = p.first_receiver[block]; r < p.first_receiver[block + 1]; ++r) {
        double* to = p.powers + (slot + r) * (N + 2) * width;
        const bool here = mine.have(p.receiver_elements[r]);
        for (int k = threadIdx.x; k < (N + 1) * width && here; k += threads) {
            const int i = k / width, c = k % width / p.lanes, lane = k % p.lanes;
            const double* values = p.receiver_values + std::int64_t(r) * receiver_values<N>();
            const T* from = first;
            double binom = 1.0;
            for (int j = 0; j < i; ++j) {
                values += tet_modes(N - j);
                from = j == 0 ? derivatives : from + tet_modes(N - j) * kQuantities * kColumns<T>;
                binom = binom * (N - j) / (j + 1);
            }
            to[k] = binom * seen(values, from, tet_modes(N - i), c,
                                 p.receiver_elements[r] * p.lanes + lane);
        }
    }
}

/// Powers of time of the traces at conditions: d_0 .. d_N.
template <class T, int N, int threads>
__device__ void keep_traces(const GpuElements<T>& e, std::int32_t block, const T* first,
                            const T* derivatives) {
    keep_numbers<T, threads>(e, block, 0, e.conditions.numbers, [&](int j) {
        const T* of = first;
        for (int i = 0, end = face_modes(N); j >= end; end += face_modes(N - i)) {
            of = i == 0 ? derivatives : of + tet_modes(N - i) * kQuantities * kColumns<T>;
            ++i;
        }
        return of;
    });
}

template <class T, int N>
__global__ void __launch_bounds__(kThreadsOfOrder<T, N>,
                                  blocks_at_a_time(PredictShared<T, N>::kBytes,
                                                   kThreadsOfOrder<T, N>, kRegisters<T>))
    predict_kernel(GpuElements<T> e, GpuRanges ranges, GpuWeights<T> weights, GpuPoints points) {
    extern __shared__ __align__(16) unsigned char memory[];
    using Here = PredictShared<T, N>;
    constexpr int kThreads = kThreadsOfOrder<T, N>, kWide = kColumns<T>;
    const GpuRanges::Range& range = range_of(ranges, blockIdx.x);
    const std::int32_t block = block_of(ranges, range, blockIdx.x);
    const Elements mine{~points.with_sources[block]};
    const Place<T, kThreads> me(e.lane_bits);
    const ElementTerms<T> terms(e, block, me.element);
    T* shared = reinterpret_cast<T*>(memory);
    T* derivatives = shared + me.column;
    T* staged = shared + Here::kDerivatives * kWide;
    T* other = staged + me.column;
    T* sum = other + Here::kStaged * kWide;
    T* unknowns = unknowns_of<T, N>(e, block);
    const T* first = unknowns + me.column;
    const Elastic<T> elastic(terms);
    T* records = shared + Here::place_of_derivative(2) * kWide;
    T* copy = Here::kFirstHere ? staged + (Here::kStaged + Here::kSum) * kWide : records;
    bring<T, Here::kFirst, kThreads>(unknowns, copy);
    if constexpr (Here::kFirstHere) {
        first = copy + me.column;
    }
    __syncthreads();
    all_derivatives<T, N>(copy + me.column, derivatives, elastic, me);
    record<T, N, kThreads>(points, block, mine,
                           *points.macro * points.receivers_per_macro + range.receiver_slot,
                           first - me.column, shared);
    keep_traces<T, N, kThreads>(e, block, first - me.column, shared);
    if (__syncthreads_or(wants_halves<kThreads>(e, block))) {
        sum_derivatives<T, N, false>(derivatives, weights.first_half, weights.end, sum, other, me);
        write_traces<T, N, 1>(e, block, mine, false, true, me, terms, staged,
                              [&](int k, T(&q)[kQuantities]) {
                                  elevated<T, N>(sum, first, weights.first_half[0], k, q);
                              });
        __syncthreads();
    }
    sum_derivatives<T, N, true>(derivatives, weights.mean, weights.end, sum, other, me);
    if constexpr (Here::kFaces == 4) {  // all modes: their ends along with the mean
        write_traces<T, N, 4>(e, block, mine, range.odd != 0, false, me, terms, records,
                              [&](int k, T(&q)[kQuantities]) {
                                  T end[kQuantities];
                                  two_elevated<T, N, true>(sum, derivatives, first, weights.mean[0],
                                                           weights.end[0], k, q, end);
                                  if (mine.have(me.element)) {
                                      put_mode(end, unknowns + me.column, k);
                                  }
                              });
    } else {
        write_traces<T, N, Here::kFaces>(
            e, block, mine, range.odd != 0, false, me, terms, records,
            [&](int k, T(&q)[kQuantities]) { elevated<T, N>(sum, first, weights.mean[0], k, q); });
#pragma unroll 1
        for (int k = me.row; k < tet_modes(N) && mine.have(me.element); k += me.kRows) {
            T end[kQuantities];
            elevated<T, N>(derivatives, first, weights.end[0], k, end);
            put_mode(end, unknowns + me.column, k);
        }
    }
}

template <class T, int N>
void launch_predict(const GpuElements<T>& elements, const GpuRanges& ranges,
                    const GpuWeights<T>& weights, const GpuPoints& points, device::Queue& queue) {
    constexpr int kBytes = PredictShared<T, N>::kBytes;
    static device::OncePerDevice allowed;
    allowed.run(queue.stream().device,
                [&] { allow_shared(predict_kernel<T, N>, kBytes, N, queue.stream().device); });
    predict_kernel<T, N><<<ranges.n_blocks, kThreadsOfOrder<T, N>, kBytes, queue.stream().stream>>>(
        elements, ranges, weights, points);
    device::cuda::check(cudaGetLastError(), "predict");
}

}  // namespace
}  // namespace gpu

template <class T>
void predict_cuda(int N, const GpuElements<T>& elements, const GpuRanges& ranges,
                  const GpuWeights<T>& weights, const GpuPoints& points, device::Queue& queue) {
    if (ranges.n_blocks > 0) {
        gpu::with_degree(N, [&](auto degree) {
            gpu::launch_predict<T, decltype(degree)::value>(elements, ranges, weights, points,
                                                            queue);
        });
    }
}

template void predict_cuda(int, const GpuElements<double>&, const GpuRanges&,
                           const GpuWeights<double>&, const GpuPoints&, device::Queue&);
template void predict_cuda(int, const GpuElements<float>&, const GpuRanges&,
                           const GpuWeights<float>&, const GpuPoints&, device::Queue&);

}  // namespace kaname::aderdg
