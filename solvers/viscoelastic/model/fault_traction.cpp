// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/model/fault_traction.hpp"

#include <algorithm>

#include "solvers/lanes/bcrs.hpp"
#include "solvers/lanes/blas1.hpp"
#include "solvers/p2/dof_map.hpp"
#include "solvers/viscoelastic/kernels/p2_vertex_body.hpp"
#include "solvers/viscoelastic/model/nodal_stress.hpp"

namespace kaname::viscoelastic {

using lanes::kLanes;

namespace {

void gradients_of(const ElementGeometry& geometry, double (&G)[3][3]) {
    std::copy_n(&geometry.grad[0][0], 9, &G[0][0]);
}

/// force = int B^T sigma of one lane; s: vertex values, times V/20 afterwards.
template <class Force>
void add_force(double (&s)[4][6], const ElementGeometry& geometry, int lane, Force& force) {
    double G[3][3];
    gradients_of(geometry, G);
    for (auto& vertex : s) {
        for (double& value : vertex) {
            value *= geometry.volume / 20.0;
        }
    }
    double f[p2::kNodesPerTet10][3] = {};
    add_element_force(s, G, f);
    for (int k = 0; k < p2::kNodesPerTet10; ++k) {
        for (int comp = 0; comp < 3; ++comp) {
            force[k][comp][lane] += f[k][comp];
        }
    }
}

}  // namespace

FaultTraction::FaultTraction(const Model& model, const p2::DofMap& dofs,
                             const fault::SplitNodes& split, device::Queue& queue)
    : model_(model),
      dofs_(dofs),
      split_(split),
      unrelaxed_(model.relaxed_to(std::vector<Share>(model.materials().size()))) {
    for (const fault::SplitElement& element : split.elements) {
        if (const std::int32_t elem = model.local_element(element.tet); elem >= 0) {
            elements_.push_back(elem);
        }
    }
    std::ranges::sort(elements_);
    elements_.erase(std::unique(elements_.begin(), elements_.end()), elements_.end());
    for (const std::int32_t elem : elements_) {
        nodes_.insert(nodes_.end(), model.mesh().conn[elem].begin(), model.mesh().conn[elem].end());
    }
    std::ranges::sort(nodes_);
    nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
    for (const std::int32_t elem : elements_) {
        std::ranges::transform(model.mesh().conn[elem], place_.emplace_back().begin(),
                               [&](std::int32_t node) {
                                   const auto found = std::ranges::lower_bound(nodes_, node);
                                   return static_cast<std::int32_t>(found - nodes_.begin());
                               });
    }
    for (const fault::SplitElement& element : split.elements) {
        const std::int32_t elem = model.local_element(element.tet);
        for (int k = 0; k < p2::kNodesPerTet10 && elem >= 0; ++k) {
            if (element.side[k] != 0) {
                const auto found = std::ranges::lower_bound(elements_, elem);
                halves_.push_back({static_cast<std::size_t>(found - elements_.begin()), k,
                                   split.index({dofs.conn[element.tet][k], element.fault}),
                                   0.5 * element.side[k]});
            }
        }
    }
    nodes_on_queue_ = {std::span<const std::int32_t>(nodes_), queue};
    packed_ = device::Buffer<double>(nodes_.size() * lanes::kVectorWidth, queue);
    v_.resize(packed_.size());
}

void FaultTraction::fetch(device::View<const double> v, device::Queue& queue) {
    lanes::gather_items<double>(nodes_on_queue_, lanes::kVectorWidth, v, packed_, queue);
    device::download<double>(packed_, v_, queue);
}

/// bulk (C v) / volume at the vertices of the elements [elements_][4][4]; empty without pressure
/// nodes.
std::vector<double> FaultTraction::pressure(const ElementModuli& moduli,
                                            device::View<const double> v, device::Queue& queue) {
    if (!moduli.nodal()) {
        return {};
    }
    const PressureNodes& nodes = *model_.pressure_nodes();
    NodalMean mean(model_, queue);
    device::Buffer<double> theta((std::size_t(nodes.size()) + 1) * kLanes, queue);
    mean.strain({}, v, theta, queue);
    std::vector<std::int32_t> items;
    for (const std::int32_t elem : elements_) {
        items.insert(items.end(), nodes.conn[elem].begin(), nodes.conn[elem].end());
    }
    device::Buffer<double> packed(items.size() * kLanes, queue);
    lanes::gather_items<double>(device::Mirror<std::int32_t>(items, queue), kLanes,
                                device::View<const double>(theta), packed, queue);
    std::vector<double> pressure(packed.size());
    device::download<double>(packed, pressure, queue);
    for (std::size_t i = 0; i < pressure.size(); ++i) {
        const std::int32_t node = items[i / kLanes];
        pressure[i] *= node < nodes.size() ? moduli.nodal_bulk[node] : 0.0;
    }
    return pressure;
}

std::vector<double> FaultTraction::of(const ElementModuli& moduli, device::View<const double> v,
                                      comm::Comm& comm, device::Queue& queue) {
    fetch(v, queue);
    const std::vector<double> p = pressure(moduli, v, queue);
    std::vector<Force> force(elements_.size());
    for (std::size_t e = 0; e < elements_.size(); ++e) {
        const std::int32_t elem = elements_[e];
        const ElementGeometry& geometry = model_.geometry()[elem];
        double G[3][3];
        gradients_of(geometry, G);
        force[e] = {};
        for (int lane = 0; lane < kLanes; ++lane) {
            double u[p2::kNodesPerTet10][3];
            for (int k = 0; k < p2::kNodesPerTet10; ++k) {
                for (int comp = 0; comp < 3; ++comp) {
                    u[k][comp] = at(e, k)[comp * kLanes + lane];
                }
            }
            double s[4][6];
            element_stress(u, G, moduli.lam[elem], moduli.mu[elem], s);
            for (int k = 0; k < 4 && !p.empty(); ++k) {
                for (int comp = 0; comp < 3; ++comp) {
                    s[k][comp] += p[(e * 4 + k) * kLanes + lane];
                }
            }
            add_force(s, geometry, lane, force[e]);
        }
    }
    if (moduli.buoyant) {
        add_weight(force);
    }
    return gathered(force, comm);
}

std::vector<double> FaultTraction::of_stress(std::span<const double> stress,
                                             device::View<const double> v, comm::Comm& comm,
                                             device::Queue& queue) {
    fetch(v, queue);
    std::vector<Force> force(elements_.size());
    for (std::size_t e = 0; e < elements_.size(); ++e) {
        force[e] = {};
        for (int lane = 0; lane < kLanes; ++lane) {
            double s[4][6];
            for (int c = 0; c < kStressNumbers; ++c) {
                s[c / 6][c % 6] = stress[e * kStressPerElement + std::size_t(c) * kLanes + lane];
            }
            add_force(s, model_.geometry()[elements_[e]], lane, force[e]);
        }
    }
    if (model_.buoyancy()) {
        add_weight(force);
    }
    return gathered(force, comm);
}

std::vector<double> FaultTraction::observe(device::View<const double> u,
                                           std::span<const ElementOffset> /*offsets*/,
                                           comm::Comm& comm, device::Queue& queue) {
    return of(unrelaxed_, u, comm, queue);
}

/// Adds the forces by which gravity's springs hold back the elements' faces.
void FaultTraction::add_weight(std::vector<Force>& force) const {
    for (const Buoyancy::Face& face : model_.buoyancy()->faces()) {
        const auto found = std::ranges::lower_bound(elements_, face.elem);
        if (found == elements_.end() || *found != face.elem) {
            continue;
        }
        const auto e = static_cast<std::size_t>(found - elements_.begin());
        const auto nodes = p2::face_nodes(face.face);
        for (int i = 0; i < 6; ++i) {
            for (int j = 0; j < 6; ++j) {
                for (int lane = 0; lane < kLanes; ++lane) {
                    force[e][nodes[i]][2][lane] +=
                        face.weight * kFaceMass[i][j] * at(e, nodes[j])[2 * kLanes + lane];
                }
            }
        }
    }
}

std::vector<double> FaultTraction::gathered(const std::vector<Force>& force,
                                            comm::Comm& comm) const {
    std::vector<double> result(n_nodes() * lanes::kVectorWidth, 0.0);
    for (const Half& half : halves_) {
        const auto& of = force[half.elem][half.node];
        double* to = result.data() + std::size_t(half.split) * lanes::kVectorWidth;
        for (int i = 0; i < lanes::kVectorWidth; ++i) {
            to[i] -= half.half * of[i / kLanes][i % kLanes];
        }
    }
    comm.sum(std::span<double>(result));
    return result;
}

std::vector<std::uint8_t> FaultTraction::materials(comm::Comm& comm) const {
    std::vector<double> any(model_.materials().size(), 0.0);
    for (const std::int32_t elem : elements_) {
        any[model_.mesh().material[elem]] = 1.0;
    }
    comm.max(std::span<double>(any));
    return {any.begin(), any.end()};
}

std::vector<double> FaultTraction::own_offset(const PointForce& force) const {
    std::vector<double> result(n_nodes() * 3, 0.0);
    const auto shape = p2::shape_tet10(force.place.barycentric);
    for (const fault::SplitElement& element : split_.of_tet(force.place.tet)) {
        for (int k = 0; k < p2::kNodesPerTet10; ++k) {
            const std::int32_t at = element.side[k] == 0
                                        ? -1
                                        : split_.index({dofs_.conn[element.tet][k], element.fault});
            for (int comp = 0; comp < 3 && at >= 0; ++comp) {
                result[std::size_t(at) * 3 + comp] +=
                    0.5 * element.side[k] * shape[k] * force.direction[comp];
            }
        }
    }
    return result;
}

}  // namespace kaname::viscoelastic
