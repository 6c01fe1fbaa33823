// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/kernels/gpu_block.cuh"

/// The corrector in one kernel (correct_body.hpp has the formulas). The four faces' jumps are
/// lifted side by side, layer after layer; then each mode adds what the four lifts give it.
namespace kaname::aderdg {
namespace gpu {
namespace {

/// Lifted jumps of a block in shared memory, in numbers of each column: [4][face_modes(N)][3] of
/// the lowest layers, and behind them [4][tet_modes(N) - face_modes(N)][3] of the others, where
/// records are staged before.
template <class T, int N>
struct Lifted {
    static constexpr int kFace = face_modes(N), kOthers = tet_modes(N) - kFace;
    static constexpr int kBase = 4 * 3 * kFace;
    static constexpr int kStaged = 2 * (Staged<T, N>::kItems + 1);
    static constexpr int kRest = 12 * kOthers > kStaged ? 12 * kOthers : kStaged;
    static constexpr int kBytes = (kBase + kRest) * 128;
    static_assert(kBytes <= kMostShared);

    /// First of the three numbers of place p among the layers across face f.
    KANAME_HD static int at(int f, int p) {
        return (p < kFace ? (f * kFace + p) * 3 : kBase + (f * kOthers + p - kFace) * 3) *
               kColumns<T>;
    }
};

/// Reads a face's records, here and beyond it, and leaves the jump in `lifted`.
template <class T, int N, int threads>
__device__ void take_jump(const GpuElements<T>& e, std::int32_t block, bool odd, int f,
                          const Place<T, threads>& me, const ElementTerms<T>& terms, T* shared) {
    constexpr int kModes = face_modes(N), kWarp = 32, kWide = kColumns<T>;
    const Staged<T, N> own{shared + Lifted<T, N>::kBase * kWide, e.lane_bits};
    const Staged<T, N> beyond{own.numbers + Staged<T, N>::kNumbers, e.lane_bits};
    const int size = own.size(), per_block = kWide >> e.lane_bits;
    const std::int64_t first = std::int64_t(block * 4 + f) * per_block;
    for (int k = threadIdx.x / kWarp; k < per_block; k += threads / kWarp) {
        const T* here = e.records + (first + k) * size;
        const T* there = e.records + std::int64_t((odd ? e.beyond[1] : e.beyond[0])[first + k]) * size;
        for (int r = threadIdx.x % kWarp; r < size; r += kWarp) {
            own.record(k)[r] = here[r];
            beyond.record(k)[r] = there[r];
        }
    }
    __syncthreads();
    T face[Terms::kFace];
#pragma unroll
    for (int k = 0; k < Terms::kFace; ++k) {
        face[k] = terms[Terms::kFaces + f * Terms::kFace + k];
    }
    const T* here = own.record(me.element) + me.lane;
    const T* there = beyond.record(me.element) + me.lane;
    for (int k = me.row; k < kModes; k += me.kRows) {
        T dv[3], dt[3];
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            const int t = (c * kModes + k) << e.lane_bits, v = ((3 + c) * kModes + k)
                                                               << e.lane_bits;
            dt[c] = there[t] + here[t];  // normals are opposite: -[t]
            dv[c] = there[v] - here[v];
        }
        const T vn = dv[0] * face[0] + dv[1] * face[1] + dv[2] * face[2];
        const T tn = dt[0] * face[0] + dt[1] * face[1] + dt[2] * face[2];
        const T along = face[Terms::kNormalVelocity] * vn - face[Terms::kNormalTraction] * tn;
        T* w = shared + Lifted<T, N>::at(f, k) + me.column;
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            w[c * kWide] =
                face[Terms::kVelocity] * dv[c] - face[Terms::kTraction] * dt[c] + along * face[c];
        }
    }
    __syncthreads();
}

/// y [3] = row k of a matrix times what begins at `in`.
template <class T, int rows, int most>
__device__ void apply_row(const Rows<T, rows, most>& matrix, int k, const T* in, T (&y)[3]) {
    y[0] = y[1] = y[2] = T(0);
    for (int m = 0; m < matrix.size[k]; ++m) {
        const T factor = matrix.factor[k][m];
        const T* from = in + 3 * kColumns<T> * matrix.place[k][m];
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            y[c] += factor * from[c * kColumns<T>];
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
            apply_row(kLift<T, N>, k % kModes, lifted + Lifted<T, N>::at(k / kModes, 0), y[j]);
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
            T y[3];
            apply_row(kReduction<T, N, j>, k % kModes, lifted + Lifted<T, N>::at(f, last), y);
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
#pragma unroll
    for (int c = 0; c < kQuantities; ++c) {
        e[c] = T(0);
    }
#pragma unroll
    for (int f = 0; f < 4; ++f) {
        const T* from = lifted + Lifted<T, N>::at(f, kLayers<N>.place[f][k]);
        const T* n = normals.n[f];
        const T y[3] = {from[0], from[kColumns<T>], from[2 * kColumns<T>]};
        const T along = vp_minus_vs * (y[0] * n[0] + y[1] * n[1] + y[2] * n[2]);
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            e[c] += y[c] * n[c];
            e[6 + c] += vs * y[c] + along * n[c];
        }
        e[3] += y[0] * n[1] + y[1] * n[0];
        e[4] += y[1] * n[2] + y[2] * n[1];
        e[5] += y[0] * n[2] + y[2] * n[0];
    }
}

/// Adds to the unknowns of mode k.
template <class T, int N>
__device__ void add_lifted(const T (&e)[kQuantities], const ElementTerms<T>& terms, T lambda,
                           T two_mu, int mechanisms, int k, T* unknowns) {
    constexpr int kWide = kColumns<T>;
    T* to = unknowns + kQuantities * kWide * k;
    const T pressure = lambda * (e[0] + e[1] + e[2]), mu = T(0.5) * two_mu;
#pragma unroll
    for (int c = 0; c < 3; ++c) {
        to[c * kWide] += pressure + two_mu * e[c];
        to[(3 + c) * kWide] += mu * e[3 + c];
        to[(6 + c) * kWide] += e[6 + c];
    }
    for (int l = 0; l < mechanisms; ++l) {
        const T omega = terms[Terms::kMechanisms + l * Terms::kMechanism + Terms::kOmega];
        T* theta =
            unknowns + (tet_modes(N) * (kQuantities + l * kStresses) + kStresses * k) * kWide;
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            theta[c * kWide] += omega * e[c];
            theta[(3 + c) * kWide] += T(0.5) * omega * e[3 + c];
        }
    }
}

