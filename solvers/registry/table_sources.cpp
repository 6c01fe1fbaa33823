// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/registry/table_sources.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "solvers/base/units.hpp"
#include "solvers/registry/dataset_places.hpp"

namespace kaname::registry {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kOpening = 0.01;  // of the largest slip: more is named

/// East and north of the globe at a place to those of the grid.
Vec3 to_grid(const Vec3& v, double convergence) {
    const double c = std::cos(convergence), s = std::sin(convergence);
    return {c * v.x + s * v.y, -s * v.x + c * v.y, v.z};
}

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

sources::SlipTable TableSources::table_in_model(const SlipTableSpec& spec) const {
    sources::SlipTable table = sources::read_slip_table(spec.path);
    if (!table.geographic) {
        return table;
    }
    if (!setup_.projected()) {
        throw ValidationError(
            {{spec.field, "must have the columns x_m and y_m: region.crs is none"}});
    }
    for (std::size_t k = 0; k < table.places.size(); ++k) {
        const earth::LonLat at{table.places[k].x, table.places[k].y};
        const auto map = setup_.projection().forward(at);
        table.places[k] = {map.x_m, map.y_m, table.places[k].z};
        if (!table.by_components) {
            table.slip[k] = to_grid(table.slip[k], setup_.projection().convergence(at));
        }
    }
    table.geographic = false;
    return table;
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
            slip = sources::slip_of_table(table_in_model(*table), fault_nodes_[k], mesh_, dofs_,
                                          faults_.at(surface.name), table->reach_m, strike_rad);
        } catch (const ValidationError&) {
            throw;
        } catch (const Error& error) {
            throw ValidationError({{table->field, "source '" + source.name + "' on '" +
                                                      surface.name + "': " + error.what()}});
        }
        double largest = 0.0;
        for (const auto& [node, value] : slip.slip) {
            largest = std::max(largest, norm(value));
            result.at.emplace(node, value);
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
        return sources::nodal_slip(split_, dofs_.node_xyz, [&](std::int32_t node) {
            const auto found = slip.at.find(node);
            return found == slip.at.end() ? Vec3{} : found->second;
        });
    } catch (const Error& error) {
        throw ValidationError(
            {{source.tables.front().field, "source '" + source.name + "': " + error.what()}});
    }
}

std::vector<std::string> TableSources::notes(const std::string& source_id) const {
    return slip_at_nodes(spec_of(source_id)).notes;
}

io::GreensDataset::Source TableSources::describe(const std::string& source_id) const {
    const std::vector<Vec3> slip = slip_of(source_id);
    // The middle and mean normal of the slip, weighted by its amount.
    Vec3 centre, normal;
    double sum = 0.0;
    for (std::size_t k = 0; k < slip.size(); ++k) {
        const double weight = norm(slip[k]);
        centre += weight * dofs_.node_xyz[split_.split[k]];
        normal += weight * split_.normal[k];
        sum += weight;
    }
    io::GreensDataset::Source row;
    row.id = row.patch_id = source_id;
    row.component = "slip";
    row.rake_deg = row.strike_deg = kNaN;
    if (!(sum > 0.0) || !(norm(normal) > 0.0)) {
        return row;
    }
    centre = (1.0 / sum) * centre;
    normal = normalized(normal);
    Vec3 strike = {-normal.y, normal.x, 0.0};
    strike = norm(strike) > std::sin(kDegree) ? normalized(strike) : Vec3{0.0, 1.0, 0.0};
    strike = normalized(strike - dot(strike, normal) * normal);
    const Vec3 down_dip = cross(strike, normal);
    double low_s = 0.0, high_s = 0.0, low_d = 0.0, high_d = 0.0;
    Vec3 mean;
    for (std::size_t k = 0; k < slip.size(); ++k) {
        mean += (1.0 / sum) * slip[k];
        if (norm(slip[k]) > 0.0) {
            const Vec3 off = dofs_.node_xyz[split_.split[k]] - centre;
            low_s = std::min(low_s, dot(off, strike));
            high_s = std::max(high_s, dot(off, strike));
            low_d = std::min(low_d, dot(off, down_dip));
            high_d = std::max(high_d, dot(off, down_dip));
        }
    }
    row.rake_deg = std::atan2(-dot(mean, down_dip), dot(mean, strike)) / kDegree;
    row.dip_deg = std::acos(std::clamp(normal.z, -1.0, 1.0)) / kDegree;
    row.length_m = high_s - low_s;
    row.width_m = high_d - low_d;
    set_centre(setup_, centre, row);
    row.strike_deg = true_azimuth_deg(setup_, strike, centre);
    const std::array<Vec3, 4> corners = {
        centre + low_s * strike + low_d * down_dip, centre + high_s * strike + low_d * down_dip,
        centre + high_s * strike + high_d * down_dip, centre + low_s * strike + high_d * down_dip};
    for (int corner = 0; corner < 4; ++corner) {
        set_corner(setup_, corner, corners[corner], row);
    }
    return row;
}

}  // namespace kaname::registry
