// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/base/vec3.hpp"

namespace kaname::mesh {

/// Part [E] of each tet, 0..parts-1, none empty, balanced by element count: METIS (dual graph) when
/// built with it and the mesh is not tiny, else partition_by_bisection. Deterministic.
/// Throws InvalidArgument when parts < 1 or parts > E.
[[nodiscard]] std::vector<std::int32_t> partition_tets(
    std::span<const Vec3> xyz, std::span<const std::array<std::int32_t, 4>> tets, int parts);

/// Partitions the tets where tet e takes work[e] > 0 of a step. The parts' sums of work (to 2 %)
/// and their numbers of tets, which stand for memory (to 5 %), are balanced as well as METIS can;
/// without it work alone is. With an empty `work` all tets take the same. Throws InvalidArgument
/// also for another number of entries.
[[nodiscard]] std::vector<std::int32_t> partition_tets(
    std::span<const Vec3> xyz, std::span<const std::array<std::int32_t, 4>> tets, int parts,
    std::span<const std::int32_t> work);

/// Recursive coordinate bisection of the centroids, across the longest side of each piece; part
/// sizes differ by one at most for powers of two. Errors as above.
[[nodiscard]] std::vector<std::int32_t> partition_by_bisection(
    std::span<const Vec3> xyz, std::span<const std::array<std::int32_t, 4>> tets, int parts);

}  // namespace kaname::mesh
