// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/nodal_stress.hpp"

#include "solvers/kernels/blas1.hpp"

namespace kaname::viscoelastic {

using kernels::kLanes;

namespace {

constexpr kernels::LaneScalars kOnes = kernels::all_lanes(1.0);

std::size_t pressure_size(const PressureNodes& nodes) {
    return (std::size_t(nodes.size()) + 1) * kLanes;
}

ElementData data_of(const Model& model, const ElementModuli& moduli) {
    return {model.mesh(), model.geometry(), moduli};
}

/// [n + 1], the last zero.
device::Buffer<double> padded(std::span<const double> values) {
    device::Buffer<double> result(values.size() + 1);
    std::copy(values.begin(), values.end(), result.data());
    return result;
}

}  // namespace

void mean_dilatation(const Model& model, std::span<const ElementOffset> offsets,
                     device::View<const double> u, device::View<double> theta,
                     device::Queue& queue) {
    const PressureNodes& nodes = *model.pressure_nodes();
    const ElementModuli none;  // volume strain is geometry alone
    kernels::fill<double>(0.0, theta, queue);
    dilatation({data_of(model, none), nodes.conn, nodes.size(), offsets, u, theta}, queue);
    nodes.halo.sum(theta.first(std::size_t(nodes.size()) * kLanes), kLanes);
    device::Buffer<double> per_volume(nodes.volume.size() + 1);
    for (std::size_t v = 0; v < nodes.volume.size(); ++v) {
        per_volume[v] = 1.0 / nodes.volume[v];
    }
    kernels::scale_items<double>(per_volume, theta, queue);
}

void nodal_offset_force(const Model& model, const ElementModuli& moduli,
                        std::span<const ElementOffset> offsets, device::View<double> f,
                        device::Queue& queue) {
    if (!moduli.nodal()) {
        return;
    }
    const PressureNodes& nodes = *model.pressure_nodes();
    device::Buffer<double> pressure(pressure_size(nodes));
    mean_dilatation(model, offsets, {}, pressure, queue);
    kernels::scale_items<double>(padded(moduli.nodal_bulk), pressure, queue);
    pressure_force({data_of(model, moduli), nodes.conn, nodes.size(), pressure, f}, queue);
}

NodalStress::NodalStress(const Model& model) : model_(model), nodes_(model.pressure_nodes()) {
    if (!nodes_) {
        return;
    }
    kappa_ = device::Buffer<double>(nodes_->volume.size() + 1);
    for (std::int32_t v = 0; v < nodes_->size(); ++v) {
        kappa_[v] = model.materials()[nodes_->material[v]].kappa_pa() / model.scales().modulus_pa;
    }
    for (auto* buffer : {&theta_, &q_, &change_}) {
        *buffer = device::Buffer<double>(pressure_size(*nodes_));
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

void NodalStress::add_force(const StepModuli& step, std::span<const ElementOffset> grown,
                            device::View<double> f, device::Queue& queue) {
    if (!nodes_) {
        return;
    }
    // p = kappa (Theta - q + relax q)
    kernels::axpby(kOnes, q_, {}, change_, queue);
    kernels::scale_items<double>(padded(step.nodal_relax), change_, queue);
    kernels::axpby(kernels::all_lanes(-1.0), q_, kOnes, change_, queue);
    kernels::axpby(kOnes, theta_, kOnes, change_, queue);
    kernels::scale_items<double>(kappa_, change_, queue);
    pressure_force({data_of(model_, step.moduli), nodes_->conn, nodes_->size(), change_, f}, queue);
    nodal_offset_force(model_, step.moduli, grown, f, queue);
}

void NodalStress::update(const StepModuli& step, std::span<const ElementOffset> grown,
                         device::View<const double> du, device::Queue& queue) {
    if (!nodes_) {
        return;
    }
    mean_dilatation(model_, grown, du, change_, queue);
    kernels::axpby(kOnes, change_, kOnes, theta_, queue);
    // q' = q - relax q + share dTheta
    device::Buffer<double> kept(nodes_->volume.size() + 1);
    for (std::int32_t v = 0; v < nodes_->size(); ++v) {
        kept[v] = 1.0 - step.nodal_relax[v];
    }
    kernels::scale_items<double>(kept, q_, queue);
    kernels::scale_items<double>(padded(step.nodal_share), change_, queue);
    kernels::axpby(kOnes, change_, kOnes, q_, queue);
}

void NodalStress::add_to_stress(std::span<double> stress) const {
    if (!nodes_) {
        return;
    }
    for (std::size_t elem = 0; elem < nodes_->conn.size(); ++elem) {
        for (int k = 0; k < 4; ++k) {
            const std::size_t v = nodes_->conn[elem][k];
            for (int lane = 0; lane < kLanes; ++lane) {
                const std::size_t at = v * kLanes + lane;
                const double pressure = kappa_[v] * (theta_[at] - q_[at]);
                for (int c = 0; c < 3; ++c) {
                    stress[elem * kStressPerElement + (k * 6 + c) * kLanes + lane] += pressure;
                }
            }
        }
    }
}

}  // namespace kaname::viscoelastic
