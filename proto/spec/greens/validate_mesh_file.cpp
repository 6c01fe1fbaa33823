// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>

#include "proto/spec/form/rules.hpp"
#include "proto/spec/greens/checks.hpp"
#include "proto/spec/greens/scenario.hpp"
#include "solvers/base/directions.hpp"

namespace kaname::spec {
namespace {

constexpr std::size_t kMaxSourceName = 63;

bool is_source_name(const std::string& name) {
    const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
    return !name.empty() && name.size() <= kMaxSourceName && plain(name[0]) &&
           std::all_of(name.begin(), name.end(),
                       [&](char c) { return plain(c) || c == '-' || c == '_' || c == '.'; });
}

/// Refuses fields that describe a mesh made by Kaname, which have no meaning beside a mesh file.
void check_absent(const v1::GreensBatch& batch, Rules& rules) {
    const auto absent = [&](const std::string& field, bool given) {
        if (given) {
            rules.fail(field, "must be absent: mesh.file says it");
        }
    };
    const v1::Region& region = batch.region();
    absent("region.size_east_m", region.size_east_m() != 0.0);
    absent("region.size_north_m", region.size_north_m() != 0.0);
    absent("region.depth_m", region.depth_m() != 0.0);
    absent("region.azimuth_deg", region.azimuth_deg() != 0.0);
    absent("structure.layers", !batch.structure().layers().empty());
    absent("structure.below_interface", !batch.structure().below_interface().empty());
    absent("structure.surfaces", !batch.structure().surfaces().empty());
    absent("structure.free_surface", !batch.structure().free_surface().empty());
    absent("structure.volumes", !batch.structure().volumes().empty());
    const v1::Mesh& mesh = batch.mesh();
    absent("mesh.size_at_fault_m", mesh.size_at_fault_m() != 0.0);
    absent("mesh.size_far_m", mesh.size_far_m() != 0.0);
    absent("mesh.growth", mesh.growth() != 0.0);
    absent("mesh.size_at_surface_m", mesh.size_at_surface_m() != 0.0);
    absent("mesh.size_at_stations_m", mesh.size_at_stations_m() != 0.0);
    absent("mesh.sizes_by_depth", !mesh.sizes_by_depth().empty());
    absent("mesh.max_elements", mesh.max_elements() != 0);
    absent("mesh.thinnest_layer", mesh.has_thinnest_layer());
    const v1::Boundaries& sides = batch.boundaries();
    const std::array<bool, kSideCount> given = {sides.has_west(),   sides.has_east(),
                                                sides.has_south(),  sides.has_north(),
                                                sides.has_bottom(), sides.has_top()};
    for (int side = 0; side < kSideCount; ++side) {
        if (given[side]) {
            rules.fail(std::string("boundaries.") + kSideNames[side],
                       "must be absent: with mesh.file, conditions are those of "
                       "boundaries.surfaces");
        }
    }
}

void check_reference_point(const v1::Region& region, Rules& rules) {
    if (region.crs().empty()) {
        rules.place("region.centre_", region.has_centre_lon_deg(), region.centre_lon_deg(),
                    region.has_centre_lat_deg(), region.centre_lat_deg());
        return;
    }
    rules.one_of("region.crs", region.crs(), {"none"});
    if (region.has_centre_lon_deg() || region.has_centre_lat_deg()) {
        rules.fail("region.centre_lon_deg",
                   "must be absent, as must the latitude: region.crs is " + quote(region.crs()));
    }
}

void check_tables(const v1::SlipSource& source, const std::string& path,
                  const std::vector<std::string>& surfaces, Rules& rules) {
    if (source.slip().empty()) {
        rules.fail(path + ".slip", "must have at least one table");
    }
    std::set<std::string> seen;
    for (int index = 0; index < source.slip_size(); ++index) {
        const v1::SlipTable& table = source.slip(index);
        const std::string field = element(path + ".slip", index);
        if (table.file().path().empty()) {
            rules.fail(field + ".file", "must name a file");
        }
        rules.not_negative(field + ".reach_m", table.reach_m());
        if (!table.surface().empty()) {
            rules.one_of(field + ".surface", table.surface(), surfaces);
        } else if (surfaces.size() != 1) {
            rules.fail(field + ".surface", "must be " + join_or(surfaces) + ", got ''");
        }
        if (!seen.insert(table.surface()).second) {
            rules.fail(field + ".surface",
                       "must be unique within the source, got " + quote(table.surface()));
        }
    }
}

void check_surfaces(const v1::GreensBatch& batch, Rules& rules) {
    if (!batch.fault().several().empty()) {
        rules.fail("fault.several",
                   "must be absent: with mesh.file, faults are fault.mesh.surfaces");
    }
    if (!batch.fault().has_mesh()) {
        if (is_scenario(batch) && batch.events().empty()) {
            return;  // sides alone move
        }
        rules.fail("fault", "must be mesh: with mesh.file, faults are surfaces of the file");
        return;
    }
    const v1::MeshFault& fault = batch.fault().mesh();
    if (fault.surfaces().empty()) {
        rules.fail("fault.mesh.surfaces", "must name at least one physical surface");
    }
    std::vector<std::string> surfaces;
    for (int index = 0; index < fault.surfaces_size(); ++index) {
        const v1::MeshSurface& surface = fault.surfaces(index);
        const std::string path = element("fault.mesh.surfaces", index);
        if (surface.name().empty()) {
            rules.fail(path + ".name", "must be given");
        } else if (std::ranges::find(surfaces, surface.name()) != surfaces.end()) {
            rules.fail(path + ".name", "must be unique, got " + quote(surface.name()));
        }
        surfaces.push_back(surface.name());
        if (surface.has_strike_deg()) {
            rules.in_range(path + ".strike_deg", surface.strike_deg(), -360.0, 360.0);
        }
    }
    if (is_scenario(batch)) {
        if (!fault.sources().empty()) {
            rules.fail("fault.mesh.sources", "must be left out of a scenario: events have slip");
        }
    } else if (fault.sources().empty() || fault.sources_size() > kMaxSources) {
        rules.fail("fault.mesh.sources", "must be 1 to " + std::to_string(kMaxSources) +
                                             " sources, got " +
                                             std::to_string(fault.sources_size()));
    }
    std::set<std::string> names;
    for (int index = 0; index < fault.sources_size(); ++index) {
        const v1::SlipSource& source = fault.sources(index);
        const std::string path = element("fault.mesh.sources", index);
        if (!is_source_name(source.name())) {
            rules.fail(path + ".name",
                       "must be 1 to 63 of a-z 0-9 - _ . and begin with a letter or digit, got " +
                           quote(source.name()));
        } else if (!names.insert(source.name()).second) {
            rules.fail(path + ".name", "must be unique, got " + quote(source.name()));
        }
        check_tables(source, path, surfaces, rules);
    }
}

void check_boundary_surfaces(const v1::Boundaries& boundaries, Rules& rules) {
    std::set<std::string> seen;
    bool held = false;
    for (int index = 0; index < boundaries.surfaces_size(); ++index) {
        const v1::MeshBoundary& boundary = boundaries.surfaces(index);
        const std::string path = element("boundaries.surfaces", index);
        if (boundary.name().empty()) {
            rules.fail(path + ".name", "must be given");
        } else if (!seen.insert(boundary.name()).second) {
            rules.fail(path + ".name", "must be unique, got " + quote(boundary.name()));
        }
        const bool has_kind = boundary.kind() != v1::BoundarySide::KIND_UNSPECIFIED;
        const bool has_data = boundary.has_displacement() || boundary.has_traction();
        if (has_kind && !boundary.fixed().empty()) {
            rules.fail(path, "must have one of kind and fixed, got both");
        } else if (!has_kind && boundary.fixed().empty() && !has_data) {
            rules.fail(path,
                       "must have kind (free, fixed or roller), fixed (a list of east, north, up), "
                       "displacement or traction");
        }
        held = held || !boundary.fixed().empty() || boundary.has_displacement() ||
               boundary.kind() == v1::BoundarySide::KIND_FIXED ||
               boundary.kind() == v1::BoundarySide::KIND_ROLLER;
    }
    if (!held) {
        rules.fail("boundaries.surfaces",
                   "leave the model free to move: fix a surface, or components on several");
    }
}

}  // namespace

void check_mesh_file(const v1::GreensBatch& batch, Rules& rules) {
    if (batch.mesh().file().path().empty()) {
        rules.fail("mesh.file", "must name a file");
    }
    if (!batch.mesh().length_unit().empty()) {
        rules.one_of("mesh.length_unit", batch.mesh().length_unit(), {"m", "km"});
    }
    check_absent(batch, rules);
    check_reference_point(batch.region(), rules);
    check_surfaces(batch, rules);
    check_boundary_surfaces(batch.boundaries(), rules);
}

void check_no_mesh_file(const v1::GreensBatch& batch, Rules& rules) {
    const auto needs_file = [&](const std::string& field, bool given) {
        if (given) {
            rules.fail(field, "must be absent without mesh.file");
        }
    };
    needs_file("region.crs", !batch.region().crs().empty());
    needs_file("fault.mesh", batch.fault().has_mesh());
    needs_file("mesh.top", !batch.mesh().top().empty());
    needs_file("mesh.length_unit", !batch.mesh().length_unit().empty());
    needs_file("boundaries.surfaces", !batch.boundaries().surfaces().empty());
}

}  // namespace kaname::spec
