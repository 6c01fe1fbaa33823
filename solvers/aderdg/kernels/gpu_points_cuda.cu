// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/kernels/gpu_elements.hpp"
#include "solvers/device/cuda/launch.cuh"

namespace kaname::aderdg {
namespace {

/// A thread per peak and lane.
template <class T>
struct SeePeak {
    const T* unknowns;
    GpuPoints p;
    std::int64_t from;
    int modes, block_numbers;

    __device__ void operator()(std::int64_t i) const {
        const std::int64_t peak = from + i / p.lanes;
        const int lane = static_cast<int>(i % p.lanes);
        const T* q = unknowns + std::int64_t(p.peak_blocks[peak]) * block_numbers +
                     p.peak_elements[peak] * p.lanes + lane;
        double v[3] = {};
        for (int k = 0; k < modes; ++k) {
            const double value = p.peak_values[k * p.n_peaks + peak];
            for (int c = 0; c < 3; ++c) {
                v[c] += value * q[(kQuantities * k + kStresses + c) * kColumns<T>];
            }
        }
        double* to = p.peaks + (peak * p.lanes + lane) * 2;
        const double across = hypot(v[0], v[1]), up = fabs(v[2]);
        to[0] = to[0] < across ? across : to[0];
        to[1] = to[1] < up ? up : to[1];
    }
};

/// A thread per number.
template <class T, bool gather>
struct MoveRecords {
    std::conditional_t<gather, const T*, T*> records;
    const std::int32_t* numbers;
    int size;
    std::conditional_t<gather, T*, const T*> staged;

    __device__ void operator()(std::int64_t i) const {
        const std::int64_t at = std::int64_t(numbers[i / size]) * size + i % size;
        if constexpr (gather) {
            staged[i] = records[at];
        } else {
            records[at] = staged[i];
        }
    }
};

struct Count {
    std::int64_t* macro;
    __device__ void operator()(std::int64_t k) const { ++macro[k]; }
};

}  // namespace

template <class T>
void see_peaks_cuda(int N, const GpuElements<T>& elements, const GpuPoints& points,
                    std::int64_t from, std::int64_t to, device::Queue& queue) {
    const int modes = tet_modes(N);
    const int numbers = modes * (kQuantities + kStresses * elements.mechanisms) * kColumns<T>;
    device::cuda::for_each((to - from) * points.lanes,
                           SeePeak<T>{elements.unknowns, points, from, modes, numbers}, "see_peaks",
                           queue);
}

void count_macro_cuda(std::int64_t* macro, device::Queue& queue) {
    device::cuda::for_each(2, Count{macro}, "count_macro", queue);
}

template <class T>
void gather_records_cuda(const T* records, const std::int32_t* numbers, std::int64_t n, int size,
                         T* staged, device::Queue& queue) {
    device::cuda::for_each(n * size, MoveRecords<T, true>{records, numbers, size, staged},
                           "gather_records", queue);
}
template <class T>
void scatter_records_cuda(const T* staged, const std::int32_t* numbers, std::int64_t n, int size,
                          T* records, device::Queue& queue) {
    device::cuda::for_each(n * size, MoveRecords<T, false>{records, numbers, size, staged},
                           "scatter_records", queue);
}

#define KANAME_INSTANTIATE(T)                                                                \
    template void see_peaks_cuda(int, const GpuElements<T>&, const GpuPoints&, std::int64_t, \
                                 std::int64_t, device::Queue&);                              \
    template void gather_records_cuda(const T*, const std::int32_t*, std::int64_t, int, T*,  \
                                      device::Queue&);                                       \
    template void scatter_records_cuda(const T*, const std::int32_t*, std::int64_t, int, T*, \
                                       device::Queue&);
KANAME_INSTANTIATE(double)
KANAME_INSTANTIATE(float)
#undef KANAME_INSTANTIATE

}  // namespace kaname::aderdg
