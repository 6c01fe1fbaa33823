// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "solvers/voxelwave/voxel_model.hpp"

namespace kaname::voxelwave {

/// Gives voxels whose centre is in a shape a solid, in the order of the calls: what comes later
/// lies over what was there.
class Shapes {
public:
    /// A box of one solid. Throws InvalidArgument unless the sizes are a whole number of voxels, to
    /// a thousandth of one.
    Shapes(const std::array<double, 3>& size_m, double ds_m, const Solid& solid);

    /// Corners in any order; what is outside of the model is passed over.
    void box(const std::array<double, 3>& from_m, const std::array<double, 3>& to_m,
             const Solid& solid);
    /// Of the whole length of the model along `axis`; the centre's place along it is not looked at.
    void cylinder(int axis, const std::array<double, 3>& centre_m, double radius_m,
                  const Solid& solid);
    void sphere(const std::array<double, 3>& centre_m, double radius_m, const Solid& solid);

    [[nodiscard]] const VoxelModel& model() const { return model_; }

private:
    template <class Inside>
    void paint(const Solid& solid, const Inside& inside);
    VoxelModel model_;
};

}  // namespace kaname::voxelwave
