// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/geometry/tables_on_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "solvers/base/units.hpp"
#include "solvers/jobs/geometry/slip_description.hpp"
#include "solvers/jobs/geometry/slip_table_in_model.hpp"

namespace kaname::jobs {
namespace {

constexpr double kOpening = 0.01;  // share of the largest slip: a larger opening is named

}  // namespace

TablesOnMesh::TablesOnMesh(const GreensJob& job, const Domain& domain, const MeshFileSpec& spec,
                           const MeshedFault& fault)
    : domain_(domain),
      spec_(spec),
      fault_(fault),
      fault_slip_(fault.mesh, fault.dofs, fault.split, job.structure.materials) {
    const mesh::TetMesh& mesh = fault.mesh;
    for (const MeshFileSpec::Surface& surface : spec_.surfaces) {
        const auto found = std::ranges::find(mesh.faults, surface.name);
        if (found == mesh.faults.end()) {
            throw Error(ErrorCode::InvalidArgument,
                        "the mesh has no fault '" + surface.name + "': it is of another job");
        }
        const auto index = static_cast<std::int32_t>(found - mesh.faults.begin());
        faults_.emplace(surface.name, index);
        fault_nodes_.push_back(fault::fault_nodes(mesh, fault.dofs, index));
    }
}

const SlipSourceSpec& TablesOnMesh::spec_of(const std::string& id) const {
    const auto found = std::ranges::find(spec_.sources, id, &SlipSourceSpec::name);
    if (found == spec_.sources.end()) {
        throw unknown_source(id);
    }
    return *found;
}

TablesOnMesh::Slip TablesOnMesh::slip_at_nodes(const SlipSourceSpec& source) const {
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
        fault::TableSlip slip;
        try {
            slip = fault::slip_of_table(
                slip_table_in_model(table->path, table->field, domain_.optional_projection()),
                fault_nodes_[k], fault_.mesh, fault_.dofs, faults_.at(surface.name), table->reach_m,
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
            result.at.emplace(fault_.split.owner({node, faults_.at(surface.name)}), value);
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

std::vector<Vec3> TablesOnMesh::slip_of(const std::string& id) const {
    const SlipSourceSpec& source = spec_of(id);
    const Slip slip = slip_at_nodes(source);
    try {
        std::vector<Vec3> nodal =
            fault::nodal_slip(fault_.split, fault_.dofs.node_xyz, [&](const fault::FaultNode& at) {
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

io::GreensDataset::Source TablesOnMesh::row(const std::string& id) {
    const std::vector<Vec3> slip = slip_of(id);
    io::GreensDataset::Source row = describe_slip(domain_, fault_, slip, id);
    set_sums(fault_slip_.sums(fault::FaultSlip::amounts(slip)), row);
    supports_.push_back(fault::FaultSlip::support(slip));
    return row;
}

void TablesOnMesh::find_neighbours(std::span<io::GreensDataset::Source> rows) const {
    const auto neighbours = fault_slip_.neighbours(supports_);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i].neighbours = neighbours[i];
    }
}

SlipOnMesh::Taken TablesOnMesh::taken(const std::string& id) const {
    const std::vector<double> amounts = fault::FaultSlip::amounts(slip_of(id));
    const fault::FaultSlip::Sums sums = fault_slip_.sums(amounts);
    return {sums.softer_moment_nm, sums.potency_m3, 0.0, *std::ranges::max_element(amounts)};
}

std::vector<std::string> TablesOnMesh::notes(const std::string& id) const {
    return slip_at_nodes(spec_of(id)).notes;
}

}  // namespace kaname::jobs
