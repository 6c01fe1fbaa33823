// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/model/boundary_values.hpp"

#include <algorithm>
#include <functional>

#include "solvers/lanes/blas1.hpp"
#include "solvers/lanes/gather.hpp"

namespace kaname::viscoelastic {

using lanes::kLanes;

BoundaryValues::Packed::Packed(const std::vector<std::int32_t>& list, device::Queue& queue)
    : dofs(std::span(list), queue),
      host(list.size() * kLanes),
      values(host.size(), queue),
      before(host.size(), queue) {}

BoundaryValues::BoundaryValues(const Model& model, device::Queue& queue)
    : model_(model), any_(model.boundary().has_values()) {
    if (any_) {
        fixed_ = Packed(model.boundary().fixed(), queue);
        loaded_ = Packed(model.boundary().loaded(), queue);
    }
}

void BoundaryValues::find_traction(double t_s) {
    const Scales& scales = model_.scales();
    traction_.resize(loaded_.host.size());
    model_.boundary().traction(t_s, scales.modulus_pa * scales.length_m, traction_);
}

void BoundaryValues::send_traction(device::View<double> f, device::Queue& queue) {
    device::upload<double>(loaded_.host, loaded_.values, queue);
    lanes::scatter_items<double>(loaded_.dofs, kLanes, loaded_.values, f, queue);
}

void BoundaryValues::set_traction(double t_s, device::View<double> f, device::Queue& queue) {
    find_traction(t_s);
    loaded_.host = traction_;
    send_traction(f, queue);
}

void BoundaryValues::set_traction_change(double t_s, device::View<double> f, device::Queue& queue) {
    loaded_.host = traction_;
    find_traction(t_s);
    std::ranges::transform(traction_, loaded_.host, loaded_.host.begin(), std::minus<>());
    send_traction(f, queue);
}

void BoundaryValues::set_increment(double t_s, device::View<const double> u,
                                   device::View<double> du, device::Queue& queue) {
    model_.boundary().prescribed(t_s, fixed_.host);
    device::upload<double>(fixed_.host, fixed_.values, queue);
    lanes::gather_items<double>(fixed_.dofs, kLanes, u, fixed_.before, queue);
    lanes::axpby(lanes::all_lanes(-1.0), fixed_.before, lanes::all_lanes(1.0), fixed_.values,
                 queue);
    lanes::scatter_items<double>(fixed_.dofs, kLanes, fixed_.values, du, queue);
}

}  // namespace kaname::viscoelastic
