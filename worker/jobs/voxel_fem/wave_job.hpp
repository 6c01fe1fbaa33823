// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "solvers/earth/structure.hpp"
#include "solvers/earth/volume_layout.hpp"
#include "solvers/voxelwave/point.hpp"
#include "solvers/voxelwave/voxel_step.hpp"
#include "worker/jobs/waves/slip_points.hpp"

namespace kaname::jobs {

/// A shape of one solid over what was there before it.
struct WaveShape {
    struct Box {
        std::array<double, 3> from_m{}, to_m{};
    };
    struct Cylinder {
        int axis = 0;
        std::array<double, 3> centre_m{};
        double radius_m = 0.0, from_m = 0.0, to_m = 0.0;
    };
    struct Sphere {
        std::array<double, 3> centre_m{};
        double radius_m = 0.0;
    };
    voxelwave::Solid solid;
    std::variant<Box, Cylinder, Sphere> geometry;
};

/// Part of the Earth: x its east, y its north about a centre, turned by azimuth_rad; z = 0 sea
/// level.
struct WaveEarth {
    earth::LonLat centre;
    double azimuth_rad = 0.0, depth_m = 0.0;
    earth::LayeredStructure layers;              ///< without volumes
    std::optional<earth::VolumeLayout> volumes;  ///< but for size and materials as it stands
};

/// Properties on a grid: file of vp, vs, density.
struct WaveGrid {
    std::string path;
};

/// Waves of point sources on voxels: what kaname.v1.VoxelWaves says in plain numbers, every value
/// validated on its own. SI units; x, y, z in the model's frame, whose origin is a corner of the
/// box, or sea level at the region's centre.
struct WaveJob : WaveRequest {
    struct Source : WaveName {
        WavePlace at;
        std::array<double, 3> force_n{};
        std::array<double, 6> moment_nm{};  ///< xx, yy, zz, yz, xz, xy
        source_time::TimeFunction time = source_time::TimeFunction::ricker(1.0, 0.0);
        /// In place of at, force and moment, a slip model also of time; of waves in a WaveEarth.
        std::optional<RuptureRequest> rupture = {};
    };
    struct Damping {
        double ratio = 0.0, from_hz = 0.0, to_hz = 0.0;
    };
    std::array<double, 3> size_m{};
    double spacing_m = 0.0;
    std::variant<voxelwave::Solid, WaveGrid, WaveEarth> base;
    std::vector<WaveShape> shapes;
    std::vector<Source> sources;
    double step_s = 0.0;  ///< 0: nine tenths of the largest stable one
    int every = 1;        ///< steps from sample to sample
    std::optional<Damping> damping;
    std::array<bool, 6> absorbing{};               ///< -x, +x, -y, +y, -z, +z
    double layer_m = 0.0, layer_rate_per_s = 0.0;  ///< rate 0: from the fastest solid
    std::array<bool, 6> fixed_sides{};
    bool fixed_corners = false;  ///< the four bottom ones
    voxelwave::Variant variant = voxelwave::Variant::OvfemWalsh;
    bool single = false;  ///< precision of the fields
    int stages = 8;
    int snapshot_stride = 1;

    [[nodiscard]] std::vector<WaveName> names() const override {
        return {sources.begin(), sources.end()};
    }
};

}  // namespace kaname::jobs
