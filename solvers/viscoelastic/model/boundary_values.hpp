// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "solvers/device/buffer.hpp"
#include "solvers/fault/split_nodes.hpp"
#include "solvers/fault/unit_source.hpp"
#include "solvers/p2/locate.hpp"
#include "solvers/viscoelastic/kernels/internal_force.hpp"
#include "solvers/viscoelastic/model/model.hpp"

namespace kaname::viscoelastic {

/// Prescribed displacements and tractions of a model in the memory of a queue. Their functions of
/// place and time are the host's: per step the values of the sides that have some travel there,
/// packed, with one wait for each copy; nothing comes back.
class BoundaryValues {
public:
    /// `model` outlives this. Nothing is kept for a model whose sides are free or fixed.
    BoundaryValues(const Model& model, device::Queue& queue);

    /// False: there are none, and nothing below may be called. The same on every rank.
    [[nodiscard]] bool any() const { return any_; }
    /// f [N][3][4] at loaded degrees of freedom = this rank's tractions at time t, in units of
    /// Scales; nothing is written elsewhere.
    void set_traction(double t_s, device::View<double> f, device::Queue& queue);
    /// Sets f at loaded degrees of freedom to the change of these tractions since the last call of
    /// this or of set_traction; nothing is written elsewhere.
    void set_traction_change(double t_s, device::View<double> f, device::Queue& queue);
    /// du [N][3][4] at fixed degrees of freedom = prescribed displacement at time t less u; nothing
    /// is written elsewhere.
    void set_increment(double t_s, device::View<const double> u, device::View<double> du,
                       device::Queue& queue);

private:
    /// Values of listed degrees of freedom [dofs][4].
    struct Packed {
        Packed() = default;
        Packed(const std::vector<std::int32_t>& list, device::Queue& queue);
        device::Buffer<std::int32_t> dofs;
        std::vector<double> host;
        device::Buffer<double> values, before;
    };

    void find_traction(double t_s);
    void send_traction(device::View<double> f, device::Queue& queue);

    const Model& model_;
    bool any_;
    Packed fixed_, loaded_;
    std::vector<double> traction_;  ///< [loaded][4] of the last call
};

/// A force at a place of the mesh, of one of four sources: the load l whose product with a
/// displacement is its motion at the place along `direction`, l^T u = direction . u(place).
struct PointForce {
    p2::Location place;
    Vec3 direction;  ///< in the frame of the mesh
};

/// This rank's part [N][3][4] of the loads, force k in lane k; copies of shared nodes are not
/// summed. In scaled units K u = l then gives u in m for a displacement of 1 m: what a force of
/// Scales::modulus_pa times Scales::length_m newton does.
/// Throws InvalidArgument for more than four forces.
[[nodiscard]] device::Buffer<double> point_load(const Model& model,
                                                std::span<const PointForce> forces,
                                                device::Queue& queue);

/// Slip of up to four sources at the split nodes [split.size()] m; an empty lane has no source.
using PackSlip = std::array<std::vector<Vec3>, lanes::kLanes>;

/// Offsets that this rank's elements see: +slip/2 on the plus side, -slip/2 on the minus side.
[[nodiscard]] std::vector<ElementOffset> element_offsets(const Model& model, const p2::DofMap& dofs,
                                                         const fault::SplitNodes& split,
                                                         const PackSlip& slip);

/// Moments of up to four sources; an empty lane has none.
using PackMoments = std::array<std::optional<fault::PointMoment>, lanes::kLanes>;

/// Adds the moments of up to four sources to the offsets of this rank's elements, ascending by
/// element. A moment acts on the strain at its place as elements of one material about it show it:
/// on the value there of the polynomial of degree 2 that is nearest to it in them, so that
///   f_a = M : sum_e int_e q grad N_a,   sum_e int_e q p = p(at) for all such polynomials p.
/// A place outside of the mesh is moved to its surface.
void add_moments(const Model& model, const mesh::TetMesh& mesh, const p2::DofMap& dofs,
                 const PackMoments& moments, std::vector<ElementOffset>& offsets);

}  // namespace kaname::viscoelastic
