// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "solvers/earth/depth_profile.hpp"
#include "solvers/earth/gridded_surface.hpp"
#include "solvers/earth/plan_nodes.hpp"
#include "solvers/earth/surface_builder.hpp"
#include "solvers/earth/volume_layout.hpp"

namespace kaname::earth {

/// One layer of a CRUST1.0-like table: what it is made of in every cell of longitude and latitude.
struct EarthColumns {
    struct Cell {
        LonLat centre;
        Speeds speeds;
        bool has_layer = false;  ///< the layer is solid and has a thickness here
    };
    std::vector<Cell> cells;  ///< in the file's order
    double spacing_lon_deg = 0.0, spacing_lat_deg = 0.0;

    /// Cell nearest to a place, and whether the place is inside it.
    struct Nearest {
        int cell = 0;
        bool inside = false;
    };
    [[nodiscard]] Nearest nearest(LonLat place) const;
    /// Nearest cell that has the layer; `cell` itself when it does.
    [[nodiscard]] int with_layer(int cell) const;
    [[nodiscard]] LonLatBox extent() const;

    // Cell of every node of the regular grid that holds the centres; -1: not in the table.
    std::vector<int> cell_at;  ///< [n_lat][n_lon]
    double lon0_deg = 0.0, lat0_deg = 0.0;
    int n_lon = 0, n_lat = 0;
};

/// Reads lon_deg, lat_deg (cell centres), vp_LAYER, vs_LAYER [km/s], rho_LAYER [g/cm3] and, where
/// the table has it, top_LAYER_km with the tops of the layers below it. A cell whose layer has
/// vs = 0 or ends where it begins does not have it.
/// Throws NotFound, InvalidArgument (no such layer, nan, no regular grid, no cell has the layer),
/// naming line and place.
[[nodiscard]] EarthColumns read_earth_columns(const std::string& path, const std::string& layer);

/// Returns the rule of one material everywhere.
[[nodiscard]] std::shared_ptr<const MaterialRule> constant_rule(int material);

/// Cuts the profile over the depths that the volume reaches and appends a material per step,
/// "mantle[80-120 km]". What does not work is a finding; then the result is null.
[[nodiscard]] std::shared_ptr<const MaterialRule> profile_rule(const VolumeDefinition& volume,
                                                               const DepthProfile& profile,
                                                               const VolumeReach& reach,
                                                               std::vector<Material>& materials,
                                                               Findings& findings);

/// Appends a material for every different row that the plan's nodes use, "crust[135.5,33.5]" after
/// its first cell. Findings as above.
[[nodiscard]] std::shared_ptr<const MaterialRule> columns_rule(const VolumeDefinition& volume,
                                                               const EarthColumns& columns,
                                                               const PlanNodes& nodes,
                                                               std::vector<Material>& materials,
                                                               Findings& findings);

/// A material of these speeds and the volume's viscosity.
[[nodiscard]] Material material_of(const VolumeDefinition& volume, const std::string& place,
                                   const Speeds& speeds);

}  // namespace kaname::earth
