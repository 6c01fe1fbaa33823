// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>
#include <vector>

#include "solvers/fault/split_nodes.hpp"
#include "solvers/viscoelastic/model/boundary_values.hpp"
#include "solvers/viscoelastic/model/model.hpp"
#include "solvers/viscoelastic/model/observer.hpp"

namespace kaname::viscoelastic {

/// FaultTraction gives the response to slip by reciprocity. Slip s at the split nodes is the load
/// f = F s of element offsets. K is symmetric, so that a field v with K v = l has
///   l^T u = l^T K^-1 F s = (F^T v)^T s.
/// T = F^T v is minus half the difference of the forces that the elements of the two sides exert on
/// a split node in the field v, one vector per split node:
///   T_a = -sum_e side_(e,a) / 2 int_e B_a^T D B v
/// with the pressure nodes' and gravity's part (docs/theory/viscoelastic.md, "Reciprocity"). The
/// sum over T times a slip field is, to rounding, the response to the load of that slip field.
/// Fields stay where they are: only the nodes of the elements beside the fault leave a GPU.
class FaultTraction final : public Observation {
public:
    /// All is borrowed.
    FaultTraction(const Model& model, const p2::DofMap& dofs, const fault::SplitNodes& split,
                  device::Queue& queue);

    /// Returns T [split nodes][3][4] of v [N][3][4] and these moduli. Collective.
    [[nodiscard]] std::vector<double> of(const ElementModuli& moduli, device::View<const double> v,
                                         comm::Comm& comm, device::Queue& queue);
    /// Returns T of stresses [elements()][4][6][4] that belong to v, as a time step leaves them.
    /// Collective.
    [[nodiscard]] std::vector<double> of_stress(std::span<const double> stress,
                                                device::View<const double> v, comm::Comm& comm,
                                                device::Queue& queue);
    /// Returns T of the unrelaxed moduli.
    [[nodiscard]] std::vector<double> observe(device::View<const double> u,
                                              std::span<const ElementOffset> offsets,
                                              comm::Comm& comm, device::Queue& queue) override;

    /// Returns this rank's elements that hold a split node, ascending.
    [[nodiscard]] std::span<const std::int32_t> elements() const { return elements_; }
    [[nodiscard]] std::size_t n_nodes() const { return split_.split.size(); }
    /// Returns 1 for each material [materials] that is at the fault on any rank, else 0.
    /// Collective.
    [[nodiscard]] std::vector<std::uint8_t> materials(comm::Comm& comm) const;
    /// Returns the part of the slip itself in the displacement at the place of one force in an
    /// element of the fault [split nodes][3]; zero elsewhere. It is the same on every rank.
    [[nodiscard]] std::vector<double> own_offset(const PointForce& force) const;

private:
    /// A split node of an element.
    struct Half {
        std::size_t elem;  ///< place in elements_
        int node;          ///< of the tet10
        std::int32_t split;
        double half;  ///< side / 2
    };
    using Force = std::array<std::array<std::array<double, lanes::kLanes>, 3>, p2::kNodesPerTet10>;

    void fetch(device::View<const double> v, device::Queue& queue);
    [[nodiscard]] const double* at(std::size_t elem, int node) const {
        return v_.data() + std::size_t(place_[elem][node]) * 3 * lanes::kLanes;
    }
    [[nodiscard]] std::vector<double> pressure(const ElementModuli& moduli,
                                               device::View<const double> v, device::Queue& queue);
    void add_weight(std::vector<Force>& force) const;
    [[nodiscard]] std::vector<double> gathered(const std::vector<Force>& force,
                                               comm::Comm& comm) const;

    const Model& model_;
    const p2::DofMap& dofs_;
    const fault::SplitNodes& split_;
    ElementModuli unrelaxed_;
    std::vector<std::int32_t> elements_;
    std::vector<Half> halves_;
    std::vector<std::int32_t> nodes_;  ///< of the elements, ascending
    std::vector<std::array<std::int32_t, p2::kNodesPerTet10>> place_;  ///< in nodes_
    device::Mirror<std::int32_t> nodes_on_queue_;
    device::Buffer<double> packed_;
    std::vector<double> v_;  ///< [nodes_][3][4]
};

}  // namespace kaname::viscoelastic
