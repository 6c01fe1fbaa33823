// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "solvers/device/buffer.hpp"

namespace kaname::viscoelastic {

/// A sparse symmetric matrix of few rows that couples the vertical components of nodes.
template <class T>
struct VerticalSprings {
    device::View<const std::int32_t> node;  ///< [rows], each node once
    device::View<const std::int32_t> ptr;   ///< [rows + 1]
    device::View<const std::int32_t> col;   ///< nodes
    device::View<const T> val;
};

/// y_z += S x_z at the rows' nodes; x, y [N][3][4]. T: float, double.
template <class T>
void apply_springs(const VerticalSprings<T>& springs, device::View<const T> x, device::View<T> y,
                   device::Queue& queue);

}  // namespace kaname::viscoelastic
