// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/viscoelastic/kernels/internal_force.hpp"
#include "solvers/viscoelastic/pressure_nodes.hpp"

namespace kaname::viscoelastic {

/// y_v += int L_v div (x + s_e), y [pressure nodes + 1][4] m^3; offsets ascending by element. An
/// empty x counts as zero.
struct DilatationArgs {
    ElementData data;
    const PressureNodes& nodes;
    std::span<const ElementOffset> offsets;
    device::View<const double> x;
    device::View<double> y;
};
void dilatation(const DilatationArgs& args, device::Queue& queue);

/// f -= int B^T p I, p linear with the values of pressure [pressure nodes + 1][4] at the vertices.
struct PressureForceArgs {
    ElementData data;
    const PressureNodes& nodes;
    device::View<const double> pressure;
    device::View<double> f;
};
void pressure_force(const PressureForceArgs& args, device::Queue& queue);

void dilatation_cpu(const DilatationArgs& args);
void pressure_force_cpu(const PressureForceArgs& args);

}  // namespace kaname::viscoelastic
