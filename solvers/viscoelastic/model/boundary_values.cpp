// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/model/boundary_values.hpp"

#include <algorithm>
#include <functional>
#include <string>

#include "solvers/base/error.hpp"
#include "solvers/lanes/bcrs.hpp"
#include "solvers/lanes/blas1.hpp"
#include "solvers/p2/dof_map.hpp"

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

using lanes::kLanes;

device::Buffer<double> point_load(const Model& model, std::span<const PointForce> forces,
                                  device::Queue& queue) {
    if (forces.size() > std::size_t{kLanes}) {
        throw Error(ErrorCode::InvalidArgument, "a pack must have at most " +
                                                    std::to_string(kLanes) + " forces, got " +
                                                    std::to_string(forces.size()));
    }
    std::vector<double> load(model.vector_size(), 0.0);
    for (std::size_t lane = 0; lane < forces.size(); ++lane) {
        const std::int32_t elem = model.local_element(forces[lane].place.tet);
        if (elem < 0) {
            continue;
        }
        const auto shape = p2::shape_tet10(forces[lane].place.barycentric);
        for (int k = 0; k < p2::kNodesPerTet10; ++k) {
            const auto node = static_cast<std::size_t>(model.mesh().conn[elem][k]);
            for (int comp = 0; comp < 3; ++comp) {
                load[(node * 3 + comp) * kLanes + lane] += shape[k] * forces[lane].direction[comp];
            }
        }
    }
    return {std::span<const double>(load), queue};
}

std::vector<ElementOffset> element_offsets(const Model& model, const p2::DofMap& dofs,
                                           const fault::SplitNodes& split, const PackSlip& slip) {
    for (const auto& lane : slip) {
        if (!lane.empty() && lane.size() != split.split.size()) {
            throw Error(ErrorCode::InvalidArgument,
                        "slip must be given at every split node: " + std::to_string(lane.size()) +
                            " for " + std::to_string(split.split.size()));
        }
    }
    std::vector<ElementOffset> offsets;
    std::int32_t last = -1;  // tet of the last offset; those of its faults add up
    for (const fault::SplitElement& element : split.elements) {
        const std::int32_t elem = model.local_element(element.tet);
        if (elem < 0) {
            continue;
        }
        if (element.tet != last) {
            offsets.push_back({elem, {}});
            last = element.tet;
        }
        ElementOffset& offset = offsets.back();
        for (int k = 0; k < p2::kNodesPerTet10; ++k) {
            if (element.side[k] == 0) {
                continue;
            }
            const std::int32_t at = split.index({dofs.conn[element.tet][k], element.fault});
            for (int lane = 0; lane < lanes::kLanes; ++lane) {
                for (int comp = 0; comp < 3 && !slip[lane].empty(); ++comp) {
                    offset.s[k][comp][lane] += 0.5 * element.side[k] * slip[lane][at][comp];
                }
            }
        }
    }
    std::sort(offsets.begin(), offsets.end(),
              [](const ElementOffset& a, const ElementOffset& b) { return a.elem < b.elem; });
    return offsets;
}

}  // namespace kaname::viscoelastic
