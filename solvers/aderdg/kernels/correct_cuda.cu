// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/kernels/gpu_block.cuh"

/// The corrector in one kernel (correct_body.hpp has the formulas). The four faces' jumps are
/// lifted side by side, layer after layer; then each mode adds what the four lifts give it.
namespace kaname::aderdg {
namespace gpu {
namespace {

/// Lifted jumps of a block in shared memory, in numbers of each column: [4][face_modes(N)][3] of
/// the lowest layers, and behind them [4][tet_modes(N) - face_modes(N)][3] of the others, where
/// records are staged before: those of kFaces faces, and what is beyond.
template <class T, int N>
struct Lifted {
    static constexpr int kFace = face_modes(N), kOthers = tet_modes(N) - kFace;
    /// Staged at a time, by way of registers.
    static constexpr int kFaces = sizeof(T) == 4 && N != 5 ? 2 : 1;
    static constexpr int kBase = 4 * 3 * kFace;
    static constexpr int kStaged = 2 * kFaces * Record<T, N>::kNumbers;
    static constexpr int kRest = 12 * kOthers > kStaged ? 12 * kOthers : kStaged;
    static constexpr int kBytes = (kBase + kRest) * 128;
    static_assert(kBytes <= kMostShared);

    /// First of the three numbers of place p among the layers across face f.
    KANAME_HD static constexpr int at(int f, int p) {
        return (p < kFace ? (f * kFace + p) * 3 : kBase + (f * kOthers + p - kFace) * 3) *
               kColumns<T>;
    }
};

/// Less shared memory than the predictor's leaves room for one block more of some orders.
template <class T, int N>
inline constexpr int kThreadsOfCorrector = N == 5                     ? kThreadsOfOrder<T, N> / 2
                                           : N == 4 && sizeof(T) == 8 ? 256
                                                                      : kThreadsOfOrder<T, N>;

/// at() of each mode's places among the layers across the four faces.
template <class T, int N>
struct Places {
    Four row[tet_modes(N)]{};
    constexpr Places() {
        const Layers<N> layers;
        for (int k = 0; k < tet_modes(N); ++k) {
            for (int f = 0; f < 4; ++f) {
                row[k].of[f] = Lifted<T, N>::at(f, layers.row[k].of[f]);
            }
        }
    }
};
template <class T, int N>
__constant__ const Places<T, N> kPlaces{};

/// Records of some faces on their way to shared memory, here and beyond.
template <class T, int N, int threads>
struct Arriving {
    static constexpr int kUnits = Lifted<T, N>::kFaces * Record<T, N>::kFaceUnits;
    static constexpr int kEach = (kUnits + threads - 1) / threads;
    Unit<T> here[kEach], there[kEach];

