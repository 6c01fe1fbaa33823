// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/registry/unit_slip.hpp"

namespace kaname::registry {

UnitSlip::UnitSlip(const Setup& setup, const sources::SplitNodes& split, const fem::DofMap& dofs)
    : setup_(setup), split_(split), dofs_(dofs) {
    if (setup.sources().empty()) {
        return;
    }
    for (const auto* nodes : {&split.split, &split.rim}) {
        for (const sources::FaultNode& at : *nodes) {
            at_.emplace(at.node, setup.fault().coordinates(dofs.node_xyz[at.node]));
        }
    }
}

std::vector<Vec3> UnitSlip::of(sources::UnitSource source) const {
    if (!setup_.uniform_slip()) {
        return sources::nodal_slip(split_, dofs_.node_xyz, [&](const sources::FaultNode& at) {
            return source.slip_at(setup_.fault(), at_.at(at.node));
        });
    }
    // The meshed fault is wider than the patch by the rim's correction and slips everywhere.
    source.patch.length_m *= 2.0;
    source.patch.width_m *= 2.0;
    std::vector<Vec3> slip;
    slip.reserve(split_.split.size());
    for (const sources::FaultNode& at : split_.split) {
        slip.push_back(source.slip_at(setup_.fault(), at_.at(at.node)));
    }
    return slip;
}

}  // namespace kaname::registry
