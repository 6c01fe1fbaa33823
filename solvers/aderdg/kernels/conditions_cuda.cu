// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/bernstein.hpp"
#include "solvers/aderdg/kernels/gpu_elements.hpp"
#include "solvers/aderdg/kernels/gpu_faults.hpp"
#include "solvers/device/cuda/launch.cuh"

namespace kaname::aderdg {
namespace {

constexpr int kGravityWarp = 32,
              kGravityWarps = 4;  // a warp for each face and lane: at most 28 modes
constexpr int kMostGravityModes = face_modes(kMostOrder - 1);
constexpr int kMostNumbers = GpuGravity::kMostPowers * kMostGravityModes;
static_assert(kMostGravityModes <= kGravityWarp);

/// Mode m of the driving's part of the height, by the weights [powers + 1] of end or mean.
__device__ double driven(const GpuGravity& g, const double* weights, const double* driving, int m) {
    double sum = 0.0;
    for (int i = 0; i < g.powers; ++i) {
        double part = 0.0;
        for (int j = g.first_of_power[i]; j < g.first_of_power[i + 1]; ++j) {
            part += g.responses[j * g.modes + m] * driving[j];
        }
        sum += weights[i + 1] * part;
    }
    return sum;
}

template <class T>
__global__ void __launch_bounds__(kGravityWarps* kGravityWarp)
    gravity_kernel(GpuGravity g, std::int64_t n, T* records) {
    __shared__ double all_driving[kGravityWarps * kMostNumbers];
    __shared__ double all_mean[kGravityWarps * kMostGravityModes];
    const int warp = threadIdx.x / kGravityWarp, t = threadIdx.x % kGravityWarp;
    double* driving = all_driving + warp * kMostNumbers;
    double* mean = all_mean + warp * kMostGravityModes;
    const std::int64_t at = std::int64_t(blockIdx.x) * kGravityWarps + warp;
    const bool works = at < n * g.lanes;
    const GpuGravityFace& face = g.faces[works ? at / g.lanes : 0];
    const int lane = static_cast<int>(at % g.lanes);
    if (works) {
        const double* kept =
            g.traces + (std::int64_t(face.condition) * g.lanes + lane) * 6 * g.kept_padded;
        for (int j = t; j < g.first_of_power[g.powers]; j += kGravityWarp) {
            driving[j] = kernels::driving(face.terms, kept, g.kept_padded, j);
        }
    }
    __syncwarp();
    if (works && t < g.modes) {
        double& height = g.heights[at * g.modes + t];
        mean[t] = face.mean[0] * height + driven(g, face.mean, driving, t);
        height = face.end[0] * height + driven(g, face.end, driving, t);
    }
    __syncwarp();
    const int of_lane = record_numbers<T>(g.modes);
    const T* own = records + (std::int64_t(face.own) * g.lanes + lane) * of_lane;
    T* beyond = records + (std::int64_t(face.beyond) * g.lanes + lane) * of_lane;
    for (int k = t; k < kTraceQuantities * g.modes && works; k += kGravityWarp) {
        T number = own[k];
        if (const int d = k % kTraceQuantities; d < 3) {
            number = static_cast<T>(
                number + kernels::seen_weight(face.terms, d, mean[k / kTraceQuantities]));
        }
        beyond[k] = number;
    }
}

}  // namespace

template <class T>
void gravity_cuda(const GpuGravity& gravity, std::int64_t n, T* records, device::Queue& queue) {
    gravity_kernel<T>
        <<<device::cuda::blocks_for(n * gravity.lanes, kGravityWarps), kGravityWarps * kGravityWarp,
           0, queue.stream().stream>>>(gravity, n, records);
    device::cuda::check(cudaGetLastError(), "gravity");
}

template void gravity_cuda(const GpuGravity&, std::int64_t, double*, device::Queue&);
template void gravity_cuda(const GpuGravity&, std::int64_t, float*, device::Queue&);

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
