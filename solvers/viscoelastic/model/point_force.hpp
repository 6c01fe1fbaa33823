// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>

#include "solvers/p2/locate.hpp"
#include "solvers/viscoelastic/model/model.hpp"

namespace kaname::viscoelastic {

/// A force at a place of the mesh, of one of four sources: the load l whose product with a
/// displacement is its motion at the place along `direction`, l^T u = direction . u(place).
struct PointForce {
    p2::Location place;
    Vec3 direction;  ///< in the frame of the mesh
};

/// This rank's part [N][3][4] of the loads, force k in lane k; copies of shared nodes are not
/// summed. In scaled units K u = l then gives u in m for a displacement of 1 m: what a force of
/// Scales::modulus_pa times Scales::length_m newton does.
/// Throws InvalidArgument for more than four forces.
[[nodiscard]] device::Buffer<double> point_load(const Model& model,
                                                std::span<const PointForce> forces,
                                                device::Queue& queue);

}  // namespace kaname::viscoelastic
