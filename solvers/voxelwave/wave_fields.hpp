// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "solvers/device/queue.hpp"
#include "solvers/voxelwave/kernels/step_args.hpp"
#include "solvers/voxelwave/slab.hpp"
#include "solvers/voxelwave/voxel_step.hpp"

namespace kaname::voxelwave {

/// Describes the data that a WaveSolver has in the memory of its backend.
struct WaveSetup {
    Variant variant;
    int stages, lanes;
    int sources = 0;
    std::vector<PointLoad> loads;  ///< of nodes in the rank's own planes
    std::vector<PointReceiver> receivers;
    Slab slab;                   ///< whose known planes the model has
    comm::Comm* comm = nullptr;  ///< of the slab's ranks
};

/// The fields of waves in the memory of a backend, with the forces that act on them and the record
/// that is taken of them.
template <class T>
class WaveFields {
public:
    virtual ~WaveFields() = default;
    /// A step of StepTerms and what sources of s(t) = values add to it. Collective.
    virtual void step(const LoadValues& values) = 0;
    /// Loads as many and of the same nodes as those of the set-up, in their place from now on.
    virtual void set_loads(std::span<const PointLoad> loads) = 0;
    /// Appends [sources][receivers][3] of now to the record.
    virtual void record() = 0;
    /// Waits for all that was queued; the record is in host memory.
    virtual void finish() = 0;
    /// [samples][sources][receivers][3] in m since the last call.
    [[nodiscard]] virtual std::vector<float> take_record() = 0;
    /// u and u- in host memory, until the next step.
    [[nodiscard]] virtual const NodeField<T>& displacement() = 0;
    [[nodiscard]] virtual const NodeField<T>& before() = 0;
    virtual void resume(const NodeField<T>& displacement, const NodeField<T>& before) = 0;
};

/// u at a receiver [m].
template <class T>
[[nodiscard]] double motion_at(const PointReceiver& receiver, const NodeField<T>& u, int component,
                               int lane);

/// Makes the fields on the queue's backend. `model` and `terms` outlive them. Throws as make_step.
template <class T>
[[nodiscard]] std::unique_ptr<WaveFields<T>> make_fields(const VoxelModel& model,
                                                         const StepTerms& terms, WaveSetup setup,
                                                         const device::Queue& queue);
/// Makes the fields on a GPU's queue; throws Unavailable in a build without CUDA.
template <class T>
[[nodiscard]] std::unique_ptr<WaveFields<T>> make_gpu_fields(const VoxelModel& model,
                                                             const StepTerms& terms,
                                                             WaveSetup setup,
                                                             const device::Queue& queue);

}  // namespace kaname::voxelwave
