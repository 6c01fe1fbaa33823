// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/kernels/gpu_block.cuh"

/// The predictor of elements with attenuation or sources (full_degree_body.hpp has the formulas). A
/// coefficient s_i of stress and velocity and its derivatives in space are in shared memory; a
/// thread keeps the sums at its modes, and theta, which derivatives do not touch, stays in memory.
namespace kaname::aderdg {
namespace gpu {
namespace {

/// Threads that keep sums of several modes have more registers than the other kernels' threads.
template <class T, int N>
inline constexpr int kThreadsOfFull = N <= 2           ? 128
                                      : N == 3         ? 256
                                      : N == 4         ? (sizeof(T) == 4 ? 384 : 256)
                                      : sizeof(T) == 4 ? 768
                                                       : 384;

template <class T, int N>
struct SharedFull {
    static constexpr int kNow = tet_modes(N) * kQuantities;
    static constexpr int kLow = tet_modes(N - 1) * kQuantities;
    static constexpr int kStaged = Record<T, N>::kNumbers;
    static constexpr int kBytes = (kNow + kLow + kStaged) * 128;
    static_assert(kBytes <= kMostShared);
    static constexpr int kBlocks = blocks_at_a_time(kBytes, kThreadsOfFull<T, N>, 80);
};

/// Strain rates xx, yy, zz, xy, yz, xz and accelerations of mode k, times dt, less the factor n.
template <class T, int n>
__device__ void strain_operator(const T* in, T* out, const ElementTerms<T>& terms, int k) {
    constexpr int kWide = kColumns<T>;
    const Four above = kAbove<T, n>.row[k];
    T v[3][3] = {}, f[3] = {};
#pragma unroll
    for (int a = 0; a < 4; ++a) {
        const T* q = in + above.of[a];
        const T g[3] = {terms[3 * a], terms[3 * a + 1], terms[3 * a + 2]};
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            const T velocity = q[(kStresses + c) * kWide];
#pragma unroll
            for (int d = 0; d < 3; ++d) {
                v[c][d] += velocity * g[d];
            }
        }
        f[0] += q[0] * g[0] + q[3 * kWide] * g[1] + q[5 * kWide] * g[2];
        f[1] += q[3 * kWide] * g[0] + q[kWide] * g[1] + q[4 * kWide] * g[2];
        f[2] += q[5 * kWide] * g[0] + q[4 * kWide] * g[1] + q[2 * kWide] * g[2];
    }
    T* to = out + kQuantities * kWide * k;
    const T half = T(0.5), per_density = terms[Terms::kPerDensity];
#pragma unroll
    for (int c = 0; c < 3; ++c) {
        to[c * kWide] = v[c][c];
        to[(kStresses + c) * kWide] = per_density * f[c];
    }
    to[3 * kWide] = half * (v[0][1] + v[1][0]);
    to[4 * kWide] = half * (v[1][2] + v[2][1]);
    to[5 * kWide] = half * (v[0][2] + v[2][0]);
}

/// next [9] = dt L s/(i + 1) at one mode from its strain rates e, without what mechanisms take.
template <class T>
__device__ void elastic_rates(const T (&e)[kQuantities], T degree, T factor,
                              const ElementTerms<T>& terms, T (&stress)[kStresses],
                              T (&next)[kQuantities]) {
    const T two_mu = terms[Terms::kMu] + terms[Terms::kMu];
    const T pressure = terms[Terms::kLambda] * (e[0] + e[1] + e[2]);
#pragma unroll
    for (int c = 0; c < 3; ++c) {
        stress[c] = degree * (pressure + two_mu * e[c]);
        stress[3 + c] = degree * (two_mu * e[3 + c]);
        next[kStresses + c] = (factor * degree) * e[kStresses + c];
    }
}

/// A mechanism at one mode: the coefficient of theta and the sum so far.
template <class T>
struct Anelastic {
    T now[kStresses], sum[kStresses];
    __device__ void read(const T* theta, const T* theta_sum) {
#pragma unroll
        for (int c = 0; c < kStresses; ++c) {
            now[c] = theta[c * kColumns<T>];
            sum[c] = theta_sum[c * kColumns<T>];
        }
    }
};

/// Mechanism l at one mode: takes its part of the stress rate, and leaves the next coefficient of
/// theta in `theta` (unless it is the last) and its sum in `sum`, both [6][kColumns].
template <class T>
__device__ void relax(const T (&e)[kQuantities], T degree, T factor, const ElementTerms<T>& terms,
                      int l, const Anelastic<T>& of, bool last, T* theta, T* sum,
                      T (&stress)[kStresses]) {
    constexpr int kWide = kColumns<T>;
    const int m = Terms::kMechanisms + l * Terms::kMechanism;
    const T mu = terms[m + Terms::kAnelasticMu] + terms[m + Terms::kAnelasticMu];
    const T omega = terms[m + Terms::kOmega], omega_step = terms[m + Terms::kOmegaStep];
    const T lost = terms[m + Terms::kAnelasticLambda] * (of.now[0] + of.now[1] + of.now[2]);
#pragma unroll
    for (int c = 0; c < kStresses; ++c) {
        stress[c] -= mu * of.now[c];
        if (c < 3) {
            stress[c] -= lost;
        }
        const T next = factor * (degree * (omega * e[c]) - omega_step * of.now[c]);
        if (!last) {
            theta[c * kWide] = next;
        }
        sum[c * kWide] = of.sum[c] + next;
    }
}

/// Adds what the block's sources give to mode k of the next coefficient.
template <class T, int N>
__device__ void add_sources(const GpuPoints& p, std::int32_t block, std::int64_t slot, int i,
                            double step_s, int k, int column, T (&next)[kQuantities]) {
    for (std::int32_t s = p.first_source[block]; s < p.first_source[block + 1]; ++s) {
        const GpuSource& source = p.sources[s];
        if (source.column != column) {
            continue;
        }
        const double share = step_s * p.rates[(slot + s) * (N + 1) + (i < N ? i : N)] / (i + 1);
        const double shape = p.shapes[std::int64_t(s) * tet_modes(N) + k];
#pragma unroll
        for (int c = 0; c < kQuantities; ++c) {
            next[c] = static_cast<T>(next[c] + share * source.amount[c] * shape);
        }
    }
}

/// Velocities of the receivers from coefficient i.
template <class T, int N, int threads>
__device__ void record_power(const GpuPoints& p, std::int32_t block, Elements mine,
                             std::int64_t slot, int i, const T* now) {
    const int width = 3 * p.lanes;
    for (std::int32_t r = p.first_receiver[block]; r < p.first_receiver[block + 1]; ++r) {
        const double* values = p.receiver_values + std::int64_t(r) * receiver_values<N>();
        const bool here = mine.have(p.receiver_elements[r]);
        for (int k = threadIdx.x; k < width && here; k += threads) {
            p.powers[((slot + r) * (N + 2) + i) * width + k] =
                seen(values, now, tet_modes(N), k / p.lanes,
                     p.receiver_elements[r] * p.lanes + k % p.lanes);
        }
    }
}

/// Coefficient i of the traces at conditions. Without mechanisms they have none of sources'
/// elements.
template <class T, int N, int threads>
__device__ void keep_coefficient(const GpuElements<T>& e, std::int32_t block, int i, const T* now) {
    if (e.mechanisms > 0) {
        keep_numbers<T, threads>(e, block, i * face_modes(N), face_modes(N),
                                 [&](int) { return now; });
    }
}

/// Holds a thread's modes of the mean over the step, the mean over its first half, and its end.
template <class T, int N>
struct Sums {
    static constexpr int kRows = kThreadsOfFull<T, N> / kColumns<T>;
    static constexpr int kEach = (tet_modes(N) + kRows - 1) / kRows;
    T mean[kEach][kQuantities], half[kEach][kQuantities], end[kEach][kQuantities];
};

template <class T, int N>
__device__ void predict_full(const GpuElements<T>& e, const GpuRanges::Range& range,
                             std::int32_t block, double step_s, const GpuPoints& points,
                             T* shared) {
    using Here = SharedFull<T, N>;
    constexpr int kThreads = kThreadsOfFull<T, N>, kWide = kColumns<T>, kModes = tet_modes(N);
    const Elements mine{e.mechanisms > 0 ? ~0U : points.with_sources[block]};
    const Place<T, kThreads> me(e.lane_bits);
    const ElementTerms<T> terms(e, block, me.element);
    T* now = shared + me.column;
    T* low = now + Here::kNow * kWide;
    T* staged = shared + (Here::kNow + Here::kLow) * kWide;
    T* unknowns = unknowns_of<T, N>(e, block) + me.column;
    T* sum_theta = unknowns + Here::kNow * kWide;
    const int theta_size = kModes * kStresses * e.mechanisms;
    T* theta = e.theta + std::int64_t(blockIdx.x) * theta_size * kWide + me.column;
    const std::int64_t source_slot = *points.macro * points.sources_per_macro + range.source_slot;
    const std::int64_t receiver_slot =
        *points.macro * points.receivers_per_macro + range.receiver_slot;

    Sums<T, N> sums;
    for (int j = 0, k = me.row; k < kModes; ++j, k += me.kRows) {
        for (int c = 0; c < kQuantities; ++c) {
            const T q = unknowns[(kQuantities * k + c) * kWide];
            now[(kQuantities * k + c) * kWide] = q;
            sums.mean[j][c] = sums.half[j][c] = sums.end[j][c] = q;
        }
    }
    const bool halves = __syncthreads_or(wants_halves<kThreads>(e, block)) != 0;
    T power = 1;  // of 1/2
    for (int i = 0; i <= N; ++i) {
        record_power<T, N, kThreads>(points, block, mine, receiver_slot, i, shared);
        keep_coefficient<T, N, kThreads>(e, block, i, shared);
        for (int k = me.row; k < tet_modes(N - 1); k += me.kRows) {
            strain_operator<T, N>(now, low, terms, k);
        }
        __syncthreads();
        const T factor = static_cast<T>(1.0 / (i + 1)), mean = static_cast<T>(1.0 / (i + 2));
        power *= T(0.5);
        for (int j = 0, k = me.row; k < kModes; ++j, k += me.kRows) {
            T rates[kQuantities], next[kQuantities], stress[kStresses];
            // Each mechanism's numbers are on their way while the one before it is computed, where
            // there are registers for them. The first coefficient of theta is theta.
            constexpr bool kAhead = sizeof(T) == 4;
            constexpr int kMechanism = kModes * kStresses * kWide;
            const T* coefficient = i == 0 ? sum_theta : theta;
            int at = k * kStresses * kWide;
            Anelastic<T> arriving{};
            if (kAhead && e.mechanisms > 0) {
                arriving.read(coefficient + at, sum_theta + at);
            }
            elevated<T, N>(low, now, T(0), k, rates);
            elastic_rates(rates, T(N), factor, terms, stress, next);
            for (int l = 0; l < e.mechanisms; ++l, at += kMechanism) {
                if constexpr (!kAhead) {
                    arriving.read(coefficient + at, sum_theta + at);
                }
                const Anelastic<T> of = arriving;
                if (kAhead && l + 1 < e.mechanisms) {
                    arriving.read(coefficient + at + kMechanism, sum_theta + at + kMechanism);
                }
                relax(rates, T(N), factor, terms, l, of, i == N, theta + at, sum_theta + at,
                      stress);
            }
#pragma unroll
            for (int c = 0; c < kStresses; ++c) {
                next[c] = factor * stress[c];
            }
            add_sources<T, N>(points, block, source_slot, i, step_s, k, me.column, next);
#pragma unroll
            for (int c = 0; c < kQuantities; ++c) {
                now[(kQuantities * k + c) * kWide] = next[c];
                sums.mean[j][c] += mean * next[c];
                if (halves) {
                    sums.half[j][c] += (mean * power) * next[c];
                }
                sums.end[j][c] += next[c];
            }
        }
        __syncthreads();
    }
    record_power<T, N, kThreads>(points, block, mine, receiver_slot, N + 1, shared);
    keep_coefficient<T, N, kThreads>(e, block, N + 1, shared);
    for (int j = 0, k = me.row; k < kModes && mine.have(me.element); ++j, k += me.kRows) {
        for (int c = 0; c < kQuantities; ++c) {
            unknowns[(kQuantities * k + c) * kWide] = sums.end[j][c];
        }
    }

    const auto take = [&](const T(&of)[Sums<T, N>::kEach][kQuantities], bool half) {
        __syncthreads();
        for (int j = 0, k = me.row; k < kModes; ++j, k += me.kRows) {
            for (int c = 0; c < kQuantities; ++c) {
                now[(kQuantities * k + c) * kWide] = of[j][c];
            }
        }
        __syncthreads();
        write_traces<T, N, 1>(e, block, mine, range.odd != 0, half, me, terms, staged,
                              [&](int k, T(&q)[kQuantities]) {
                                  for (int c = 0; c < kQuantities; ++c) {
                                      q[c] = now[(kQuantities * k + c) * kWide];
                                  }
                              });
    };
    if (halves) {
        take(sums.half, true);
    }
    take(sums.mean, false);
}

template <class T, int N>
__global__ void __launch_bounds__(kThreadsOfFull<T, N>, (SharedFull<T, N>::kBlocks))
    predict_full_kernel(GpuElements<T> e, GpuRanges ranges, double step_s, GpuPoints points) {
    extern __shared__ __align__(16) unsigned char memory[];
    for (std::int32_t i = blockIdx.x; i < ranges.n_blocks; i += gridDim.x) {
        const GpuRanges::Range& range = range_of(ranges, i);
        predict_full<T, N>(e, range, block_of(ranges, range, i),
                           step_s * static_cast<double>(std::int64_t(1) << range.cluster), points,
                           reinterpret_cast<T*>(memory));
    }
}

template <class T, int N>
int resident_blocks(const device::Queue::Stream& stream) {
    return stream.multiprocessors * SharedFull<T, N>::kBlocks;
}

template <class T, int N>
void launch_full_degree(const GpuElements<T>& elements, const GpuRanges& ranges, double step_s,
                        const GpuPoints& points, device::Queue& queue) {
    constexpr int kBytes = SharedFull<T, N>::kBytes;
    static device::OncePerDevice allowed;
    allowed.run(queue.stream().device,
                [&] { allow_shared(predict_full_kernel<T, N>, kBytes, N, queue.stream().device); });
    const int resident = resident_blocks<T, N>(queue.stream());
    const int blocks = ranges.n_blocks < resident ? ranges.n_blocks : resident;
    predict_full_kernel<T, N><<<blocks, kThreadsOfFull<T, N>, kBytes, queue.stream().stream>>>(
        elements, ranges, step_s, points);
    device::cuda::check(cudaGetLastError(), "predict_full");
}

}  // namespace
}  // namespace gpu

template <class T>
void predict_full_cuda(int N, const GpuElements<T>& elements, const GpuRanges& ranges,
                       double step_s, const GpuPoints& points, device::Queue& queue) {
    if (ranges.n_blocks > 0) {
        gpu::with_degree(N, [&](auto degree) {
            gpu::launch_full_degree<T, decltype(degree)::value>(elements, ranges, step_s, points,
                                                                queue);
        });
    }
}

template <class T>
int resident_blocks_cuda(int N, device::Queue& queue) {
    int n = 0;
    gpu::with_degree(N, [&](auto degree) {
        n = gpu::resident_blocks<T, decltype(degree)::value>(queue.stream());
    });
    return n;
}

template int resident_blocks_cuda<double>(int, device::Queue&);
template int resident_blocks_cuda<float>(int, device::Queue&);
template void predict_full_cuda(int, const GpuElements<double>&, const GpuRanges&, double,
                                const GpuPoints&, device::Queue&);
template void predict_full_cuda(int, const GpuElements<float>&, const GpuRanges&, double,
                                const GpuPoints&, device::Queue&);

}  // namespace kaname::aderdg
