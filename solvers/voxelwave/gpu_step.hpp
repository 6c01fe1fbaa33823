// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "solvers/device/buffer.hpp"
#include "solvers/voxelwave/kernels/step_args.hpp"
#include "solvers/voxelwave/kernels/walsh_tile.hpp"
#include "solvers/voxelwave/voxel_step.hpp"

namespace kaname::voxelwave {

/// VoxelStep in a GPU's memory. Fields there are laid out as a NodeField.
template <class T>
class GpuStep {
public:
    /// Nothing of `model` and `terms` is kept. Throws as make_step; InvalidArgument for a queue of
    /// the CPU.
    GpuStep(Variant variant, const VoxelModel& model, const StepTerms& terms, int lanes, int stages,
            device::Queue queue);

    /// `next` may not be one of the others, and has zeros where rows are padded.
    void step(const device::Buffer<T>& u, const device::Buffer<T>& before, device::Buffer<T>& next);
    [[nodiscard]] const FieldShape& shape() const { return args_.shape; }
    /// Forces of the voxels in the last step as kernels/element_forces.hpp has them; none of
    /// OvfemWalsh.
    [[nodiscard]] const device::Buffer<T>& voxel_forces() const { return force_; }

private:
    Variant variant_;
    int stages_;
    device::Queue queue_;
    StepArgs<T> args_{};
    device::Buffer<std::uint16_t> solid_of_;
    device::Buffer<T> moduli_, scale_, force_;
    std::array<device::Buffer<T>, 3> keep_;
    WalshTile tile_{};
    MatrixPair<T> matrices_{};
    device::Buffer<std::int8_t> integers_;
};

extern template class GpuStep<double>;
extern template class GpuStep<float>;

}  // namespace kaname::voxelwave
