// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/base/vec3.hpp"

namespace kaname::mesh {

/// Turns triangles that share an edge to the same side: each edge is then run through in both
/// directions. Returns the piece [T] that each triangle belongs to, counted from 0; the first
/// triangle of a piece keeps its order. Throws InvalidArgument naming the place where more than two
/// triangles share an edge, or where a surface of one side only (a Moebius strip) closes.
std::vector<std::int32_t> orient_surface(std::span<std::array<std::int32_t, 3>> triangles,
                                         std::span<const Vec3> xyz);

}  // namespace kaname::mesh
