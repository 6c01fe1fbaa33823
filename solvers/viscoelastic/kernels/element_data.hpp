// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "solvers/device/buffer.hpp"
#include "solvers/viscoelastic/model/elements.hpp"

/// Describes the data of a mesh that the FP64 element kernels read.
namespace kaname::viscoelastic {

/// Stress components at the vertices of an element, each with its lanes.
inline constexpr int kStressNumbers = 4 * 6;
inline constexpr int kStressPerElement = kStressNumbers * lanes::kLanes;

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

/// Shared by the element kernels. Layout (El local elements, N local nodes):
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

    /// Numbers of a vector [N][3][4].
    [[nodiscard]] std::size_t vector_size() const {
        return std::size_t(n_nodes) * 3 * lanes::kLanes;
    }

    device::View<const std::array<std::int32_t, p2::kNodesPerTet10>> conn;
    device::View<const ElementGeometry> geometry;
    device::View<const double> lam, mu;
    std::int32_t n_nodes = 0;
    const p2::ElementBlocks* blocks = nullptr;
    const BlockScatter* scatter = nullptr;  ///< on a GPU: for the same blocks, elements as groups
};

/// ElementArrays holds the arrays of a mesh to which ElementData points, where a queue's kernels
/// can read them. Mesh and geometry outlive it.
class ElementArrays {
public:
    ElementArrays(const p2::LocalMesh& mesh, std::span<const ElementGeometry> geometry,
                  device::Queue& queue);
    /// Returns the data with moduli of the same elements [El] in the queue's memory.
    [[nodiscard]] ElementData data(device::View<const double> lam,
                                   device::View<const double> mu) const;
    /// Returns the data without moduli: geometry alone.
    [[nodiscard]] ElementData data() const { return data({}, {}); }

private:
    const p2::LocalMesh& mesh_;
    device::Mirror<std::array<std::int32_t, p2::kNodesPerTet10>> conn_;
    device::Mirror<ElementGeometry> geometry_;
    BlockScatter scatter_;
};

/// The second branch of the elements that have two (material_step.hpp): S_1 + S_2 = dev(sigma),
/// with pressure nodes sigma, of which S_2 is kept. n of this rank's elements have one; without
/// any, all is empty.
struct SecondBranch {
    device::View<const std::int32_t> slot;  ///< [El] in the arrays below, -1: one branch only
    device::View<const Parts> relax;        ///< [n] relax_2
    device::View<const Parts> weight;       ///< [n] share_2 g_2 mu / mu_v, alike of the mean
    device::View<double> stress;            ///< [n][4][6][4] S_2
};

}  // namespace kaname::viscoelastic
