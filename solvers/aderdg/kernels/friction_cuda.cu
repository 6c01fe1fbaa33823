// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/kernels/gpu_elements.hpp"
#include "solvers/aderdg/kernels/gpu_faults.hpp"
#include "solvers/device/cuda/launch.cuh"
#include "solvers/rupture/kernels/friction_body.hpp"

/// Friction as on the CPU (cpu/fault_pass.cpp), in one kernel from kept traces to records.
namespace kaname::aderdg {
namespace {

using rupture::Given;
using rupture::Kept;
using rupture::kernels::FrictionStep;
using rupture::kernels::kMostTimes;

/// Doubles of a batch in shared memory: the step, then of each face what follows.
struct FrictionShared {
    static constexpr int kStep = sizeof(FrictionStep) / sizeof(double);
    static_assert(sizeof(FrictionStep) % sizeof(double) == 0);
    int locked_modes, locked, mean, along;  ///< places
    int size;
    KANAME_HD explicit FrictionShared(const GpuFaults& f)
        : locked_modes(0),
          locked(3 * f.kept_padded),
          mean(locked + 3 * f.times * f.padded),
          along(mean + 2 * f.padded),
          size(along + 2 * f.modes) {}
};

/// body(face of the batch, i) for i in [0, each) of all faces, shared out among the threads; then
/// all have done it.
template <class Body>
__device__ void for_faces(const GpuFaultBatch& batch, int each, const Body& body) {
    for (int k = threadIdx.x; k < batch.n * each; k += kFrictionThreads) {
        body(k / each, k % each);
    }
    __syncthreads();
}

/// Component c of the traction of a fault that holds, at point p and all times.
__device__ void evaluate(const GpuFaults& f, const double* locked_modes, int c, int p,
                         double* locked) {
    double at[kMostTimes] = {};
    for (int i = 0; i < f.powers; ++i) {
        double value = 0.0;
        for (int j = f.first_of_power[i]; j < f.first_of_power[i + 1]; ++j) {
            value += locked_modes[c * f.kept_padded + j] * f.values[j * f.padded + p];
        }
#pragma unroll
        for (int l = 0; l < kMostTimes; ++l) {
            at[l] += l < f.times ? f.time_factors[l * f.powers + i] * value : 0.0;
        }
    }
#pragma unroll
    for (int l = 0; l < kMostTimes; ++l) {
        if (l < f.times) {
            locked[(3 * l + c) * f.padded + p] = at[l];
        }
    }
}

/// The other side's trace with the slip rate taken off (`sign` -1) or added: number r of a record.
template <class T>
__device__ void see_beyond(const GpuFaults& f, const FaultFaceTerms& terms, const double* along,
                           double sign, int r, const T* other, T* beyond) {
    T number = other[r];
    if (const int d = r % kTraceQuantities - 3; d >= 0) {
        const int k = r / kTraceQuantities;
        number = static_cast<T>(number + sign * terms.turn(d, along[k], along[f.modes + k]));
    }
    beyond[r] = number;
}

template <class Law, class T>
__global__ void __launch_bounds__(kFrictionThreads)
    friction_kernel(GpuFaults f, const GpuFaultBatch* batches, std::int64_t tick, T* records) {
    extern __shared__ __align__(16) unsigned char memory[];
    auto& step = *reinterpret_cast<FrictionStep*>(memory);
    double* shared = reinterpret_cast<double*>(memory) + FrictionShared::kStep;
    const FrictionShared place(f);
    const GpuFaultBatch batch = batches[blockIdx.x];
    const GpuFaultCluster& cluster = f.clusters[batch.cluster];
    const GpuFaultFace* faces = f.faces + batch.first;

    for (int k = threadIdx.x; k < FrictionShared::kStep; k += kFrictionThreads) {
        reinterpret_cast<std::int64_t*>(memory)[k] =
            reinterpret_cast<const std::int64_t*>(&cluster.step)[k];
    }
    for_faces(batch, f.first_of_power[f.powers], [&](int face, int j) {
        const auto trace = [&](std::int32_t condition) {
            return f.traces + std::int64_t(condition) * 6 * f.kept_padded;
        };
        faces[face].terms.template lock<double>(trace(faces[face].minus), trace(faces[face].plus),
                                                f.kept_padded, j,
                                                shared + face * place.size + place.locked_modes);
    });
    if (static_cast<int>(threadIdx.x) < f.times) {
        const double t_s = f.tick_s * static_cast<double>(f.macro[1] * f.ticks + tick);
        place_in_time(step.nodes[threadIdx.x], t_s, cluster.step_s, f.nucleation_s);
    }
    for_faces(batch, 3 * f.padded, [&](int face, int k) {
        double* of = shared + face * place.size;
        evaluate(f, of + place.locked_modes, k / f.padded, k % f.padded, of + place.locked);
    });
    for_faces(batch, f.padded, [&](int face, int p) {
        double* of = shared + face * place.size;
        const std::int64_t number = batch.first + face;
        rupture::kernels::friction_body<Law, double>(
            step, faces[face].shear_impedance, f.given + number * Given::kFields * f.padded + p,
            f.kept + number * Kept::kFields * f.padded + p, of + place.locked + p,
            of + place.mean + p, f.padded);
    });
    for_faces(batch, 2 * f.modes, [&](int face, int k) {
        double* of = shared + face * place.size;
        const double* mean = of + place.mean + k / f.modes * f.padded;
        double sum = 0.0;
        for (int p = 0; p < f.points; ++p) {
            sum += mean[p] * f.projection[p * f.modes + k % f.modes];
        }
        of[place.along + k] = sum;
    });
    const int size = kTraceQuantities * f.modes;
    for_faces(batch, 2 * size, [&](int face, int k) {
        const GpuFaultFace& at = faces[face];
        const double* along = shared + face * place.size + place.along;
        const auto record = [&](std::int32_t number) {
            return records + std::int64_t(number) * record_numbers<T>(f.modes);
        };
        if (k < size) {
            see_beyond(f, at.terms, along, -1.0, k, record(at.of_plus), record(at.beyond_minus));
        } else {
            see_beyond(f, at.terms, along, 1.0, k - size, record(at.of_minus),
                       record(at.beyond_plus));
        }
    });
    const std::int64_t slot = f.macro[0] * f.receivers_per_macro + cluster.slot +
                              (tick >> batch.cluster) * cluster.slots_per_step;
    for_faces(batch, kFaultNumbers, [&](int face, int c) {
        const double* kept = f.kept + std::int64_t(batch.first + face) * Kept::kFields * f.padded;
        for (std::int32_t r = faces[face].first_receiver; r < faces[face].end_receiver; ++r) {
            f.seen[(slot + r) * kFaultNumbers + c] =
                kept[f.fields[c] * f.padded + f.receiver_points[r]];
        }
    });
}

template <class Law, class T>
void launch_friction(const GpuFaults& f, const GpuFaultBatch* batches, std::int64_t n,
                     std::int64_t tick, T* records, device::Queue& queue) {
    const std::size_t bytes =
        (FrictionShared::kStep + faces_per_batch(f.padded) * FrictionShared(f).size) *
        sizeof(double);
    friction_kernel<Law, T>
        <<<n, kFrictionThreads, bytes, queue.stream().stream>>>(f, batches, tick, records);
    device::cuda::check(cudaGetLastError(), "friction");
}

}  // namespace

template <class T>
void friction_cuda(rupture::FrictionLaw law, const GpuFaults& faults, const GpuFaultBatch* batches,
                   std::int64_t n, std::int64_t tick, T* records, device::Queue& queue) {
    using namespace rupture::kernels;
    switch (law) {
        case rupture::FrictionLaw::LinearSlipWeakening:
            launch_friction<SlipWeakening<double>>(faults, batches, n, tick, records, queue);
            break;
        case rupture::FrictionLaw::Ageing:
            launch_friction<RateAndState<double, Ageing>>(faults, batches, n, tick, records, queue);
            break;
        case rupture::FrictionLaw::Slip:
            launch_friction<RateAndState<double, SlipLaw>>(faults, batches, n, tick, records,
                                                           queue);
            break;
        case rupture::FrictionLaw::FastVelocityWeakening:
            launch_friction<RateAndState<double, FastWeakening>>(faults, batches, n, tick, records,
                                                                 queue);
            break;
    }
}

template void friction_cuda(rupture::FrictionLaw, const GpuFaults&, const GpuFaultBatch*,
                            std::int64_t, std::int64_t, double*, device::Queue&);
template void friction_cuda(rupture::FrictionLaw, const GpuFaults&, const GpuFaultBatch*,
                            std::int64_t, std::int64_t, float*, device::Queue&);

}  // namespace kaname::aderdg
