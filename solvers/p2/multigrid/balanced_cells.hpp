// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/comm/comm.hpp"

namespace kaname::multigrid {

/// [points] the cell of each point, cells numbered alike on all ranks without gaps. The bounding
/// box of all ranks' points is halved across its longest side, and so on, every part as long as
/// more than `most` owned points lie in it: cells are nearly cubes and follow the points' density.
/// Neither ranks nor the order of points matter. `owned` is empty when all points are. Collective.
[[nodiscard]] std::vector<std::int64_t> balanced_cells(std::span<const Vec3> points,
                                                       std::span<const std::uint8_t> owned,
                                                       int most, comm::Comm& comm);

}  // namespace kaname::multigrid
