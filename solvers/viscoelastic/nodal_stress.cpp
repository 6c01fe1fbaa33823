// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/nodal_stress.hpp"

#include <algorithm>

#include "solvers/kernels/blas1.hpp"
#include "solvers/linalg/halo_sum.hpp"

namespace kaname::viscoelastic {

using kernels::kLanes;

namespace {

constexpr kernels::LaneScalars kOnes = kernels::all_lanes(1.0);

std::size_t pressure_size(const PressureNodes& nodes) {
    return (std::size_t(nodes.size()) + 1) * kLanes;
}

/// [n + 1], the last zero.
device::Buffer<double> padded(std::span<const double> values, device::Queue& queue) {
    std::vector<double> result(values.begin(), values.end());
    result.push_back(0.0);
    return {std::span<const double>(result), queue};
}

/// Mean volume strains of the pressure nodes for u + s: theta = C (u + s) / volume, summed over
/// ranks. [PressureNodes::size() + 1][4], last place zero; empty u counts as zero. Collective.
void mean_dilatation(const Model& model, device::View<const ElementOffset> offsets,
                     device::View<const double> u, device::View<double> theta,
                     device::Queue& queue) {
    const PressureNodes& nodes = *model.pressure_nodes();
    const device::Mirror<std::array<std::int32_t, 4>> conn(nodes.conn, queue);
    kernels::fill<double>(0.0, theta, queue);
    dilatation({model.elements(queue).data(), conn, nodes.size(), offsets, u, theta}, queue);
    linalg::HaloSum(nodes.halo, queue)
        .sum(theta.first(std::size_t(nodes.size()) * kLanes), kLanes, queue);
    std::vector<double> per_volume(nodes.volume.size());
    std::transform(nodes.volume.begin(), nodes.volume.end(), per_volume.begin(),
                   [](double volume) { return 1.0 / volume; });
    kernels::scale_items<double>(padded(per_volume, queue), theta, queue);
}

void add_pressure_force(const Model& model, const ElementData& data,
                        device::View<const double> pressure, device::View<double> f,
                        device::Queue& queue) {
    const PressureNodes& nodes = *model.pressure_nodes();
    const device::Mirror<std::array<std::int32_t, 4>> conn(nodes.conn, queue);
    pressure_force({data, conn, nodes.size(), pressure, f}, queue);
}

}  // namespace

void nodal_offset_force(const Model& model, const ElementModuli& moduli,
                        device::View<const ElementOffset> offsets, device::View<double> f,
                        device::Queue& queue) {
    if (!moduli.nodal()) {
        return;
    }
    device::Buffer<double> pressure(pressure_size(*model.pressure_nodes()), queue);
    mean_dilatation(model, offsets, {}, pressure, queue);
    kernels::scale_items<double>(padded(moduli.nodal_bulk, queue), pressure, queue);
    add_pressure_force(model, model.elements(queue).data(), pressure, f, queue);
}

NodalStress::NodalStress(const Model& model, device::Queue& queue)
    : model_(model), nodes_(model.pressure_nodes()) {
    if (!nodes_) {
        return;
    }
    for (const std::int32_t material : nodes_->material) {
        kappa_on_host_.push_back(model.materials()[material].kappa_pa() /
                                 model.scales().modulus_pa);
    }
    kappa_ = padded(kappa_on_host_, queue);
    for (auto* buffer : {&theta_, &q_, &change_}) {
        *buffer = device::Buffer<double>(pressure_size(*nodes_), queue);
    }
}

void NodalStress::clear(device::Queue& queue) {
    kernels::fill<double>(0.0, theta_, queue);
    kernels::fill<double>(0.0, q_, queue);
}

void NodalStress::zero_lane(int lane, device::Queue& queue) {
    kernels::zero_lane<double>(lane, theta_, queue);
    kernels::zero_lane<double>(lane, q_, queue);
}

void NodalStress::add_force(const StepModuli& step, const ElementData& data,
                            device::View<const ElementOffset> grown, device::View<double> f,
                            device::Queue& queue) {
    if (!nodes_) {
        return;
    }
    // p = kappa (Theta - q + relax q)
    kernels::axpby(kOnes, q_, {}, change_, queue);
    kernels::scale_items<double>(padded(step.nodal_relax, queue), change_, queue);
    kernels::axpby(kernels::all_lanes(-1.0), q_, kOnes, change_, queue);
    kernels::axpby(kOnes, theta_, kOnes, change_, queue);
    kernels::scale_items<double>(kappa_, change_, queue);
    add_pressure_force(model_, data, change_, f, queue);
    nodal_offset_force(model_, step.moduli, grown, f, queue);
}

void NodalStress::update(const StepModuli& step, device::View<const ElementOffset> grown,
                         device::View<const double> du, device::Queue& queue) {
    if (!nodes_) {
        return;
    }
    mean_dilatation(model_, grown, du, change_, queue);
    kernels::axpby(kOnes, change_, kOnes, theta_, queue);
    // q' = q - relax q + share dTheta
    std::vector<double> kept;
    for (const double relax : step.nodal_relax) {
        kept.push_back(1.0 - relax);
    }
    kernels::scale_items<double>(padded(kept, queue), q_, queue);
    kernels::scale_items<double>(padded(step.nodal_share, queue), change_, queue);
    kernels::axpby(kOnes, change_, kOnes, q_, queue);
}

void NodalStress::add_to_stress(std::span<double> stress, device::Queue& queue) const {
    if (!nodes_) {
        return;
    }
    std::vector<double> theta(theta_.size());
    std::vector<double> q(q_.size());
    device::download<double>(theta_, theta, queue);
    device::download<double>(q_, q, queue);
    const std::size_t none = nodes_->size();
    for (std::size_t elem = 0; elem < nodes_->conn.size(); ++elem) {
        for (int k = 0; k < 4; ++k) {
            const std::size_t v = nodes_->conn[elem][k];
            for (int lane = 0; lane < kLanes && v != none; ++lane) {
                const std::size_t at = v * kLanes + lane;
                const double pressure = kappa_on_host_[v] * (theta[at] - q[at]);
                for (int c = 0; c < 3; ++c) {
                    stress[elem * kStressPerElement + (k * 6 + c) * kLanes + lane] += pressure;
                }
            }
        }
    }
}

}  // namespace kaname::viscoelastic
