// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "solvers/fem/dof_map.hpp"
#include "solvers/registry/setup.hpp"
#include "solvers/sources/split_nodes.hpp"

namespace kaname::registry {

/// Slip of a job's unit sources at the nodes of the fault. On an interface each node takes a walk
/// down its section (hundreds of depths), so its fault coordinates are found once for all sources.
class UnitSlip {
public:
    /// All is borrowed. A job whose slip comes from tables or slip models has no unit sources.
    UnitSlip(const Setup& setup, const sources::SplitNodes& split, const fem::DofMap& dofs);

    /// Slip of one source at every split node [split.split.size()] m. Throws as nodal_slip.
    [[nodiscard]] std::vector<Vec3> of(sources::UnitSource source) const;

private:
    const Setup& setup_;
    const sources::SplitNodes& split_;
    const fem::DofMap& dofs_;
    std::unordered_map<std::int32_t, sources::FaultCoordinates> at_;
};

}  // namespace kaname::registry
