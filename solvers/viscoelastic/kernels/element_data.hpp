// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "solvers/device/buffer.hpp"
#include "solvers/device/phases.hpp"
#include "solvers/viscoelastic/model/elements.hpp"

/// Describes the data of a mesh that the FP64 element kernels read.
namespace kaname::viscoelastic {

/// Stress components at the vertices of an element, each with its lanes.
inline constexpr int kStressNumbers = 4 * 6;
inline constexpr int kStressPerElement = kStressNumbers * lanes::kLanes;

/// Offset of one element: what its nodes see besides u, [10][3][4] m, four sources. On a fault half
/// the slip on the plus side, minus half on the minus side; where a source has a stress-free
/// strain, a displacement whose strain is minus that one.
struct ElementOffset {
    std::int32_t elem;     ///< local element
    std::int32_t strains;  ///< bit k: s of source k is of a stress-free strain, and moves nothing
    double s[p2::kNodesPerTet10][3][lanes::kLanes];

    /// Returns true if the element moves by u + s, not by u alone.
    [[nodiscard]] bool moves(std::size_t lane) const {
        return ((static_cast<std::uint32_t>(strains) >> lane) & 1U) == 0;
    }
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

/// Counts the work of the element kernels, for device::note and as lower bounds of their time. A
/// test counts the operations of the formulas.

/// Flops per element and source of  u -> D B u at the four vertices, of  sigma -> int B^T sigma,
inline constexpr double kStressFlop = 388.0;
inline constexpr double kForceFlop = 420.0;
/// of  u -> int L_v div u  there, and of adding a pressure to the vertices' stresses,
inline constexpr double kVertexDilatationFlop = 223.0;
inline constexpr double kVertexPressureFlop = 16.0;
/// of the element operator, of what a pressure adds to it, and of its pass  u -> int L_v div u,
inline constexpr double kOperatorFlop = 613.0;
inline constexpr double kPressureFlop = 28.0;
inline constexpr double kDilatationFlop = 147.0;
/// of the additions at the nodes, and of taking away what relaxes, with what the addition of the
/// rest costs.
inline constexpr double kScatterFlop = 30.0;
inline constexpr double kRelaxFlop = 4.0 * 24.0;
inline constexpr double kUpdateFlop = 4.0 * (24.0 + 6.0);

/// Connectivity and geometry of an element for the FP64 kernels.
inline constexpr double kElementBytes =
    sizeof(std::array<std::int32_t, p2::kNodesPerTet10>) + sizeof(ElementGeometry);

/// Work of n elements with all their sources.
inline device::Work element_work(double n, double bytes_per_element, double flop_per_source,
                                 double nodal_bytes) {
    return {n * bytes_per_element + nodal_bytes, 0.0, flop_per_source * n * lanes::kLanes};
}

/// Bytes of the second branches: which elements have one, and their stress, passed so often.
inline double second_bytes(const SecondBranch& second, double passes) {
    return sizeof(std::int32_t) * static_cast<double>(second.slot.size()) +
           static_cast<double>(second.relax.size()) *
               (2.0 * sizeof(Parts) + passes * 8.0 * kStressPerElement);
}

/// Returns the share of the element groups that colours [first, last) have.
template <class T>
double share_of_groups(const ElementGroups<T>& elements, int first, int last) {
    double groups = 0.0;
    for (int colour = first; colour < last; ++colour) {
        for (const auto& block : elements.colours[colour]) {
            groups += block.end - block.begin;
        }
    }
    const auto slots = static_cast<double>(elements.conn.size()) / p2::kNodesPerTet10;
    return slots > 0.0 ? groups * elements.group / slots : 0.0;
}

/// Returns the work of the element operator: it reads connectivity and coefficients once, reads x,
/// reads and writes y, and reads the pressures' connectivity and values.
template <class T>
device::Work operator_work(const ElementGroups<T>& elements, std::size_t vector_size,
                           std::size_t pressure_size, int first, int last) {
    const double share = share_of_groups(elements, first, last);
    const auto slots = static_cast<double>(elements.conn.size()) / p2::kNodesPerTet10;
    const double with_pressure = pressure_size > 0 ? 1.0 : 0.0;
    const double bytes =
        4.0 * static_cast<double>(elements.conn.size()) +
        sizeof(T) * static_cast<double>(elements.coef.size() + 3 * vector_size + pressure_size) +
        with_pressure * 4.0 * static_cast<double>(elements.pressure_conn.size());
    const double flop = kOperatorFlop + kScatterFlop + with_pressure * kPressureFlop;
    return device::Work::of<T>(share * bytes, share * flop * slots * lanes::kLanes);
}

/// Returns the work of the operator's first pass with pressure nodes: it reads ten of the 11
/// coefficients and x, and reads and writes the volume strains.
template <class T>
device::Work dilatation_work(const ElementGroups<T>& elements, std::size_t vector_size,
                             std::size_t pressure_size, int first, int last) {
    const double share = share_of_groups(elements, first, last);
    const auto slots = static_cast<double>(elements.conn.size()) / p2::kNodesPerTet10;
    const double bytes =
        4.0 * static_cast<double>(elements.conn.size() + elements.pressure_conn.size()) +
        sizeof(T) * (10.0 * slots + static_cast<double>(vector_size + 2 * pressure_size));
    return device::Work::of<T>(share * bytes, share * kDilatationFlop * slots * lanes::kLanes);
}

}  // namespace kaname::viscoelastic
