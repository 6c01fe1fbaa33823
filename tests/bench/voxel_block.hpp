// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "solvers/voxelwave/point.hpp"
#include "solvers/voxelwave/slab.hpp"
#include "tests/bench/options.hpp"

namespace kaname::bench {

/// A block of concrete with a steel bar of radius 15 mm along y, a vertical force and receivers on
/// its top (ichimura2024, section 3). The paper prints no properties: these are common ones.
struct VoxelBlock {
    std::array<double, 3> size_m{};
    double bar_x_m = 0.0, bar_z_m = 0.0;
    voxelwave::PointSource source;
    std::vector<std::array<double, 3>> receivers_m;
    double duration_s = 0.0;  ///< of the waveforms

    /// Makes the model of voxels of `ds_m`, with the whole number of them that is nearest to its
    /// size.
    [[nodiscard]] voxelwave::VoxelModel model(double ds_m) const;
};

/// The paper's, 324 x 128 x 384 mm.
[[nodiscard]] VoxelBlock rebar_block();
/// The paper's for Size::Large. Else a smaller one of the same bar and band of frequencies, with
/// receivers 12 mm apart and a shorter record. Its sides and points are multiples of 12 mm, so that
/// they are nodes of all voxels of 12 mm/n.
[[nodiscard]] VoxelBlock waveform_block(Size size);

constexpr double kDt_s = 5e-8;          ///< of steps and products that are measured
constexpr double kDampingRatio = 0.01;  ///< of Rayleigh damping, 100 to 125 kHz

/// Numbers within 1e-9 of 0.
template <class T>
voxelwave::NodeField<T> random_field(const voxelwave::VoxelModel& model, int lanes) {
    voxelwave::NodeField<T> field(model.nodes(), lanes);
    std::mt19937 draw(3);
    std::uniform_real_distribution<double> number(-1e-9, 1e-9);
    const auto nodes = model.nodes();
    for (int c = 0; c < 3; ++c) {
        for (int z = 0; z < nodes[2]; ++z) {
            for (int y = 0; y < nodes[1]; ++y) {
                std::generate_n(field.row(c, z, y), field.row_length(),
                                [&] { return static_cast<T>(number(draw)); });
            }
        }
    }
    return field;
}

}  // namespace kaname::bench
