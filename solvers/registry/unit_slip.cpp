// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/registry/unit_slip.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "solvers/sources/patch_load.hpp"

namespace kaname::registry {
namespace {

constexpr double kNothing = 1e-6;  // of the slip asked for: what the projection swings far away

}  // namespace

UnitSlip::UnitSlip(const Setup& setup, const mesh::TetMesh& mesh, const fem::DofMap& dofs,
                   const sources::SplitNodes& split)
    : setup_(setup),
      dofs_(dofs),
      split_(split),
      triangles_(sources::fault_triangles(mesh, dofs, split)),
      projection_(triangles_, split.split.size()) {
    if (setup.sources().empty()) {
        return;
    }
    std::unordered_map<std::int32_t, sources::FaultCoordinates> found;
    const auto at = [&](std::int32_t node) {
        const auto [entry, missing] = found.try_emplace(node);
        if (missing) {
            entry->second = setup.fault().coordinates(dofs.node_xyz[node]);
        }
        return entry->second;
    };
    for (const sources::FaultTriangle& triangle : triangles_) {
        std::ranges::transform(triangle.nodes, coordinates_.emplace_back().begin(), at);
    }
    for (const sources::FaultNode& node : split.split) {
        normal_.push_back(setup.fault().normal(at(node.node)));
    }
    for (const sources::FaultNode& node : split.rim) {
        rim_at_.push_back(at(node.node));
    }
}

std::vector<double> UnitSlip::amount(const sources::Patch& patch) const {
    const std::size_t n = split_.split.size();
    if (setup_.uniform_slip()) {
        return std::vector<double>(n, 1.0);
    }
    for (std::size_t k = 0; k < rim_at_.size(); ++k) {
        sources::require_stuck(patch.shape(rim_at_[k]), 1.0, dofs_.node_xyz[split_.rim[k].node]);
    }
    std::vector<double> amount =
        projection_.solve(sources::patch_load(triangles_, coordinates_, n, patch));
    for (double& value : amount) {
        value = std::abs(value) > kNothing ? value : 0.0;
    }
    return amount;
}

std::vector<Vec3> UnitSlip::of(const sources::UnitSource& source) const {
    const std::vector<double> amount = this->amount(source.patch);
    const Vec3 direction = source.direction(setup_.fault());
    std::vector<Vec3> slip(amount.size());
    for (std::size_t k = 0; k < amount.size(); ++k) {
        if (amount[k] != 0.0) {
            slip[k] = amount[k] * source.in_surface(direction, normal_[k]);
        }
    }
    return slip;
}

}  // namespace kaname::registry
