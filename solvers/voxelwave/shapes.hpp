// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <limits>
#include <utility>

#include "solvers/voxelwave/voxel_model.hpp"

namespace kaname::voxelwave {

/// Gives voxels whose centre is in a shape a solid, in the order of the calls: what comes later
/// lies over what was there.
class Shapes {
public:
    /// A box of one solid. Throws InvalidArgument unless the sizes are a whole number of voxels, to
    /// a thousandth of one.
    Shapes(const std::array<double, 3>& size_m, double ds_m, const Solid& solid);
    /// Over what a model has.
    explicit Shapes(VoxelModel model) : model_(std::move(model)) {}

    /// Corners in any order; what is outside of the model is passed over.
    void box(const std::array<double, 3>& from_m, const std::array<double, 3>& to_m,
             const Solid& solid);
    /// Along `axis` between two places on it; the centre's own place along it is not looked at.
    void cylinder(int axis, const std::array<double, 3>& centre_m, double radius_m,
                  const Solid& solid, double from_m = -kEverywhere, double to_m = kEverywhere);
    void sphere(const std::array<double, 3>& centre_m, double radius_m, const Solid& solid);

    [[nodiscard]] const VoxelModel& model() const { return model_; }

private:
    static constexpr double kEverywhere = std::numeric_limits<double>::infinity();
    template <class Inside>
    void paint(const Solid& solid, const Inside& inside);
    VoxelModel model_;
};

}  // namespace kaname::voxelwave
