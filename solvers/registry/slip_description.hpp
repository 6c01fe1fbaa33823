// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include "solvers/fem/dof_map.hpp"
#include "solvers/io/greens_dataset.hpp"
#include "solvers/registry/setup.hpp"
#include "solvers/sources/fault_slip.hpp"
#include "solvers/sources/split_nodes.hpp"

namespace kaname::registry {

/// What a dataset says of slip [split.split.size()] that is no unit slip on a patch: its centre,
/// extent (of what slips by more than a twentieth of the largest) and mean orientation, weighted by
/// its amount; NaN where it has none.
[[nodiscard]] io::GreensDataset::Source describe_slip(const Setup& setup,
                                                      const sources::SplitNodes& split,
                                                      const fem::DofMap& dofs,
                                                      std::span<const Vec3> slip,
                                                      const std::string& source_id);

/// Area, potency and rigidity of a source.
void set_sums(const sources::FaultSlip::Sums& sums, io::GreensDataset::Source& row);

/// A source without slip has no place on a fault: its patch names the sides that move or are
/// loaded.
[[nodiscard]] io::GreensDataset::Source describe_sides(const BoundarySourceSpec& source);

}  // namespace kaname::registry
