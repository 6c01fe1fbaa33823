// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>

#include "solvers/aderdg/fault_shapes.hpp"
#include "solvers/aderdg/kernels/conditions_body.hpp"
#include "solvers/aderdg/kernels/gpu_elements.hpp"
#include "solvers/aderdg/kernels/yield_body.hpp"
#include "solvers/device/hd.hpp"
#include "solvers/device/queue.hpp"
#include "solvers/rupture/kernels/friction_body.hpp"

/// Friction, surfaces with gravity and absorbing sides in a GPU's memory. In friction a thread
/// block has a few faces of one cluster and law, its threads coefficients, points, modes and
/// numbers of records in turn.
namespace kaname::aderdg {

/// A fault face, with the records of traces that either side's element writes and sees beyond.
struct GpuFaultFace {
    FaultFaceTerms terms;
    double shear_impedance;
    std::int32_t minus, plus;  ///< conditions (Layout)
    std::int32_t of_minus, of_plus, beyond_minus, beyond_plus;
    std::int32_t first_receiver, end_receiver;
};

/// Holds the data that the faces of a cluster share.
struct GpuFaultCluster {
    rupture::kernels::FrictionStep step;  ///< that begins at 0
    double step_s;
    std::int64_t slot, slots_per_step;  ///< receivers': GpuSlots::of(cluster, n) = slot + n * ...
};

/// Faces [first, first + n) of a cluster, for one thread block.
struct GpuFaultBatch {
    std::int32_t first, n, cluster;
};

struct GpuFaults {
    static constexpr int kMostPowers = kMostOrder + 1;

    const std::int64_t* macro = nullptr;  ///< GpuWindow::macro
    std::int64_t ticks = 1;               ///< of a macro step
    double tick_s = 0.0;
    double nucleation_s = 0.0;
    // FaceTables, and KeptTrace of it.
    int modes = 0, points = 0, padded = 0, times = 0, powers = 0, kept_padded = 0;
    int first_of_power[kMostPowers + 1] = {};
    const double* values = nullptr;        ///< [numbers][padded]
    const double* time_factors = nullptr;  ///< [times][powers]
    const double* projection = nullptr;    ///< [padded][modes]

    const double* traces = nullptr;  ///< GpuConditions::kept
    const GpuFaultFace* faces = nullptr;
    const GpuFaultCluster* clusters = nullptr;
    const double* given = nullptr;  ///< [faces][Given::kFields][padded]
    double* kept = nullptr;         ///< [faces][Kept::kFields][padded]

    const std::int32_t* receiver_points = nullptr;
    int fields[kFaultNumbers] = {};  ///< FaultRecord::kFields
    double* seen = nullptr;          ///< [slots][kFaultNumbers]
    std::int64_t receivers_per_macro = 0;
};

/// Two warps: friction itself has as many threads at work as a batch has points, and enough blocks
/// fit a multiprocessor to hide what these wait for.
inline constexpr int kFrictionThreads = 64;
/// Faces of a thread block: a point for each thread, or one face.
[[nodiscard]] KANAME_HD constexpr int faces_per_batch(int padded) {
    return padded < kFrictionThreads ? kFrictionThreads / padded : 1;
}

/// Friction on `n` batches of faces of one law, in their steps that begin at `tick` of a macro
/// step: what both sides see beyond, and what receivers see at the step's end.
template <class T>
void friction_cuda(rupture::FrictionLaw law, const GpuFaults& faults, const GpuFaultBatch* batches,
                   std::int64_t n, std::int64_t tick, T* records, device::Queue& queue);

/// A face with gravity: weights [powers + 1] of DecayWeights.
struct GpuGravityFace {
    GravityTerms terms;
    std::int32_t condition, own, beyond;  ///< Layout::conditions, and records
    double end[kMostOrder + 2], mean[kMostOrder + 2];
};

struct GpuGravity {
    static constexpr int kMostPowers = kMostOrder + 1;

    int lanes = 1, modes = 0, powers = 0, kept_padded = 0;
    int first_of_power[kMostPowers + 1] = {};  ///< KeptTrace::first
    const GpuGravityFace* faces = nullptr;     ///< by cluster
    const double* responses = nullptr;         ///< GravityPass::responses
    const double* traces = nullptr;            ///< GpuConditions::kept
    double* heights = nullptr;                 ///< [faces][lanes][modes]
};

/// A step of the first n faces: their heights, and what their elements see beyond.
template <class T>
void gravity_cuda(const GpuGravity& gravity, std::int64_t n, T* records, device::Queue& queue);

/// A step's energy through outlets [from, to).
template <class T>
void outflow_cuda(Outlet* outlets, std::int64_t from, std::int64_t to, const double* mass,
                  int modes, int lanes, const T* records, device::Queue& queue);

/// Rows of a sparse matrix (SparseRows).
template <class T>
struct GpuRows {
    const std::int32_t* first = nullptr;
    const std::uint8_t* column = nullptr;
    const T* value = nullptr;
};

/// Plasticity in a GPU's memory; one lane. Tables as YieldTables.
template <class T>
struct GpuYield {
    int modes = 0;
    GpuRows<T> to_nodes, to_modes;
    const T* vertex_share = nullptr;  ///< [modes][4] of a linear function's coefficients
    const T* nodes = nullptr;         ///< [nodes][4]
    const T* times_modes = nullptr;
    const T* times_vertices = nullptr;
    const T* mean = nullptr;
    const T* relaxes = nullptr;  ///< [clusters] 1 - exp(-dt/T_v)
    const T* given = nullptr;    ///< [blocks][YieldTerms::kSize][kColumns]
    double* sums = nullptr;      ///< [blocks][Yielded::kFields][kColumns]
};

/// Relaxes stresses at the end of steps, one thread block per block; those that do not yield leave
/// after a look at their coefficients.
template <class T>
void yield_cuda(const GpuYield<T>& yield, const GpuElements<T>& elements, const GpuRanges& ranges,
                device::Queue& queue);

}  // namespace kaname::aderdg
