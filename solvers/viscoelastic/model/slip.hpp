// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>
#include <vector>

#include "solvers/fault/split_nodes.hpp"
#include "solvers/viscoelastic/kernels/internal_force.hpp"
#include "solvers/viscoelastic/model/model.hpp"

namespace kaname::viscoelastic {

/// Slip of up to four sources at the split nodes [split.size()] m; an empty lane has no source.
using PackSlip = std::array<std::vector<Vec3>, lanes::kLanes>;

/// Offsets that this rank's elements see: +slip/2 on the plus side, -slip/2 on the minus side.
[[nodiscard]] std::vector<ElementOffset> element_offsets(const Model& model, const p2::DofMap& dofs,
                                                         const fault::SplitNodes& split,
                                                         const PackSlip& slip);

}  // namespace kaname::viscoelastic
