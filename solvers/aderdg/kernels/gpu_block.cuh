// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "solvers/aderdg/bernstein.hpp"
#include "solvers/aderdg/kernels/gpu_elements.hpp"
#include "solvers/base/error.hpp"
#include "solvers/device/cuda/stream.cuh"
#include "solvers/device/once_per_device.hpp"

/// The tables of bernstein.hpp as plain arrays in constant memory.
namespace kaname::aderdg::gpu {

/// Rows of a sparse matrix. Places are times `stride`: numbers from the first one's. Behind a row's
/// entries are factors of 0.
template <class T, int rows, int padded>
struct Rows {
    struct alignas(16) Row {
        int place[padded]{};
        T factor[padded]{};
    };
    Row row[rows]{};

    template <int most>
    constexpr Rows(const std::array<aderdg::Row<T, most>, rows>& from, int stride) {
        for (int k = 0; k < rows; ++k) {
            for (int m = 0; m < from[k].size; ++m) {
                row[k].place[m] = stride * from[k].place[m];
                row[k].factor[m] = from[k].factor[m];
            }
        }
    }
};

struct alignas(16) Four {
    int of[4]{};
};

/// Lists, for each mode of degree n - 1, the places of the modes of degree n that have one index
/// more, times `stride`.
template <int n>
struct Above {
    Four row[tet_modes(n - 1)]{};
    constexpr explicit Above(int stride) {
        const TetDerivative<n> from;
        for (int k = 0; k < tet_modes(n - 1); ++k) {
            for (int a = 0; a < 4; ++a) {
                row[k].of[a] = stride * from.above[k][a];
            }
        }
    }
};

/// Place of each mode among the layers across each face.
template <int n>
struct Layers {
    Four row[tet_modes(n)]{};
    constexpr Layers() {
        const FaceLayers<n> from;
        for (int f = 0; f < 4; ++f) {
            for (int k = 0; k < tet_modes(n); ++k) {
                row[from.place[f][k]].of[f] = k;
            }
        }
    }
};

/// Modes of the faces `faces` g, ..., `faces` (g + 1) - 1, each once, and their places in a
/// record's lane of each; -1: not on it. With all four faces they are all modes, also those on
/// none.
template <int n, int faces>
struct OnFaces {
    static constexpr int kGroups = 4 / faces;
    static constexpr int kModes = faces == 4   ? tet_modes(n)
                                  : faces == 2 ? 2 * face_modes(n) - (n + 1)
                                               : face_modes(n);
    Four place[kGroups][kModes]{};
    int mode[kGroups][kModes]{};
    constexpr OnFaces() {
        const Layers<n> layers;
        for (int g = 0; g < kGroups; ++g) {
            int j = 0;
            for (int k = 0; k < tet_modes(n); ++k) {
                Four at;
                bool on = faces == 4;
                for (int i = 0; i < faces; ++i) {
                    const int place = layers.row[k].of[g * faces + i];
                    at.of[i] = place < face_modes(n) ? record_place(0, place) : -1;
                    on = on || at.of[i] >= 0;
                }
                if (on) {
                    mode[g][j] = k;
                    place[g][j++] = at;
                }
            }
        }
    }
};

template <class T>
inline constexpr int kModeStride = kQuantities* kColumns<T>;
template <class T>
inline constexpr int kJumpStride = 3 * kColumns<T>;

template <class T, int n>
__constant__ const Above<n> kAbove(kModeStride<T>);
template <int n, int faces>
__constant__ const OnFaces<n, faces> kOnFaces{};
template <class T, int n>
__constant__ const Rows<T, tet_modes(n), 4> kElevation(TetElevation<T, n>().rows, kModeStride<T>);
template <class T, int N>
__constant__ const Rows<T, face_modes(N), 8> kLift(FaceLift<T, N>().base, kJumpStride<T>);
template <class T, int N, int j>
__constant__ const Rows<T, face_modes(N - j), 4> kReduction(
    FaceReduction<T, N + 1 - j>(FaceLift<T, N>::step(j)).rows, kJumpStride<T>);

}  // namespace kaname::aderdg::gpu

