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

/// LaneChain selects whether the lanes are sources or consecutive time steps.
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
    device::View<const std::int32_t> only = {};  ///< these elements; empty: all
};
/// Throws InvalidArgument for `only` with a chain.
void stress_update(const StressUpdateArgs& args, device::Queue& queue);

/// stress_update, and of what comes out the load of the step that follows, in one pass over the
/// elements of data.blocks, of which those where nothing relaxes then are passed over:
///   f += int B^T next_relax sigma, or int B^T (next_relax S_1 + next_second_relax S_2)
struct StressStepArgs {
    StressUpdateArgs update;  ///< LaneChain::None, all elements
    device::View<const Parts> next_relax;
    device::View<const Parts> next_second_relax;  ///< [n] of update.second
    device::View<double> f;
};
void stress_step(const StressStepArgs& args, device::Queue& queue);

/// sigma = D B (u + s_e) of the listed elements, which do not relax; offsets ascending by element.
struct LastingStressArgs {
    ElementData data;
    device::View<const std::int32_t> elements;
    device::View<const ElementOffset> offsets;
    device::View<const double> u;
    device::View<double> stress;
};
void lasting_stress(const LastingStressArgs& args, device::Queue& queue);

void offset_force_cpu(const OffsetForceArgs& args);
void stress_force_cpu(const StressForceArgs& args);
void stress_step_cpu(const StressStepArgs& args);
void offset_force_cuda(const OffsetForceArgs& args, device::Queue& queue);
void stress_force_cuda(const StressForceArgs& args, device::Queue& queue);
void stress_step_cuda(const StressStepArgs& args, device::Queue& queue);

}  // namespace kaname::viscoelastic
