// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "solvers/fault/slip_projection.hpp"

namespace kaname::fault {

/// int s phi dA [3][n_split] m^3 of slip known by its values only, for SlipProjection. A triangle
/// is quartered while its edges are longer than `finest_m`, and, where s is not linear between the
/// corners and middles of its edges by 1e-3 of the largest slip, down to 1/32 of that.
///   slip      [m] at a place of a triangle
///   finest_m  no feature of s is smaller: half the shorter side of its smallest patch
[[nodiscard]] std::array<std::vector<double>, 3> sampled_load(
    std::span<const FaultTriangle> triangles, std::span<const Vec3> node_xyz, std::size_t n_split,
    const std::function<Vec3(const FaultTriangle&, const Vec3& x)>& slip, double finest_m,
    double largest_m);

}  // namespace kaname::fault
