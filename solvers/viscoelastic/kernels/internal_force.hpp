// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "solvers/device/queue.hpp"
#include "solvers/viscoelastic/elements.hpp"

namespace kaname::viscoelastic {

/// Slip offset of one element that touches the fault: what its nodes see besides u. Half the slip
/// on the plus side, minus half on the minus side; [10][3][4] m, four sources.
struct ElementOffset {
    std::int32_t elem;  ///< local element
    double s[fem::kNodesPerTet10][3][kernels::kLanes];
};

/// Shared by the three kernels below. Layout (El local elements, N local nodes):
///   stress [El][4][6][4]  at the vertices: xx yy zz yz zx xy; scaled units, four sources
///   vectors [N][3][4]
/// `relax` [El] = dt mu_v / eta, 0 in elastic elements. Blocks of one colour run in parallel.
/// Where moduli.nodal(), the stress is the part that relaxes in all six components, not only its
/// deviator: read sigma for dev(sigma) below; what remains is the pressure of the pressure nodes.
struct ElementData {
    const fem::LocalMesh& mesh;
    std::span<const ElementGeometry> geometry;
    const ElementModuli& moduli;
};

/// f -= int B^T D B s_e over the listed elements.
struct OffsetForceArgs {
    ElementData data;
    std::span<const ElementOffset> offsets;
    device::View<double> f;
};
void offset_force(const OffsetForceArgs& args, device::Queue& queue);

/// f -= int B^T (sigma - relax dev(sigma)).
struct StressForceArgs {
    ElementData data;
    std::span<const double> relax;
    device::View<const double> stress;
    device::View<double> f;
};
void stress_force(const StressForceArgs& args, device::Queue& queue);

/// Whether the lanes are sources or consecutive time steps.
enum class LaneChain {
    None,    ///< every lane for itself
    Within,  ///< lane j = lane j - 1 after the increment of lane j - 1; lane 0 stays
    Next,    ///< the same one step on: lane 0 takes its own increment first
};

/// sigma += D B (du + s_e) - relax dev(sigma); offsets ascending by element.
struct StressUpdateArgs {
    ElementData data;
    std::span<const double> relax;
    std::span<const ElementOffset> offsets;
    device::View<const double> du;
    device::View<double> stress;
    LaneChain chain = LaneChain::None;
};
void stress_update(const StressUpdateArgs& args, device::Queue& queue);

void offset_force_cpu(const OffsetForceArgs& args);
void stress_force_cpu(const StressForceArgs& args);
void stress_update_cpu(const StressUpdateArgs& args);

inline constexpr int kStressPerElement = 4 * 6 * kernels::kLanes;

}  // namespace kaname::viscoelastic
