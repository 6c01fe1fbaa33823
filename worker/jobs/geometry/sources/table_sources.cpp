// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/geometry/sources/table_sources.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "worker/jobs/geometry/sources/slip_description.hpp"

namespace kaname::jobs {

std::vector<std::string> TableSources::ids() const {
    std::vector<std::string> ids;
    for (const SlipSource& source : mesh_file_.sources) {
        ids.push_back(source.name);
    }
    return ids;
}

std::string TableSources::content_key(const std::string& id) const {
    const auto found = std::ranges::find(mesh_file_.sources, id, &SlipSource::name);
    return found == mesh_file_.sources.end() ? "" : found->key;
}

std::unique_ptr<SlipOnMesh> TableSources::on(const MeshedFault& fault) const {
    return std::make_unique<TablesOnMesh>(job_, domain_, mesh_file_, fault);
}

namespace {

constexpr double kOpening = 0.01;  // share of the largest slip: a larger opening is named

}  // namespace

TablesOnMesh::TablesOnMesh(const GreensJob& job, const Domain& domain,
                           const MeshFileFaults& mesh_file, const MeshedFault& fault)
    : domain_(domain),
      mesh_file_(mesh_file),
      fault_(fault),
      fault_slip_(fault.mesh, fault.dofs, fault.split, job.structure.materials) {
    const mesh::TetMesh& mesh = fault.mesh;
    for (const MeshFileFaults::Surface& surface : mesh_file_.surfaces) {
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

const SlipSource& TablesOnMesh::source_of(const std::string& id) const {
    const auto found = std::ranges::find(mesh_file_.sources, id, &SlipSource::name);
    if (found == mesh_file_.sources.end()) {
        throw unknown_source(id);
    }
    return *found;
}

TablesOnMesh::Slip TablesOnMesh::slip_at_nodes(const SlipSource& source) const {
    Slip result;
    for (std::size_t k = 0; k < mesh_file_.surfaces.size(); ++k) {
        const MeshFileFaults::Surface& surface = mesh_file_.surfaces[k];
        const auto table = std::ranges::find_if(source.tables, [&](const SurfaceSlip& slip) {
            return slip.surface == surface.name ||
                   (slip.surface.empty() && mesh_file_.surfaces.size() == 1);
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
    const SlipSource& source = source_of(id);
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
    return slip_at_nodes(source_of(id)).notes;
}

Vec3 to_grid(const Vec3& v, double convergence) {
    const double c = std::cos(convergence), s = std::sin(convergence);
    return {c * v.x + s * v.y, -s * v.x + c * v.y, v.z};
}

fault::SlipTable slip_table_in_model(const std::string& path, const std::string& field,
                                     const std::optional<earth::Projection>& projection) {
    fault::SlipTable table = fault::read_slip_table(path);
    if (!table.geographic) {
        return table;
    }
    if (!projection) {
        throw ValidationError({{field, "must have the columns x_m and y_m: region.crs is none"}});
    }
    for (std::size_t k = 0; k < table.places.size(); ++k) {
        const earth::LonLat at{table.places[k].x, table.places[k].y};
        const auto map = projection->forward(at);
        table.places[k] = {map.x_m, map.y_m, table.places[k].z};
        if (!table.by_components) {
            table.slip[k] = to_grid(table.slip[k], projection->convergence(at));
        }
    }
    table.geographic = false;
    return table;
}

}  // namespace kaname::jobs
