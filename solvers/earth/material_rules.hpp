// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "solvers/earth/depth_profile.hpp"
#include "solvers/earth/earth_columns.hpp"
#include "solvers/earth/findings.hpp"
#include "solvers/earth/plan_nodes.hpp"
#include "solvers/earth/volume_checks.hpp"
#include "solvers/earth/volume_spec.hpp"

namespace kaname::earth {

/// Returns the rule of one material everywhere.
[[nodiscard]] std::shared_ptr<const MaterialRule> constant_rule(int material);

/// Cuts the profile over the depths that the volume reaches and appends a material per step,
/// "mantle[80-120 km]". What does not work is a finding; then the result is null.
[[nodiscard]] std::shared_ptr<const MaterialRule> profile_rule(const VolumeSpec& volume,
                                                               const DepthProfile& profile,
                                                               const VolumeReach& reach,
                                                               std::vector<Material>& materials,
                                                               Findings& findings);

/// Appends a material for every different row that the plan's nodes use, "crust[135.5,33.5]" after
/// its first cell. Findings as above.
[[nodiscard]] std::shared_ptr<const MaterialRule> columns_rule(const VolumeSpec& volume,
                                                               const EarthColumns& columns,
                                                               const PlanNodes& nodes,
                                                               std::vector<Material>& materials,
                                                               Findings& findings);

/// A material of these speeds and the volume's viscosity.
[[nodiscard]] Material material_of(const VolumeSpec& volume, const std::string& place,
                                   const Speeds& speeds);

}  // namespace kaname::earth
