// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "solvers/linalg/halo_sum.hpp"
#include "solvers/viscoelastic/kernels/nodal_pressure.hpp"
#include "solvers/viscoelastic/model/model.hpp"
#include "solvers/viscoelastic/stepping/pack_state.hpp"

namespace kaname::viscoelastic {

/// f -= C^T nodal_bulk theta(s), theta = C s / volume: what slip offsets do through the pressure
/// nodes, besides offset_force. Nothing where the moduli have no nodal part. Offsets and f in the
/// queue's memory. Collective.
void nodal_offset_force(const Model& model, const ElementModuli& moduli,
                        device::View<const ElementOffset> offsets, device::View<double> f,
                        device::Queue& queue);

/// The map between displacement and the pressure nodes on one queue.
class NodalMean {
public:
    NodalMean(const Model& model, device::Queue& queue);

    /// theta = C (u + s) / volume, summed over ranks: [PressureNodes::size() + 1][4], last place
    /// zero; empty u counts as zero. Collective.
    void strain(device::View<const ElementOffset> offsets, device::View<const double> u,
                device::View<double> theta, device::Queue& queue);
    /// f -= C^T pressure, this rank's part.
    void add_force(device::View<const double> pressure, device::View<double> f,
                   device::Queue& queue);

private:
    const ElementData data_;  ///< geometry alone
    std::int32_t size_;
    device::Mirror<std::array<std::int32_t, 4>> conn_;
    linalg::HaloSum halo_;
    device::Buffer<double> per_volume_;  ///< [size + 1]
};

/// The pressure that does not relax, with the nodal-dilatation element
/// (docs/theory/viscoelastic.md, "Nodal dilatation"). The stress at vertex k of an element is S_k +
/// kappa (Theta_v - q_v) I: S is what PackSolver keeps per element, q the share of the volume
/// strain whose pressure S still holds. With share and relax of material_step.hpp
///   q += share dTheta - relax q,   Theta += dTheta,   q = Theta right after the slip;
/// with a second branch, q = q_1 + q_2, of which q_2 is kept besides:
///   q += share dTheta - relax q_1 - relax_2 q_2,   q_2 += share_2 g_2 dTheta - relax_2 q_2.
/// Without pressure nodes nothing here does anything.
class NodalStress {
public:
    NodalStress(const Model& model, device::Queue& queue);

    void clear(device::Queue& queue);
    void zero_lane(int lane, device::Queue& queue);
    /// Before the first step with these moduli.
    void set_step(const StepModuli& step, device::Queue& queue);
    /// f -= C^T kappa (Theta - q + relax q_1 + relax_2 q_2).
    void add_force(device::View<double> f, device::Queue& queue);
    /// f -= C^T kappa (relax q_1 + relax_2 q_2): what has changed since Theta and q were in
    /// balance.
    void add_relaxation(device::View<double> f, device::Queue& queue);
    /// After the step's du and the slip ds that it added. Collective.
    void update(device::View<const ElementOffset> grown, device::View<const double> du,
                device::Queue& queue);
    /// Collective.
    void exchange(StateArchive& state, device::Queue& queue);
    /// S of some elements [elements][4][6][4] becomes the whole stress.
    void add_to_stress(std::span<double> stress, std::span<const std::int32_t> elements,
                       device::Queue& queue) const;

private:
    void find_relaxing(device::Queue& queue);
    void push(device::View<double> f, device::Queue& queue);
    void update_second(device::Queue& queue);

    const PressureNodes* nodes_;
    bool second_anywhere_;  ///< on some rank, if not here
    std::optional<NodalMean> mean_;
    std::vector<double> kappa_on_host_;
    device::Buffer<double> kappa_;               ///< [n + 1]
    device::Buffer<double> share_, relax_;       ///< [n + 1] of the step
    device::Buffer<double> kept_;                ///< [n + 1] 1 - relax
    device::Buffer<double> theta_, q_, change_;  ///< [n + 1][4]
    /// [n + 1] of the step: share_2 g_2, relax_2 - relax, 1 - relax_2; and [n + 1][4]. Empty
    /// without second branches.
    device::Buffer<double> second_share_, second_extra_, second_kept_;
    device::Buffer<double> q_second_, work_;
};

}  // namespace kaname::viscoelastic
