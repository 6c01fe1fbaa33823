// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/bernstein.hpp"
#include "solvers/aderdg/kernels/gpu_faults.hpp"
#include "solvers/aderdg/kernels/gpu_record.hpp"
#include "solvers/device/cuda/launch.cuh"

namespace kaname::aderdg {
namespace {

constexpr int kOutflowWarp = 32, kOutflowWarps = 4;  // a warp for each face: at most 28 modes
constexpr int kMostOutflowModes = face_modes(kMostOrder - 1);
static_assert(kMostOutflowModes <= kOutflowWarp);

template <class T>
__global__ void __launch_bounds__(kOutflowWarps* kOutflowWarp)
    outflow_kernel(Outlet* outlets, std::int64_t from, std::int64_t to, const double* mass,
                   int modes, int lanes, const T* records) {
    __shared__ double all_out[kOutflowWarps * 3 * kMostOutflowModes];
    __shared__ double all_parts[kOutflowWarps * kMostOutflowModes];
    const int warp = threadIdx.x / kOutflowWarp, k = threadIdx.x % kOutflowWarp;
    double* out = all_out + warp * 3 * kMostOutflowModes;
    double* parts = all_parts + warp * kMostOutflowModes;
    const std::int64_t at = from + std::int64_t(blockIdx.x) * kOutflowWarps + warp;
    const bool works = at < to && k < modes;
    if (works) {
        const std::int64_t size = record_numbers<T>(modes) * lanes;
        kernels::outgoing(outlets[at], records + outlets[at].record * size, record_place(1, 0),
                          record_place(0, 1), modes, k, out);
    }
    __syncwarp();
    if (works) {
        parts[k] = kernels::leaving(out, mass, modes, k);
    }
    __syncwarp();
    if (works && k == 0) {
        double sum = 0.0;
        for (int a = 0; a < modes; ++a) {
            sum += parts[a];
        }
        outlets[at].energy_j += outlets[at].step_s * outlets[at].area_m2 * sum;
    }
}

}  // namespace

template <class T>
void outflow_cuda(Outlet* outlets, std::int64_t from, std::int64_t to, const double* mass,
                  int modes, int lanes, const T* records, device::Queue& queue) {
    if (from < to) {
        outflow_kernel<T>
            <<<device::cuda::blocks_for(to - from, kOutflowWarps), kOutflowWarps * kOutflowWarp, 0,
               queue.stream().stream>>>(outlets, from, to, mass, modes, lanes, records);
        device::cuda::check(cudaGetLastError(), "outflow");
    }
}

template void outflow_cuda(Outlet*, std::int64_t, std::int64_t, const double*, int, int,
                           const double*, device::Queue&);
template void outflow_cuda(Outlet*, std::int64_t, std::int64_t, const double*, int, int,
                           const float*, device::Queue&);

}  // namespace kaname::aderdg
