// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "solvers/viscoelastic/kernels/nodal_pressure.hpp"
#include "solvers/viscoelastic/model.hpp"

namespace kaname::viscoelastic {

/// f -= C^T nodal_bulk theta(s), theta = C s / volume: what slip offsets do through the pressure
/// nodes, besides offset_force. Nothing where the moduli have no nodal part. Offsets and f in the
/// queue's memory. Collective.
void nodal_offset_force(const Model& model, const ElementModuli& moduli,
                        device::View<const ElementOffset> offsets, device::View<double> f,
                        device::Queue& queue);

/// The pressure that does not relax, with the nodal-dilatation element
/// (docs/theory/viscoelastic.md, "Nodal dilatation"). The stress at vertex k of an element is S_k +
/// kappa (Theta_v - q_v) I: S is what PackSolver keeps per element, q the share of the volume
/// strain whose pressure S still holds. With share = mu_v / mu, relax = dt mu_v / eta,
///   q += share dTheta - relax q,   Theta += dTheta,   q = Theta right after the slip.
/// Without pressure nodes nothing here does anything.
class NodalStress {
public:
    NodalStress(const Model& model, device::Queue& queue);

    void clear(device::Queue& queue);
    void zero_lane(int lane, device::Queue& queue);
    /// f -= C^T (kappa (Theta - q + relax q) + nodal_bulk theta(ds)), ds the slip of this step.
    void add_force(const StepModuli& step, const ElementData& data,
                   device::View<const ElementOffset> grown, device::View<double> f,
                   device::Queue& queue);
    /// After the step's du and ds. Collective.
    void update(const StepModuli& step, device::View<const ElementOffset> grown,
                device::View<const double> du, device::Queue& queue);
    /// S [El][4][6][4] becomes the whole stress.
    void add_to_stress(std::span<double> stress, device::Queue& queue) const;

private:
    const Model& model_;
    const PressureNodes* nodes_;
    std::vector<double> kappa_on_host_;
    device::Buffer<double> kappa_;               ///< [n + 1]
    device::Buffer<double> theta_, q_, change_;  ///< [n + 1][4]
};

}  // namespace kaname::viscoelastic
