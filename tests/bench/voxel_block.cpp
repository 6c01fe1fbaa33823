// SPDX-License-Identifier: BSD-3-Clause
#include "tests/bench/voxel_block.hpp"

#include <cmath>

#include "solvers/voxelwave/element_matrices.hpp"

namespace kaname::bench {

voxelwave::VoxelModel VoxelBlock::model(double ds_m) const {
    std::array<double, 3> whole_m{};
    for (int axis = 0; axis < 3; ++axis) {
        whole_m[axis] = std::round(size_m[axis] / ds_m) * ds_m;
    }
    voxelwave::Shapes shapes(whole_m, ds_m, voxelwave::Solid::of_speeds(4300.0, 2600.0, 2400.0));
    shapes.cylinder(1, {bar_x_m, 0.0, bar_z_m}, 0.015,
                    voxelwave::Solid::of_speeds(5900.0, 3200.0, 7850.0));
    return shapes.model();
}

VoxelBlock rebar_block() {
    VoxelBlock block{{0.324, 0.128, 0.384}, 0.160, 0.100, {}, {}, 8.192e-4};
    block.source.position_m = {0.156, 0.072, 0.384};
    block.source.force_n = {0.0, 0.0, 1.0};
    block.source.time = source_time::TimeFunction::band(1e5, 1.25e5, 4.096e-4);
    for (const double x_m : {0.026, 0.060, 0.108, 0.144, 0.180, 0.216, 0.264, 0.300}) {
        block.receivers_m.push_back({x_m, 0.060, 0.384});
    }
    return block;
}

VoxelBlock waveform_block(Size size) {
    VoxelBlock block = rebar_block();
    if (size == Size::Large) {
        return block;
    }
    const bool medium = size == Size::Medium;
    block.size_m = medium ? std::array{0.108, 0.060, 0.096} : std::array{0.060, 0.036, 0.048};
    block.bar_x_m = medium ? 0.052 : 0.032;
    block.bar_z_m = medium ? 0.036 : 0.016;
    const double top_m = block.size_m[2];
    block.source.position_m = {medium ? 0.048 : 0.024, medium ? 0.036 : 0.024, top_m};
    // Begins at the band's zero before its largest peak.
    block.source.time = source_time::TimeFunction::band(1e5, 1.25e5, 4e-5);
    block.receivers_m.clear();
    for (double x_m = 0.012; x_m < block.size_m[0] - 0.006; x_m += 0.012) {
        block.receivers_m.push_back({x_m, medium ? 0.024 : 0.012, top_m});
    }
    block.duration_s = medium ? 1.536e-4 : 0.768e-4;
    return block;
}

}  // namespace kaname::bench
