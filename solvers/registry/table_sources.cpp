// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/registry/table_sources.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "solvers/base/units.hpp"
#include "solvers/registry/slip_table_in_model.hpp"

namespace kaname::registry {
namespace {

constexpr double kOpening = 0.01;  // of the largest slip: more is named

}  // namespace

TableSources::TableSources(const GreensJob& job, const Setup& setup, const mesh::TetMesh& mesh,
                           const fem::DofMap& dofs, const sources::SplitNodes& split)
    : spec_(std::get<MeshFileSpec>(job.fault)),
      setup_(setup),
      mesh_(mesh),
      dofs_(dofs),
      split_(split) {
    for (const MeshFileSpec::Surface& surface : spec_.surfaces) {
        const auto found = std::ranges::find(mesh.faults, surface.name);
        if (found == mesh.faults.end()) {
            throw Error(ErrorCode::InvalidArgument,
                        "the mesh has no fault '" + surface.name + "': it is of another job");
        }
        const auto fault = static_cast<std::int32_t>(found - mesh.faults.begin());
        faults_.emplace(surface.name, fault);
        fault_nodes_.push_back(sources::fault_nodes(mesh, dofs, fault));
    }
}

const SlipSourceSpec& TableSources::spec_of(const std::string& source_id) const {
    const auto found = std::ranges::find(spec_.sources, source_id, &SlipSourceSpec::name);
    if (found == spec_.sources.end()) {
        throw Error(ErrorCode::InvalidArgument,
                    "source must be one of the job's, got '" + source_id + "'");
    }
    return *found;
}

TableSources::Slip TableSources::slip_at_nodes(const SlipSourceSpec& source) const {
    Slip result;
    for (std::size_t k = 0; k < spec_.surfaces.size(); ++k) {
        const MeshFileSpec::Surface& surface = spec_.surfaces[k];
        const auto table = std::ranges::find_if(source.tables, [&](const SlipTableSpec& spec) {
            return spec.surface == surface.name ||
                   (spec.surface.empty() && spec_.surfaces.size() == 1);
        });
        if (table == source.tables.end()) {
            continue;
        }
        std::optional<double> strike_rad;
        if (surface.strike_deg) {
            strike_rad = *surface.strike_deg * kDegree;
        }
        sources::TableSlip slip;
        try {
            slip = sources::slip_of_table(
                slip_table_in_model(table->path, table->field, setup_.optional_projection()),
                fault_nodes_[k], mesh_, dofs_, faults_.at(surface.name), table->reach_m,
                strike_rad);
        } catch (const ValidationError&) {
            throw;
        } catch (const Error& error) {
            throw ValidationError({{table->field, "source '" + source.name + "' on '" +
                                                      surface.name + "': " + error.what()}});
        }
        double largest = 0.0;
        for (const auto& [node, value] : slip.slip) {
            largest = std::max(largest, norm(value));
            result.at.emplace(split_.owner({node, faults_.at(surface.name)}), value);
        }
        char text[256];
        if (slip.outside > 0) {
            std::snprintf(text, sizeof text,
                          ": %lld of %zu nodes of '%s' are out of the table's reach, up to %.6g m: "
                          "slip is 0 there",
                          static_cast<long long>(slip.outside), slip.slip.size(),
                          surface.name.c_str(), slip.farthest_m);
            result.notes.push_back(table->field + text);
        }
        if (slip.opening_m > kOpening * largest) {
            std::snprintf(text, sizeof text,
                          ": slip has a part across '%s' of up to %.4g m, which opens or closes it",
                          surface.name.c_str(), slip.opening_m);
            result.notes.push_back(table->field + text);
        }
    }
    return result;
}

std::vector<Vec3> TableSources::slip_of(const std::string& source_id) const {
    const SlipSourceSpec& source = spec_of(source_id);
    const Slip slip = slip_at_nodes(source);
    try {
        std::vector<Vec3> nodal =
            sources::nodal_slip(split_, dofs_.node_xyz, [&](const sources::FaultNode& at) {
                const auto found = slip.at.find(at);
                return found == slip.at.end() ? Vec3{} : found->second;
            });
        if (std::ranges::all_of(nodal, [](const Vec3& s) { return norm(s) == 0.0; })) {
            throw Error(ErrorCode::InvalidArgument,
                        "must slip somewhere: its tables give 0 at every node of the mesh's faults "
                        "that can slip");
        }
        return nodal;
    } catch (const Error& error) {
        throw ValidationError(
            {{source.tables.front().field, "source '" + source.name + "': " + error.what()}});
    }
}

std::vector<std::string> TableSources::notes(const std::string& source_id) const {
    return slip_at_nodes(spec_of(source_id)).notes;
}

}  // namespace kaname::registry