    /// `beyond` [faces][elements of a block] are numbers of records.
    __device__ void load(const T* records, const T* own, const int* beyond, int lane_bits) {
#pragma unroll
        for (int j = 0; j < kEach; ++j) {
            if (const int u = threadIdx.x + j * threads; u < kUnits) {
                const int column = u / Record<T, N>::kUnits, unit = u % Record<T, N>::kUnits;
                const int lane = column & ((1 << lane_bits) - 1);
                const std::int64_t lanes = std::int64_t(beyond[column >> lane_bits]) << lane_bits;
                const T* from = records + (lanes + lane) * Record<T, N>::kNumbers;
                here[j] = reinterpret_cast<const Unit<T>*>(own)[u];
                there[j] = reinterpret_cast<const Unit<T>*>(from)[unit];
            }
        }
    }
    __device__ void put(T* staged) const {
        auto* to = reinterpret_cast<Unit<T>*>(staged);
#pragma unroll
        for (int j = 0; j < kEach; ++j) {
            if (const int u = threadIdx.x + j * threads; u < kUnits) {
                to[u] = here[j];
                to[kUnits + u] = there[j];
            }
        }
    }
};

/// w [3]: the jump of a mode from its traces here and beyond.
template <class T>
__device__ void jump(const T* here, const T* there, const T (&face)[Terms::kFace], T* w) {
    const auto* own = reinterpret_cast<const Two<T>*>(here);
    const auto* beyond = reinterpret_cast<const Two<T>*>(there);
    const Two<T> a[3] = {own[0], own[1], own[2]}, b[3] = {beyond[0], beyond[1], beyond[2]};
    // Normals are opposite: -[t].
    const T dt[3] = {b[0].x + a[0].x, b[0].y + a[0].y, b[1].x + a[1].x};
    const T dv[3] = {b[1].y - a[1].y, b[2].x - a[2].x, b[2].y - a[2].y};
    const T vn = dv[0] * face[0] + dv[1] * face[1] + dv[2] * face[2];
    const T tn = dt[0] * face[0] + dt[1] * face[1] + dt[2] * face[2];
    const T along = face[Terms::kNormalVelocity] * vn - face[Terms::kNormalTraction] * tn;
#pragma unroll
    for (int c = 0; c < 3; ++c) {
        w[c * kColumns<T>] =
            face[Terms::kVelocity] * dv[c] - face[Terms::kTraction] * dt[c] + along * face[c];
    }
}

/// Reads all faces' records, here and beyond them, and leaves the jumps in `shared`.
template <class T, int N, int threads>
__device__ void take_jumps(const GpuElements<T>& e, std::int32_t block, bool odd,
                           const Place<T, threads>& me, const ElementTerms<T>& terms, T* shared) {
    using Here = Lifted<T, N>;
    constexpr int kWide = kColumns<T>, kModes = face_modes(N);
    static_assert(me.kRows % Here::kFaces == 0);
    __shared__ int beyond[4 * kColumns<T>];
    const int per_block = kWide >> e.lane_bits;
    const std::int32_t* numbers =
        (odd ? e.beyond[1] : e.beyond[0]) + std::int64_t(block) * 4 * per_block;
    for (int k = threadIdx.x; k < 4 * per_block; k += threads) {
        beyond[k] = numbers[k];
    }
    __syncthreads();
    const T* own = e.records + std::int64_t(block) * 4 * Record<T, N>::kFace;
    T* staged = shared + Here::kBase * kWide;
    Arriving<T, N, threads> arriving;
    arriving.load(e.records, own, beyond, e.lane_bits);
#pragma unroll 1
    for (int f = 0; f < 4; f += Here::kFaces) {
        arriving.put(staged);
        __syncthreads();
        if (const int next = f + Here::kFaces; next < 4) {
            arriving.load(e.records, own + next * Record<T, N>::kFace, beyond + next * per_block,
                          e.lane_bits);
        }
        const T* here = staged + me.column * Record<T, N>::kNumbers;
        const T* there = here + Here::kFaces * Record<T, N>::kFace;
        const int i = me.row % Here::kFaces;  // each row of threads has one of the faces
        T face[Terms::kFace];
#pragma unroll
        for (int q = 0; q < Terms::kFace; ++q) {
            face[q] = terms[Terms::kFaces + (f + i) * Terms::kFace + q];
        }
#pragma unroll 1
        for (int k = me.row / Here::kFaces; k < kModes; k += me.kRows / Here::kFaces) {
            const int at = i * Record<T, N>::kFace + record_place(0, k);
            jump(here + at, there + at, face, shared + Here::at(f + i, k) + me.column);
        }
        __syncthreads();
    }
}

/// y [3] = what some entries of a matrix's row give of what begins at `in`.
template <int from, int to, class Row, class T>
__device__ void add_entries(const Row& row, const T* in, T (&y)[3]) {
#pragma unroll
    for (int m = from; m < to; ++m) {
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            y[c] += row.factor[m] * in[row.place[m] + c * kColumns<T>];
        }
    }
}

/// Lowest layers of all faces from their jumps, in place.
template <class T, int N, int threads>
__device__ void lift_base(const Place<T, threads>& me, T* lifted) {
    constexpr int kModes = face_modes(N), kEach = (4 * kModes + me.kRows - 1) / me.kRows;
    T y[kEach][3];
#pragma unroll
    for (int j = 0; j < kEach; ++j) {
        if (const int k = me.row + j * me.kRows; k < 4 * kModes) {
            // A corner's row has three entries, an edge's five, others seven.
            const auto row = kLift<T, N>.row[k % kModes];
            const T* in = lifted + Lifted<T, N>::at(k / kModes, 0);
            y[j][0] = y[j][1] = y[j][2] = T(0);
            add_entries<0, 3>(row, in, y[j]);
            if (row.factor[3] != T(0)) {
                add_entries<3, 5>(row, in, y[j]);
                if (row.factor[5] != T(0)) {
                    add_entries<5, 7>(row, in, y[j]);
                }
            }
        }
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < kEach; ++j) {
        if (const int k = me.row + j * me.kRows; k < 4 * kModes) {
            for (int c = 0; c < 3; ++c) {
                lifted[Lifted<T, N>::at(k / kModes, k % kModes) + c * kColumns<T>] = y[j][c];
            }
        }
    }
    __syncthreads();
}

/// Layers j .. N, of which the last one begins at place `last` and this one at `place`.
template <class T, int N, int threads, int j = 1>
__device__ void lift_layers(const Place<T, threads>& me, T* lifted, int last, int place) {
    if constexpr (j <= N) {
        constexpr int kModes = face_modes(N - j);
        for (int k = me.row; k < 4 * kModes; k += me.kRows) {
            const int f = k / kModes;
            T y[3] = {};
            const auto row = kReduction<T, N, j>.row[k % kModes];
            add_entries<0, 3>(row, lifted + Lifted<T, N>::at(f, last), y);
            T* to = lifted + Lifted<T, N>::at(f, place + k % kModes);
            for (int c = 0; c < 3; ++c) {
                to[c * kColumns<T>] = y[c];
            }
        }
        __syncthreads();
        lift_layers<T, N, threads, j + 1>(me, lifted, place, place + kModes);
    }
}

template <class T>
struct Normals {
    T n[4][3];
    __device__ explicit Normals(const ElementTerms<T>& terms) {
#pragma unroll
        for (int k = 0; k < 12; ++k) {
            n[k / 3][k % 3] = terms[Terms::kFaces + k / 3 * Terms::kFace + k % 3];
        }
    }
};

/// e [9]: strain (xy, yz, xz twice) and velocity that the lifts give to mode k.
template <class T, int N>
__device__ void gather(const T* lifted, const Normals<T>& normals, T vs, T vp_minus_vs, int k,
                       T (&e)[kQuantities]) {
    const Four places = kPlaces<T, N>.row[k];
    T all[3] = {}, along[3] = {};  // jumps, and their parts along normals
#pragma unroll
    for (int c = 0; c < kStresses; ++c) {
        e[c] = T(0);
    }
#pragma unroll
    for (int f = 0; f < 4; ++f) {
        const T* from = lifted + places.of[f];
        const T* n = normals.n[f];
        const T y[3] = {from[0], from[kColumns<T>], from[2 * kColumns<T>]};
        const T normal = y[0] * n[0] + y[1] * n[1] + y[2] * n[2];
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            e[c] += y[c] * n[c];
            all[c] += y[c];
            along[c] += normal * n[c];
        }
        add_products(y[0], n[1], y[1], n[0], e[3]);
        add_products(y[1], n[2], y[2], n[1], e[4]);
        add_products(y[0], n[2], y[2], n[0], e[5]);
    }
#pragma unroll
    for (int c = 0; c < 3; ++c) {
        e[6 + c] = vs * all[c] + vp_minus_vs * along[c];
    }
}

/// Unknowns of a mode, `now` before, at `to`.
template <class T>
__device__ void add_lifted(const T (&e)[kQuantities], const T (&now)[kQuantities], T lambda,
                           T two_mu, T* to) {
    const T pressure = lambda * (e[0] + e[1] + e[2]), mu = T(0.5) * two_mu;
#pragma unroll
    for (int c = 0; c < 3; ++c) {
        to[c * kColumns<T>] = now[c] + (pressure + two_mu * e[c]);
        to[(3 + c) * kColumns<T>] = now[3 + c] + mu * e[3 + c];
        to[(6 + c) * kColumns<T>] = now[6 + c] + e[6 + c];
    }
}

/// Adds to mechanism l's theta of a mode.
template <class T>
__device__ void relax_lifted(const T (&e)[kQuantities], const ElementTerms<T>& terms, int l,
                             T* theta) {
    const T omega = terms[Terms::kMechanisms + l * Terms::kMechanism + Terms::kOmega];
#pragma unroll
    for (int c = 0; c < 3; ++c) {
        theta[c * kColumns<T>] += omega * e[c];
        theta[(3 + c) * kColumns<T>] += T(0.5) * omega * e[3 + c];
    }
}

template <class T>
__device__ void read_mode(const T* unknowns, int k, T (&q)[kQuantities]) {
#pragma unroll
    for (int c = 0; c < kQuantities; ++c) {
        q[c] = unknowns[k * kModeStride<T> + c * kColumns<T>];
    }
}

template <class T, int N>
__global__ void __launch_bounds__(kThreadsOfCorrector<T, N>,
                                  blocks_at_a_time(Lifted<T, N>::kBytes, kThreadsOfCorrector<T, N>,
                                                   kRegisters<T>))
    correct_kernel(GpuElements<T> e, GpuRanges ranges) {
    extern __shared__ __align__(16) unsigned char memory[];
    constexpr int kThreads = kThreadsOfCorrector<T, N>;
    const GpuRanges::Range& range = range_of(ranges, blockIdx.x);
    const std::int32_t block = block_of(ranges, range, blockIdx.x);
    const Place<T, kThreads> me(e.lane_bits);
    const ElementTerms<T> terms(e, block, me.element);
    T* shared = reinterpret_cast<T*>(memory);
    take_jumps<T, N>(e, block, range.odd != 0, me, terms, shared);
    T* unknowns = unknowns_of<T, N>(e, block) + me.column;
    // Unknowns are on their way a mode before they are needed, where there are registers for them.
    constexpr bool kAhead = sizeof(T) == 4;
    T next[kQuantities];
    if (kAhead && me.row < tet_modes(N)) {
        read_mode(unknowns, me.row, next);
    }
    T* lifted = shared + me.column;
    lift_base<T, N>(me, lifted);
    lift_layers<T, N>(me, lifted, 0, face_modes(N));
    const Normals<T> normals(terms);
    const T vs = terms[Terms::kVs], vp_minus_vs = terms[Terms::kVpMinusVs];
    const T lambda = terms[Terms::kLambda], two_mu = terms[Terms::kMu] + terms[Terms::kMu];
#pragma unroll 1
    for (int k = me.row; k < tet_modes(N); k += me.kRows) {
        T now[kQuantities], strain[kQuantities];
        if constexpr (kAhead) {
#pragma unroll
            for (int c = 0; c < kQuantities; ++c) {
                now[c] = next[c];
            }
            if (k + me.kRows < tet_modes(N)) {
                read_mode(unknowns, k + me.kRows, next);
            }
        } else {
            read_mode(unknowns, k, now);
        }
        gather<T, N>(lifted, normals, vs, vp_minus_vs, k, strain);
        add_lifted(strain, now, lambda, two_mu, unknowns + k * kModeStride<T>);
        for (int l = 0; l < e.mechanisms; ++l) {
            const int mode = tet_modes(N) * (kQuantities + l * kStresses) + kStresses * k;
            relax_lifted(strain, terms, l, unknowns + mode * kColumns<T>);
        }
    }
}

template <class T, int N>
void launch_correct(const GpuElements<T>& elements, const GpuRanges& ranges, device::Queue& queue) {
    constexpr int kBytes = Lifted<T, N>::kBytes;
    static device::OncePerDevice allowed;
    allowed.run(queue.stream().device,
                [&] { allow_shared(correct_kernel<T, N>, kBytes, N, queue.stream().device); });
    correct_kernel<T, N>
        <<<ranges.n_blocks, kThreadsOfCorrector<T, N>, kBytes, queue.stream().stream>>>(elements,
                                                                                        ranges);
    device::cuda::check(cudaGetLastError(), "correct");
}

}  // namespace
}  // namespace gpu

template <class T>
void correct_cuda(int N, const GpuElements<T>& elements, const GpuRanges& ranges,
                  device::Queue& queue) {
    if (ranges.n_blocks > 0) {
        gpu::with_degree(N, [&](auto degree) {
            gpu::launch_correct<T, decltype(degree)::value>(elements, ranges, queue);
        });
    }
}

template void correct_cuda(int, const GpuElements<double>&, const GpuRanges&, device::Queue&);
template void correct_cuda(int, const GpuElements<float>&, const GpuRanges&, device::Queue&);

}  // namespace kaname::aderdg
