// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "solvers/viscoelastic/kernels/internal_force.hpp"

namespace kaname::viscoelastic {

/// Shared: `nodes` [El][4] are those of PressureNodes, in the queue's memory; numbers of pressure
/// nodes are [n + 1][4], and `none` = n is the place that elastic elements name.

/// y_v += int L_v div (x + s_e) m^3; offsets ascending by element. An empty x counts as zero.
struct DilatationArgs {
    ElementData data;
    device::View<const std::array<std::int32_t, 4>> nodes;
    std::int32_t none;
    device::View<const ElementOffset> offsets;
    device::View<const double> x;
    device::View<double> y;
};
void dilatation(const DilatationArgs& args, device::Queue& queue);

/// f -= int B^T p I, p linear with the values of `pressure` at the vertices.
struct PressureForceArgs {
    ElementData data;
    device::View<const std::array<std::int32_t, 4>> nodes;
    std::int32_t none;
    device::View<const double> pressure;
    device::View<double> f;
};
void pressure_force(const PressureForceArgs& args, device::Queue& queue);

void dilatation_cpu(const DilatationArgs& args);
void pressure_force_cpu(const PressureForceArgs& args);
void dilatation_cuda(const DilatationArgs& args, device::Queue& queue);
void pressure_force_cuda(const PressureForceArgs& args, device::Queue& queue);

}  // namespace kaname::viscoelastic
