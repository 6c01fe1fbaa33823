// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

#include <cuda_runtime_api.h>

/// A GPU's kernels on the CPU, thread by thread, for tests: what sources that rewrite.py has
/// rewritten call instead of the GPU. A thread that waits for others (of its block, of its warp)
/// gives way to them; blocks run one after the other; shared memory is NaN before each. So index
/// maps, barriers, shuffles, launch sizes and lists are checked; races and speed are not.
namespace kaname::emulated {

struct Index {
    unsigned x = 0;
};

struct Launch {
    unsigned blocks, threads;
    std::size_t shared;
    Launch(std::int64_t all_blocks, std::int64_t threads_of_block, std::size_t shared_bytes,
           cudaStream_t /*stream*/)
        : blocks(static_cast<unsigned>(all_blocks)),
          threads(static_cast<unsigned>(threads_of_block)),
          shared(shared_bytes) {}
};

using Recorded = std::vector<std::function<void()>>;
extern thread_local Recorded* capture;  ///< of this thread's stream; null: kernels run

void run(const Launch& launch, void (*thread)(const void*), const void* kernel);

/// Calls kernel() for every thread, now or whenever the graph is launched.
template <class Kernel>
void queue(const Launch& launch, const Kernel& kernel) {
    if (capture != nullptr) {
        Recorded* graph = capture;
        graph->push_back([launch, kernel] { queue(launch, kernel); });
        return;
    }
    run(
        launch, [](const void* k) { (*static_cast<const Kernel*>(k))(); }, &kernel);
}

void* shared_memory();
void wait_for_block();
void wait_for_warp();
bool any_of_block(bool mine);
void* place_of_lane(unsigned lane);  ///< 16 bytes for what a thread of this warp shows the others

template <class T>
T from_lane(T mine, unsigned lane);

/// A tensor core's product of 8-bit integers, k = 16 Words (solvers/voxelwave/kernels): threads
/// have the parts of a [16][k] (of Digit), b [k][8] and the sums [16][8] that PTX's mma.m16n8k32
/// and k16 give them.
template <class Digit, std::size_t Words>
void multiply_int8(std::int32_t (&sum)[4], const std::uint32_t (&a)[2 * Words],
                   const std::uint32_t (&b)[Words]);

}  // namespace kaname::emulated

extern thread_local kaname::emulated::Index threadIdx, blockIdx, blockDim, gridDim;

template <class T>
T kaname::emulated::from_lane(T mine, unsigned lane) {
    std::memcpy(place_of_lane(threadIdx.x % 32), &mine, sizeof mine);
    wait_for_warp();
    T theirs;
    std::memcpy(&theirs, place_of_lane(lane), sizeof theirs);
    wait_for_warp();
    return theirs;
}

template <class Digit, std::size_t Words>
void kaname::emulated::multiply_int8(std::int32_t (&sum)[4], const std::uint32_t (&a)[2 * Words],
                                     const std::uint32_t (&b)[Words]) {
    const unsigned lane = threadIdx.x % 32, row = lane / 4, quarter = lane % 4;
    Digit rows[2][16 * Words];  // of a: row and row + 8
    std::memcpy(place_of_lane(lane), a, sizeof a);
    wait_for_warp();
    for (unsigned k = 0; k < 16 * Words; ++k) {
        const auto* of = static_cast<const Digit*>(place_of_lane(row * 4 + k % 16 / 4));
        rows[0][k] = of[k / 16 * 8 + k % 4];
        rows[1][k] = of[k / 16 * 8 + 4 + k % 4];
    }
    wait_for_warp();
    std::memcpy(place_of_lane(lane), b, sizeof b);
    wait_for_warp();
    for (unsigned n = 0; n < 4; ++n) {
        const unsigned column = 2 * quarter + n % 2;
        for (unsigned k = 0; k < 16 * Words; ++k) {
            const auto* of =
                static_cast<const std::int8_t*>(place_of_lane(column * 4 + k % 16 / 4));
            sum[n] += rows[n / 2][k] * of[k / 16 * 4 + k % 4];
        }
    }
    wait_for_warp();
}

#undef __launch_bounds__
#define __launch_bounds__(...)

inline void __syncthreads() {
    kaname::emulated::wait_for_block();
}
/// Returns 1 if `mine` is not 0 in any thread of the block, else 0.
inline int __syncthreads_or(int mine) {
    return kaname::emulated::any_of_block(mine) ? 1 : 0;
}
inline void __syncwarp() {
    kaname::emulated::wait_for_warp();
}
inline void __threadfence() {}
template <class T>
T __shfl_down_sync(unsigned /*all*/, T value, unsigned by) {
    const unsigned lane = threadIdx.x % 32;
    return kaname::emulated::from_lane(value, lane + by < 32 ? lane + by : lane);
}
template <class T>
T __shfl_sync(unsigned /*all*/, T value, int lane) {
    return kaname::emulated::from_lane(value, static_cast<unsigned>(lane));
}
template <class T>
T __shfl_xor_sync(unsigned /*all*/, T value, unsigned mask) {
    return kaname::emulated::from_lane(value, threadIdx.x % 32 ^ mask);
}
/// Bytes of (first, second) by the nibbles of `which`, lowest first.
inline unsigned __byte_perm(unsigned first, unsigned second, unsigned which) {
    const std::uint64_t both = std::uint64_t(second) << 32 | first;
    unsigned of = 0;
    for (unsigned k = 0; k < 4; ++k) {
        of |= static_cast<unsigned>(both >> 8 * (which >> 4 * k & 7) & 0xff) << 8 * k;
    }
    return of;
}
/// A sum that is not joined with the product before it.
inline double __dadd_rn(double a, double b) {
    const volatile double first = a;
    return first + b;
}
inline double __longlong_as_double(long long bits) {
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}
template <class T>
T __ldcg(const T* place) {
    return *place;
}
template <class T>
T atomicAdd(T* place, T value) {
    const T before = *place;
    *place += value;
    return before;
}
