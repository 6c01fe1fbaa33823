// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/model/nodal_stress.hpp"

#include <algorithm>

#include "solvers/lanes/blas1.hpp"
#include "solvers/viscoelastic/model/relaxation.hpp"

namespace kaname::viscoelastic {

using lanes::kLanes;

namespace {

std::size_t pressure_vector_size(const PressureNodes& nodes) {
    return (std::size_t(nodes.size()) + 1) * kLanes;
}

/// [n + 1], one number of the step's per pressure node, the last zero.
template <class Number>
device::Buffer<double> per_node(const StepModuli& step, const Number& number,
                                device::Queue& queue) {
    std::vector<double> result;
    for (const MaterialStep& of : step.nodal) {
        result.push_back(number(of));
    }
    result.push_back(0.0);
    return {std::span<const double>(result), queue};
}

/// [n + 1], the last zero.
device::Buffer<double> padded(std::span<const double> values, device::Queue& queue) {
    std::vector<double> result(values.begin(), values.end());
    result.push_back(0.0);
    return {std::span<const double>(result), queue};
}

device::Buffer<double> per_volume(const PressureNodes& nodes, device::Queue& queue) {
    std::vector<double> result(nodes.volume.size());
    std::transform(nodes.volume.begin(), nodes.volume.end(), result.begin(),
                   [](double volume) { return 1.0 / volume; });
    return padded(result, queue);
}

}  // namespace

NodalMean::NodalMean(const Model& model, device::Queue& queue)
    : data_(model.elements(queue).data()),
      size_(model.pressure_nodes()->size()),
      conn_(model.pressure_nodes()->conn, queue),
      halo_(model.pressure_nodes()->halo, queue),
      per_volume_(per_volume(*model.pressure_nodes(), queue)) {}

void NodalMean::strain(device::View<const ElementOffset> offsets, device::View<const double> u,
                       device::View<double> theta, device::Queue& queue) {
    lanes::fill<double>(0.0, theta, queue);
    dilatation({data_, conn_, size_, offsets, u, theta}, queue);
    halo_.sum(theta.first(std::size_t(size_) * kLanes), kLanes, queue);
    lanes::scale_items<double>(per_volume_, theta, queue);
}

void NodalMean::add_force(device::View<const double> pressure, device::View<double> f,
                          device::Queue& queue) {
    pressure_force({data_, conn_, size_, pressure, f}, queue);
}

void nodal_offset_force(const Model& model, const ElementModuli& moduli,
                        device::View<const ElementOffset> offsets, device::View<double> f,
                        device::Queue& queue) {
    if (!moduli.nodal()) {
        return;
    }
    NodalMean mean(model, queue);
    device::Buffer<double> pressure(pressure_vector_size(*model.pressure_nodes()), queue);
    mean.strain(offsets, {}, pressure, queue);
    lanes::scale_items<double>(padded(moduli.nodal_bulk, queue), pressure, queue);
    mean.add_force(pressure, f, queue);
}

NodalStress::NodalStress(const Model& model, device::Queue& queue)
    : nodes_(model.pressure_nodes()),
      second_anywhere_(std::ranges::any_of(model.materials(), [](const earth::Material& material) {
          return n_branches(material) == 2;
      })) {
    if (!nodes_) {
        return;
    }
    mean_.emplace(model, queue);
    for (const std::int32_t material : nodes_->material) {
        kappa_on_host_.push_back(model.materials()[material].kappa_pa() /
                                 model.scales().modulus_pa);
    }
    kappa_ = padded(kappa_on_host_, queue);
    for (auto* buffer : {&theta_, &q_, &change_}) {
        *buffer = device::Buffer<double>(pressure_vector_size(*nodes_), queue);
    }
    const bool second = std::ranges::any_of(nodes_->material, [&](std::int32_t material) {
        return n_branches(model.materials()[material]) == 2;
    });
    if (second) {
        q_second_ = device::Buffer<double>(pressure_vector_size(*nodes_), queue);
        work_ = device::Buffer<double>(pressure_vector_size(*nodes_), queue);
    }
}

void NodalStress::clear(device::Queue& queue) {
    for (auto* buffer : {&theta_, &q_, &q_second_}) {
        lanes::fill<double>(0.0, *buffer, queue);
    }
}

void NodalStress::zero_lane(int lane, device::Queue& queue) {
    for (auto* buffer : {&theta_, &q_, &q_second_}) {
        lanes::zero_lane<double>(lane, *buffer, queue);
    }
}

void NodalStress::set_step(const StepModuli& step, device::Queue& queue) {
    if (!nodes_) {
        return;
    }
    using Of = const MaterialStep&;
    share_ = per_node(
        step, [](Of of) { return of.share; }, queue);
    relax_ = per_node(
        step, [](Of of) { return of.relax; }, queue);
    kept_ = per_node(
        step, [](Of of) { return 1.0 - of.relax; }, queue);
    if (q_second_.size() > 0) {
        second_share_ = per_node(
            step, [](Of of) { return of.second_share; }, queue);
        second_extra_ = per_node(
            step, [](Of of) { return of.second_relax - of.relax; }, queue);
        second_kept_ = per_node(
            step, [](Of of) { return 1.0 - of.second_relax; }, queue);
    }
}

void NodalStress::add_force(device::View<double> f, device::Queue& queue) {
    if (!nodes_) {
        return;
    }
    find_relaxing(queue);
    lanes::axpby(lanes::kMinusOnes, q_, lanes::kOnes, change_, queue);
    lanes::axpby(lanes::kOnes, theta_, lanes::kOnes, change_, queue);
    push(f, queue);
}

void NodalStress::add_relaxation(device::View<double> f, device::Queue& queue) {
    if (!nodes_) {
        return;
    }
    find_relaxing(queue);
    push(f, queue);
}

/// change = relax q + (relax_2 - relax) q_2
void NodalStress::find_relaxing(device::Queue& queue) {
    lanes::axpby(lanes::kOnes, q_, {}, change_, queue);
    lanes::scale_items<double>(relax_, change_, queue);
    if (q_second_.size() > 0) {
        lanes::axpby(lanes::kOnes, q_second_, {}, work_, queue);
        lanes::scale_items<double>(second_extra_, work_, queue);
        lanes::axpby(lanes::kOnes, work_, lanes::kOnes, change_, queue);
    }
}

/// The force of the pressure kappa change.
void NodalStress::push(device::View<double> f, device::Queue& queue) {
    lanes::scale_items<double>(kappa_, change_, queue);
    mean_->add_force(change_, f, queue);
}

void NodalStress::update(device::View<const ElementOffset> grown, device::View<const double> du,
                         device::Queue& queue) {
    if (!nodes_) {
        return;
    }
    mean_->strain(grown, du, change_, queue);
    lanes::axpby(lanes::kOnes, change_, lanes::kOnes, theta_, queue);
    lanes::scale_items<double>(kept_, q_, queue);
    if (q_second_.size() > 0) {
        update_second(queue);
    }
    lanes::scale_items<double>(share_, change_, queue);
    lanes::axpby(lanes::kOnes, change_, lanes::kOnes, q_, queue);
}

/// q -= (relax_2 - relax) q_2, then q_2 += share_2 g_2 dTheta - relax_2 q_2; dTheta in change_.
void NodalStress::update_second(device::Queue& queue) {
    lanes::axpby(lanes::kOnes, q_second_, {}, work_, queue);
    lanes::scale_items<double>(second_extra_, work_, queue);
    lanes::axpby(lanes::kMinusOnes, work_, lanes::kOnes, q_, queue);
    lanes::axpby(lanes::kOnes, change_, {}, work_, queue);
    lanes::scale_items<double>(second_share_, work_, queue);
    lanes::scale_items<double>(second_kept_, q_second_, queue);
    lanes::axpby(lanes::kOnes, work_, lanes::kOnes, q_second_, queue);
}

void NodalStress::exchange(StateArchive& state, device::Queue& queue) {
    if (!nodes_) {
        return;
    }
    const auto items = [&](const char* name, device::Buffer<double>& values) {
        state.items(name, nodes_->gid, 1, values.view().first(nodes_->gid.size() * kLanes), queue);
    };
    items("nodal_dilatation", theta_);
    items("nodal_relaxed", q_);
    if (second_anywhere_) {  // zero at nodes without a second branch, also where none is kept
        lanes::fill<double>(0.0, change_, queue);
        items("nodal_relaxed_second", q_second_.size() > 0 ? q_second_ : change_);
    }
}

void NodalStress::add_to_stress(std::span<double> stress, std::span<const std::int32_t> elements,
                                device::Queue& queue) const {
    if (!nodes_) {
        return;
    }
    std::vector<double> theta(theta_.size());
    std::vector<double> q(q_.size());
    device::download<double>(theta_, theta, queue);
    device::download<double>(q_, q, queue);
    const std::size_t none = nodes_->size();
    for (std::size_t of = 0; of < elements.size(); ++of) {
        for (int k = 0; k < 4; ++k) {
            const std::size_t v = nodes_->conn[elements[of]][k];
            for (int lane = 0; lane < kLanes && v != none; ++lane) {
                const std::size_t at = v * kLanes + lane;
                const double pressure = kappa_on_host_[v] * (theta[at] - q[at]);
                for (int c = 0; c < 3; ++c) {
                    stress[of * kStressPerElement + (k * 6 + c) * kLanes + lane] += pressure;
                }
            }
        }
    }
}

}  // namespace kaname::viscoelastic
