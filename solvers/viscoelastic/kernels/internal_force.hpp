// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "solvers/viscoelastic/kernels/element_data.hpp"

namespace kaname::viscoelastic {

/// f -= int B^T D B s_e over the listed elements.
struct OffsetForceArgs {
    ElementData data;
    device::View<const ElementOffset> offsets;
    device::View<double> f;
};
void offset_force(const OffsetForceArgs& args, device::Queue& queue);

/// f -= int B^T (sigma - relax sigma); with a second branch, S_1 = sigma - S_2 but for the mean in
/// plain P2, f -= int B^T (sigma - relax S_1 - relax_2 S_2).
struct StressForceArgs {
    ElementData data;
    device::View<const Parts> relax;
    device::View<const double> stress;
    device::View<double> f;
    SecondBranch second = {};
};
void stress_force(const StressForceArgs& args, device::Queue& queue);

/// Whether the lanes are sources or consecutive time steps.
enum class LaneChain {
    None,    ///< every lane for itself
    Within,  ///< lane j = lane j - 1 after the increment of lane j - 1; lane 0 stays
    Next,    ///< as Within, one step on: lane 0 takes its own increment first
};

/// sigma += D B (du + s_e) - relax sigma; offsets ascending by element. With a second branch
///   sigma += D B (du + s_e) - relax S_1 - relax_2 S_2
///   S_2 += weight D B (du + s_e) - relax_2 S_2
struct StressUpdateArgs {
    ElementData data;
    device::View<const Parts> relax;
    device::View<const ElementOffset> offsets;
    device::View<const double> du;
    device::View<double> stress;
    LaneChain chain = LaneChain::None;
    SecondBranch second = {};
};
void stress_update(const StressUpdateArgs& args, device::Queue& queue);

void offset_force_cpu(const OffsetForceArgs& args);
void stress_force_cpu(const StressForceArgs& args);
void offset_force_cuda(const OffsetForceArgs& args, device::Queue& queue);
void stress_force_cuda(const StressForceArgs& args, device::Queue& queue);

}  // namespace kaname::viscoelastic
