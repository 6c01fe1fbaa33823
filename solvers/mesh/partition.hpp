// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/base/vec3.hpp"

namespace kaname::mesh {

/// Part [E] of each tet, 0..parts-1, balanced by element count: METIS (dual graph) when built with
/// it, else recursive coordinate bisection of the centroids. Deterministic.
[[nodiscard]] std::vector<std::int32_t> partition_tets(
    std::span<const Vec3> xyz, std::span<const std::array<std::int32_t, 4>> tets, int parts);

}  // namespace kaname::mesh
