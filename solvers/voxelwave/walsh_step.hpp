// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "solvers/voxelwave/voxel_step.hpp"

namespace kaname::voxelwave {

/// A step of OVFEM in one pass through memory: u, u- and the solids are read once, u+ is written
/// once. Neighbouring voxels share the Walsh transforms along all axes, a plane and a row of
/// transformed nodes and forces pass through the cache, and the model is cut into tiles of rows and
/// layers that threads work on alone (docs/theory/voxelwave.md, "One pass").
template <class T>
class WalshStep final : public VoxelStep<T> {
public:
    /// `model` and `terms` outlive this.
    WalshStep(const VoxelModel& model, const StepTerms& terms, int lanes);

    using VoxelStep<T>::step;
    void step(const NodeField<T>& u, const NodeField<T>& before, NodeField<T>& next,
              Planes planes) override;

private:
    struct Tile {
        int y0, y1, z0, z1;  ///< nodes [y0, y1) x [z0, z1)
    };
    class Work;

    const VoxelModel& model_;
    const StepTerms& terms_;
    int lanes_;
    std::vector<T> l_, g_;    ///< [solids] lambda ds/16, G ds/16
    AlignedVector<T> scale_;  ///< [z][y][x, padded] dt^2/m
    int scale_stride_;
    std::vector<int> solid_of_row_;         ///< [z][y] of voxels: the solid of all of them, or -1
    std::array<AlignedVector<T>, 3> keep_;  ///< [nodes along the axis]: of x by lanes, padded
    int tile_rows_;
};

extern template class WalshStep<double>;
extern template class WalshStep<float>;

}  // namespace kaname::voxelwave
