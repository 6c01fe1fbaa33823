// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>
#include <vector>

#include "solvers/fault/slip_projection.hpp"
#include "solvers/fault/unit_source.hpp"

namespace kaname::fault {

/// int shape phi dA [n_split] m^2 of a patch's amount of slip, for SlipProjection. Triangles are
/// cut where the patch ends and where its hat has kinks, so that in each piece it is a polynomial;
/// fault coordinates between nodes are interpolated.
///   coordinates  of each triangle's six nodes
[[nodiscard]] std::vector<double> patch_load(
    std::span<const FaultTriangle> triangles,
    std::span<const std::array<FaultCoordinates, 6>> coordinates, std::size_t n_split,
    const Patch& patch);

}  // namespace kaname::fault