template <class T, int N>
__global__ void __launch_bounds__(kThreadsOfOrder<T, N>,
                                  (blocks_at_a_time<T, N>(Lifted<T, N>::kBytes)))
    correct_kernel(GpuElements<T> e, GpuRanges ranges) {
    extern __shared__ __align__(16) unsigned char memory[];
    constexpr int kThreads = kThreadsOfOrder<T, N>;
    const GpuRanges::Range& range = range_of(ranges, blockIdx.x);
    const std::int32_t block = block_of(ranges, range, blockIdx.x);
    const Place<T, kThreads> me(e.lane_bits);
    const ElementTerms<T> terms(e, block, me.element);
    T* shared = reinterpret_cast<T*>(memory);
#pragma unroll 1
    for (int f = 0; f < 4; ++f) {
        take_jump<T, N>(e, block, range.odd != 0, f, me, terms, shared);
    }
    T* lifted = shared + me.column;
    lift_base<T, N>(me, lifted);
    lift_layers<T, N>(me, lifted, 0, face_modes(N));
    const Normals<T> normals(terms);
    const T vs = terms[Terms::kVs], vp_minus_vs = terms[Terms::kVpMinusVs];
    const T lambda = terms[Terms::kLambda], two_mu = terms[Terms::kMu] + terms[Terms::kMu];
    T* unknowns = unknowns_of<T, N>(e, block) + me.column;
    for (int k = me.row; k < tet_modes(N); k += me.kRows) {
        T strain[kQuantities];
        gather<T, N>(lifted, normals, vs, vp_minus_vs, k, strain);
        add_lifted<T, N>(strain, terms, lambda, two_mu, e.mechanisms, k, unknowns);
    }
}

template <class T, int N>
void launch(const GpuElements<T>& elements, const GpuRanges& ranges, device::Queue& queue) {
    constexpr int kBytes = Lifted<T, N>::kBytes;
    static device::OncePerDevice allowed;
    allowed.run(queue.stream().device,
                [&] { allow_shared(correct_kernel<T, N>, kBytes, N, queue.stream().device); });
    correct_kernel<T, N><<<ranges.n_blocks, kThreadsOfOrder<T, N>, kBytes,
                           queue.stream().stream>>>(elements, ranges);
    device::cuda::check(cudaGetLastError(), "correct");
}

}  // namespace
}  // namespace gpu

template <class T>
void correct_cuda(int N, const GpuElements<T>& elements, const GpuRanges& ranges,
                  device::Queue& queue) {
    if (ranges.n_blocks > 0) {
        gpu::with_degree(N, [&](auto degree) {
            gpu::launch<T, decltype(degree)::value>(elements, ranges, queue);
        });
    }
}

template void correct_cuda(int, const GpuElements<double>&, const GpuRanges&, device::Queue&);
template void correct_cuda(int, const GpuElements<float>&, const GpuRanges&, device::Queue&);

}  // namespace kaname::aderdg
