// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "solvers/earth/projection.hpp"
#include "solvers/earth/volume_model.hpp"

namespace kaname::earth {

/// A surface as a user describes it. Exactly one of depth_m, path and below is given.
struct SurfaceSpec {
    std::string name;
    std::string field;              ///< begins the messages about it: structure.surfaces[2]
    std::optional<double> depth_m;  ///< constant
    /// Grid: netCDF/GMT (x, y, z; z in km up as Slab2's or in metres, by `unit`), csv with lon_deg,
    /// lat_deg and a depth or elevation column, ESRI ASCII. Empty: none.
    std::string path;
    std::string column;        ///< of a csv with several; its name says depth or elevation, km or m
    std::string unit;          ///< of a netCDF or ASCII grid: km | m; empty: km (Slab2), m (ASCII)
    std::string below;         ///< name of another surface, this one `thickness_m` under it along
    double thickness_m = 0.0;  ///< its normal
    double min_depth_m = 0.0;  ///< with has_limits: not shallower, not deeper,
    double max_depth_m = 0.0;  ///< with rounded bends as InterfaceSurface
    bool has_limits = false;
    double smoothing_length_m = 0.0;
    double spacing_m =
        0.0;  ///< of the grid it is kept on; 0: a four-hundredth of the longer side, <= 4 km
};

struct VolumeSpec {
    std::string name, field;
    std::string top, bottom;  ///< names of surfaces; empty: no bound
    double size_m = 0.0;
    // Exactly one of the three:
    int material = -1;          ///< index into the materials
    std::string profile_path;   ///< depth table: .nd, .tvel or csv (depth, vp, vs, density)
    std::string columns_path;   ///< CRUST1.0-like csv: a row per cell, vp_*, vs_*, rho_*
    std::string columns_layer;  ///< "upper_crust": which of its layers
    std::optional<double> viscosity_pa_s;  ///< of a profile or columns; absent: elastic
    int steps = 0;  ///< of a profile: materials it is cut into, at most; 0: 20
};

struct VolumeModelSpec {
    double size_u_m = 0.0, size_v_m = 0.0, depth_m = 0.0, azimuth_rad = 0.0;
    std::vector<Material> materials;  ///< constant ones
    std::vector<SurfaceSpec> surfaces;
    std::string free_surface;  ///< name; empty: flat at z = 0
    std::vector<VolumeSpec> volumes;
};

struct BuiltVolumeModel {
    std::shared_ptr<const VolumeModel> model;
    std::vector<std::string> notes;  ///< what was extended, limited or merged, and how much of it
};

/// Reads the files and lays the surfaces over the box. Throws ValidationError with everything that
/// is wrong, each naming field, surface and place: no overlap with the region, no data at all,
/// unknown or circular names, an order that leaves a volume empty, a top under its bottom.
[[nodiscard]] BuiltVolumeModel build_volume_model(const VolumeModelSpec& spec,
                                                  const Projection& projection);

}  // namespace kaname::earth