namespace kaname::aderdg::gpu {

/// A thread's place: column of the block, and the first of the modes that it has, every kRows-th.
template <class T, int threads>
struct Place {
    static constexpr int kWide = kColumns<T>, kRows = threads / kWide;
    int column, row, element, lane;
    __device__ explicit Place(int lane_bits)
        : column(threadIdx.x % kWide),
          row(threadIdx.x / kWide),
          element(column >> lane_bits),
          lane(column & ((1 << lane_bits) - 1)) {}
};

/// The range of block i of a launch.
__device__ inline const GpuRanges::Range& range_of(const GpuRanges& ranges, std::int32_t i) {
    int k = ranges.n - 1;
    while (k > 0 && ranges.ranges[k].before > i) {
        --k;
    }
    return ranges.ranges[k];
}
__device__ inline std::int32_t block_of(const GpuRanges& ranges, const GpuRanges::Range& range,
                                        std::int32_t i) {
    const std::int32_t at = range.begin + (i - range.before);
    return ranges.list == nullptr ? at : ranges.list[at];
}

/// Terms of one element: term k is of[k * stride].
template <class T>
struct ElementTerms {
    const T* of;
    int stride;
    __device__ ElementTerms(const GpuElements<T>& e, std::int32_t block, int element)
        : of(e.terms +
             std::int64_t(block) * Terms::size(e.mechanisms) * (kColumns<T> >> e.lane_bits) +
             element),
          stride(kColumns<T> >> e.lane_bits) {}
    __device__ T operator[](int k) const { return of[k * stride]; }
};

template <class T, int N>
__device__ T* unknowns_of(const GpuElements<T>& e, std::int32_t block) {
    return e.unknowns + std::int64_t(block) * tet_modes(N) *
                            (kQuantities + kStresses * e.mechanisms) * kColumns<T>;
}

/// sum += a b + c d in two steps, each of which can be fused.
template <class T>
__device__ void add_products(T a, T b, T c, T d, T& sum) {
    sum += a * b;
    sum += c * d;
}

/// add(place, factor) for what row k of the elevation to degree n has.
template <class T, int n, class Add>
__device__ void for_elevated(int k, const Add& add) {
    const auto row = kElevation<T, n>.row[k];
    add(row.place[0], row.factor[0]);
    if (row.factor[1] != T(0)) {
        add(row.place[1], row.factor[1]);
        if (row.factor[2] != T(0)) {
            add(row.place[2], row.factor[2]);
            if (row.factor[3] != T(0)) {
                add(row.place[3], row.factor[3]);
            }
        }
    }
}

/// q [9] = factor * own + what has degree n - 1 elevated to mode k of degree n.
template <class T, int n>
__device__ void elevated(const T* low, const T* own, T factor, int k, T (&q)[kQuantities]) {
    constexpr int kWide = kColumns<T>;
#pragma unroll
    for (int c = 0; c < kQuantities; ++c) {
        q[c] = factor * own[(kQuantities * k + c) * kWide];
    }
    for_elevated<T, n>(k, [&](int place, T share) {
#pragma unroll
        for (int c = 0; c < kQuantities; ++c) {
            q[c] += share * low[place + c * kWide];
        }
    });
}

/// Some of the elements of a block.
struct Elements {
    std::uint32_t bits;
    [[nodiscard]] __device__ bool all() const { return bits == ~0U; }
    [[nodiscard]] __device__ bool have(int element) const { return (bits >> element & 1U) != 0; }
};

/// Unit is the amount that is copied at a time, 16 bytes.
template <class T>
struct alignas(16) Unit {
    static constexpr int kNumbers = 16 / static_cast<int>(sizeof(T));
    T of[kNumbers];
};
template <class T>
struct alignas(2 * sizeof(T)) Two {
    T x, y;
};

/// Records of a block's face as they lie in memory: a lane's numbers, columns outermost.
template <class T, int N>
struct Record {
    static constexpr int kNumbers = record_numbers<T>(face_modes(N));  ///< of a column
    static constexpr int kUnits = kNumbers / Unit<T>::kNumbers;
    static constexpr int kFace = kNumbers * kColumns<T>;  ///< numbers of a face
    static constexpr int kFaceUnits = kUnits * kColumns<T>;
};

/// The traces of a mode on a face in a column's record.
template <class T>
__device__ void put_trace(const T (&q)[kQuantities], const T (&n)[3], T* record) {
    auto* to = reinterpret_cast<Two<T>*>(record);
    to[0] = {q[0] * n[0] + q[3] * n[1] + q[5] * n[2], q[3] * n[0] + q[1] * n[1] + q[4] * n[2]};
    to[1] = {q[5] * n[0] + q[4] * n[1] + q[2] * n[2], q[6]};
    to[2] = {q[7], q[8]};
}

/// A warp's write of a record that another step's element reads, from `size` units of the trace: of
/// two halves the first, or after that the mean; or half of the mean of two.
template <class T>
__device__ void write_other(const Unit<T>* trace, Unit<T>* to, int size, bool half, bool odd,
                            bool halves) {
    for (int u = threadIdx.x % 32; u < size; u += 32) {
        const Unit<T> now = trace[u];
        if (half) {
            to[u] = now;
        } else {
            Unit<T> before{}, next;
            if (halves || odd) {
                before = to[u];
            }
#pragma unroll
            for (int q = 0; q < Unit<T>::kNumbers; ++q) {
                next.of[q] =
                    halves ? 2 * now.of[q] - before.of[q] : before.of[q] + T(0.5) * now.of[q];
            }
            to[halves ? size + u : u] = next;
        }
    }
}

/// Traces of the elements of a block that are in `mine`, by way of `staged` [faces] in shared
/// memory, which threads may still read afterwards. value(mode, q) gives the unknowns of a mode on
/// the surface. The mean: records of the faces, and the faces with other steps; the first half:
/// only the latter's.
template <class T, int N, int faces, int threads, class Value>
__device__ void write_traces(const GpuElements<T>& e, std::int32_t block, Elements mine, bool odd,
                             bool half, const Place<T, threads>& me, const ElementTerms<T>& terms,
                             T* staged, const Value& value) {
    using Here = Record<T, N>;
    constexpr int kWarp = 32;
    constexpr const auto& kOn = kOnFaces<N, faces>;
    const std::int32_t first_other = e.first_other[block], other_end = e.first_other[block + 1];
#pragma unroll 1
    for (int g = 0; g < 4 / faces; ++g) {
        T n[faces][3];
#pragma unroll
        for (int k = 0; k < faces * 3; ++k) {
            n[k / 3][k % 3] =
                terms[Terms::kFaces + (g * faces + k / 3) * Terms::kFace + Terms::kNormal + k % 3];
        }
        T* to = staged + me.column * Here::kNumbers;
#pragma unroll 1
        for (int j = me.row; j < OnFaces<N, faces>::kModes; j += me.kRows) {
            const Four place = kOn.place[g][j];
            T q[kQuantities];
            value(kOn.mode[g][j], q);
#pragma unroll
            for (int i = 0; i < faces; ++i) {
                if (place.of[i] >= 0) {
                    put_trace(q, n[i], to + i * Here::kFace + place.of[i]);
                }
            }
        }
        __syncthreads();
        const auto* from = reinterpret_cast<const Unit<T>*>(staged);
        if (!half) {
            auto* all = reinterpret_cast<Unit<T>*>(e.records) +
                        (std::int64_t(block) * 4 + g * faces) * Here::kFaceUnits;
            if (mine.all()) {
#pragma unroll 4
                for (int u = threadIdx.x; u < faces * Here::kFaceUnits; u += threads) {
                    all[u] = from[u];
                }
            } else {
#pragma unroll 1
                for (int u = threadIdx.x; u < faces * Here::kFaceUnits; u += threads) {
                    if (mine.have((u / Here::kUnits % kColumns<T>) >> e.lane_bits)) {
                        all[u] = from[u];
                    }
                }
            }
        }
        for (std::int32_t k = first_other + threadIdx.x / kWarp; k < other_end;
             k += threads / kWarp) {
            const Layout::OtherStep other = e.other_steps[k];
            if (other.face / faces == g && (!half || other.halves) && mine.have(other.element)) {
                const int size = Here::kUnits << e.lane_bits;
                write_other(
                    from + other.face % faces * Here::kFaceUnits + other.element * size,
                    reinterpret_cast<Unit<T>*>(e.records) + std::int64_t(other.record) * size, size,
                    half, odd, other.halves);
            }
        }
        if (g + 1 < 4 / faces) {
            __syncthreads();
        }
    }
}

/// Returns true if one of the faces of the thread's share needs two halves.
template <int threads, class T>
__device__ bool wants_halves(const GpuElements<T>& e, std::int32_t block) {
    bool halves = false;
    for (std::int32_t k = e.first_other[block] + threadIdx.x; k < e.first_other[block + 1];
         k += threads) {
        halves = halves || e.other_steps[k].halves;
    }
    return halves;
}

/// Keeps number `j` of a power of time of the traces at condition k of the block: unknowns `of`
/// have the modes of that power, columns innermost.
template <class T>
__device__ void keep_number(const GpuElements<T>& e, std::int32_t block, std::int32_t k, int lane,
                            int j, const T* of) {
    const GpuConditions& c = e.conditions;
    const Layout::Condition& at = c.faces[k];
    const ElementTerms<T> terms(e, block, at.element);
    const T* from = of + kQuantities * kColumns<T> * c.modes[at.face * c.numbers + j] +
                    (at.element << e.lane_bits) + lane;
    double q[kQuantities], n[3];
#pragma unroll
    for (int v = 0; v < kQuantities; ++v) {
        q[v] = from[v * kColumns<T>];
    }
#pragma unroll
    for (int d = 0; d < 3; ++d) {
        n[d] = terms[Terms::kFaces + at.face * Terms::kFace + Terms::kNormal + d];
    }
    double* to = c.kept + ((std::int64_t(k) << e.lane_bits) + lane) * 6 * c.padded + j;
    to[0] = q[0] * n[0] + q[3] * n[1] + q[5] * n[2];
    to[c.padded] = q[3] * n[0] + q[1] * n[1] + q[4] * n[2];
    to[2 * c.padded] = q[5] * n[0] + q[4] * n[1] + q[2] * n[2];
    to[3 * c.padded] = q[6];
    to[4 * c.padded] = q[7];
    to[5 * c.padded] = q[8];
}

/// Keeps numbers [from, from + n) of all conditions of the block; of(j) are the unknowns.
template <class T, int threads, class Of>
__device__ void keep_numbers(const GpuElements<T>& e, std::int32_t block, int from, int n,
                             const Of& of) {
    if (e.conditions.first == nullptr) {
        return;
    }
    const std::int32_t first = e.conditions.first[block];
    const int all = (e.conditions.first[block + 1] - first) * n << e.lane_bits;
    for (int at = threadIdx.x; at < all; at += threads) {
        const int side = at / n, j = from + at % n;
        keep_number(e, block, first + (side >> e.lane_bits), side & ((1 << e.lane_bits) - 1), j,
                    of(j));
    }
}

/// Velocity of one lane at a receiver from unknowns of `modes` modes.
template <class T>
__device__ double seen(const double* values, const T* of, int modes, int c, int column) {
    double sum = 0.0;
    for (int k = 0; k < modes; ++k) {
        sum += values[k] * of[(kQuantities * k + kStresses + c) * kColumns<T> + column];
    }
    return sum;
}

template <int N>
KANAME_HD constexpr int receiver_values() {
    int n = 0;
    for (int degree = 0; degree <= N; ++degree) {
        n += tet_modes(degree);
    }
    return n;
}

/// Threads of a block: rows that share the modes of the order's levels out in few rounds, and warps
/// enough where shared memory leaves room for few blocks.
template <class T, int N>
constexpr int threads_of_order() {
    constexpr int kSingle[] = {128, 192, 320, 512, 1024, 1024};
    constexpr int kDouble[] = {128, 192, 256, 384, 768, 768};
    static_assert(N >= 1 && N < kMostOrder && kMostOrder == 7);
    return sizeof(T) == 4 ? kSingle[N - 1] : kDouble[N - 1];
}
template <class T, int N>
inline constexpr int kThreadsOfOrder = threads_of_order<T, N>();
template <class T>
inline constexpr int kRegisters = sizeof(T) == 4 ? 64 : 80;  ///< that a thread is to have

/// Blocks that an H100's multiprocessor is to have at a time: as many as its 228 KiB of shared
/// memory allow (1 KiB of each block is the system's), but so few that each thread has its
/// registers.
constexpr int blocks_at_a_time(int shared_bytes, int threads, int registers) {
    const int by_memory = 233472 / (shared_bytes + 1024);
    const int by_registers = 65536 / (registers * threads);
    return by_memory < by_registers ? by_memory : by_registers;
}
inline constexpr int kMostShared = 232448;  ///< bytes that it lets a block have

/// Lets a kernel have `bytes` of shared memory; throws Unavailable where a GPU has less.
template <class Kernel>
void allow_shared(Kernel kernel, int bytes, int N, int device) {
    int most = 0;
    device::cuda::check(
        cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
        "cudaDeviceGetAttribute");
    if (bytes > most) {
        throw Error(ErrorCode::Unavailable, "params.order: " + std::to_string(N + 1) +
                                                " needs a GPU with " + std::to_string(bytes) +
                                                " bytes of shared memory per block, this one has " +
                                                std::to_string(most));
    }
    device::cuda::check(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
        "shared memory");
}

/// call(integral constant N) for N in 1..kMostOrder - 1.
template <int N = kMostOrder - 1, class Call>
void with_degree(int degree, const Call& call) {
    if constexpr (N >= 1) {
        if (degree == N) {
            call(std::integral_constant<int, N>());
        } else {
            with_degree<N - 1>(degree, call);
        }
    }
}

}  // namespace kaname::aderdg::gpu
