// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "solvers/device/mirror.hpp"
#include "solvers/viscoelastic/model/elements.hpp"

namespace kaname::viscoelastic {

/// Slip offset of one element that touches the fault: what its nodes see besides u. Half the slip
/// on the plus side, minus half on the minus side; [10][3][4] m, four sources.
struct ElementOffset {
    std::int32_t elem;  ///< local element
    double s[p2::kNodesPerTet10][3][lanes::kLanes];
};

/// A factor of a tensor's deviator and one of its mean: of sigma, deviator dev(sigma) + mean
/// tr(sigma)/3 I.
struct Parts {
    double deviator = 0.0;
    double mean = 0.0;
};

/// Shared by the three kernels below. Layout (El local elements, N local nodes):
///   stress [El][4][6][4]  at the vertices: xx yy zz yz zx xy; scaled units, four sources
///   vectors [N][3][4]
/// `relax` [El]: the parts of the stress that a step takes away, dt mu_v / eta of the deviator in
/// viscous elements; of the mean with pressure nodes only, where the stress is the part that
/// relaxes and what remains is their pressure. Blocks of one colour run in parallel.
struct ElementData {
    /// Data in host memory, for the CPU.
    ElementData(const p2::LocalMesh& mesh, std::span<const ElementGeometry> geometry,
                const ElementModuli& moduli);
    ElementData() = default;

    device::View<const std::array<std::int32_t, p2::kNodesPerTet10>> conn;
    device::View<const ElementGeometry> geometry;
    device::View<const double> lam, mu;
    std::int32_t n_nodes = 0;
    const p2::ElementBlocks* blocks = nullptr;
    const BlockScatter* scatter = nullptr;  ///< on a GPU: for the same blocks, elements as groups
};

/// What ElementData shows of a mesh, where a queue's kernels can read it. Mesh and geometry outlive
/// it.
class ElementArrays {
public:
    ElementArrays(const p2::LocalMesh& mesh, std::span<const ElementGeometry> geometry,
                  device::Queue& queue);
    /// With moduli of the same elements [El] in the queue's memory.
    [[nodiscard]] ElementData data(device::View<const double> lam,
                                   device::View<const double> mu) const;
    /// Without moduli: geometry alone.
    [[nodiscard]] ElementData data() const { return data({}, {}); }

private:
    const p2::LocalMesh& mesh_;
    device::Mirror<std::array<std::int32_t, p2::kNodesPerTet10>> conn_;
    device::Mirror<ElementGeometry> geometry_;
    BlockScatter scatter_;
};

/// f -= int B^T D B s_e over the listed elements.
struct OffsetForceArgs {
    ElementData data;
    device::View<const ElementOffset> offsets;
    device::View<double> f;
};
void offset_force(const OffsetForceArgs& args, device::Queue& queue);

/// The second branch of the elements that have two (material_step.hpp): S_1 + S_2 = dev(sigma),
/// with pressure nodes sigma, of which S_2 is kept. n of this rank's elements have one; without
/// any, all is empty.
struct SecondBranch {
    device::View<const std::int32_t> slot;  ///< [El] in the arrays below, -1: one branch only
    device::View<const Parts> relax;        ///< [n] relax_2
    device::View<const Parts> weight;       ///< [n] share_2 g_2 mu / mu_v, alike of the mean
    device::View<double> stress;            ///< [n][4][6][4] S_2
};

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

/// Stress components at the vertices of an element, each with its lanes.
inline constexpr int kStressNumbers = 4 * 6;
inline constexpr int kStressPerElement = kStressNumbers * lanes::kLanes;

}  // namespace kaname::viscoelastic
