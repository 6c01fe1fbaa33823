// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/greens/describe.hpp"

#include <algorithm>
#include <set>

#include "proto/spec/form/canonical.hpp"
#include "proto/spec/greens/slip_places.hpp"
#include "solvers/base/sha256.hpp"

namespace kaname::spec {
namespace {

bool relaxes(const v1::Structure& structure) {
    const auto viscous = [](const auto& of) { return of.has_viscosity_pa_s(); };
    return std::ranges::any_of(structure.materials(), viscous) ||
           std::ranges::any_of(structure.volumes(), [&](const v1::StructureVolume& volume) {
               return viscous(volume.profile()) || viscous(volume.columns());
           });
}

std::vector<std::string> faults_of(const v1::GreensBatch& batch) {
    std::set<std::string> faults;
    const v1::Fault& fault = batch.fault();
    const auto add_kind = [&](const auto& one) {
        if (one.has_plane()) {
            faults.insert("plane");
        } else if (one.has_interface()) {
            faults.insert("interface");
        }
    };
    add_kind(fault);
    for (const v1::NamedFault& named : fault.several()) {
        add_kind(named);
        faults.insert(named.name());
    }
    if (fault.has_mesh()) {
        faults.insert("mesh");
        for (const v1::MeshSurface& surface : fault.mesh().surfaces()) {
            faults.insert(surface.name());
        }
    }
    if (faults.empty() && !batch.events().empty()) {
        faults.insert("slip_model");
    }
    return {faults.begin(), faults.end()};
}

std::optional<GeoBox> place_of(const LoadedSpec& spec) {
    const v1::Region& region = spec.batch.region();
    if (!region.crs().empty() && !region.has_centre_lon_deg()) {
        return std::nullopt;
    }
    std::vector<GeoPoint> points;
    for (const LonLat& at : places_of_slip(spec.batch).at) {
        points.push_back({at.lon_deg, at.lat_deg});
    }
    if (points.empty() && region.has_centre_lon_deg() && region.has_centre_lat_deg()) {
        points.push_back({region.centre_lon_deg(), region.centre_lat_deg()});
    }
    for (const SpecStation& station : spec.stations) {
        if (!station.plain) {
            points.push_back({station.lon_deg, station.lat_deg});
        }
    }
    return geo_box_of(points);
}

}  // namespace

Description describe(const LoadedSpec& spec) {
    Description found;
    found.physics = relaxes(spec.batch.structure()) && spec.batch.time().end_s() > 0.0
                        ? "viscoelastic"
                        : "elastic";
    found.faults = faults_of(spec.batch);
    found.structure_sha256 = sha256_hex(canonical_text(spec.batch.structure()));
    std::set<std::string> stations;
    for (const SpecStation& station : spec.stations) {
        stations.insert(station.id);
    }
    found.stations.assign(stations.begin(), stations.end());
    found.place = place_of(spec);
    return found;
}

}  // namespace kaname::spec
