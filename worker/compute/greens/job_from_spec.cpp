// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/greens/job_from_spec.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>
#include <utility>

#include "proto/spec/boundary_sources.hpp"
#include "proto/spec/plan.hpp"
#include "proto/spec/scenario.hpp"
#include "proto/spec/volumes.hpp"
#include "solvers/base/error.hpp"
#include "worker/compute/greens/material_from_spec.hpp"
#include "worker/compute/greens/scenario_from_spec.hpp"
#include "worker/compute/greens/volumes_from_spec.hpp"

namespace kaname::compute {
namespace {

using Names = std::map<std::string, int>;

std::string indexed(const std::string& list, int i) {
    std::string path = list;
    path.append("[").append(std::to_string(i)).append("]");
    return path;
}

[[noreturn]] void reject(const std::string& field, const std::string& message) {
    throw ValidationError(std::vector<Violation>{{field, message}});
}

jobs::RegionSpec region_of(const v1::Region& region) {
    return {region.centre_lon_deg(), region.centre_lat_deg(), region.size_east_m(),
            region.size_north_m(),   region.depth_m(),        region.azimuth_deg(),
            region.crs().empty()};
}

template <class Layers>
std::vector<earth::Layer> layers_of(const Layers& layers, const Names& materials,
                                    const std::string& list) {
    std::vector<earth::Layer> result;
    for (int i = 0; i < layers.size(); ++i) {
        const auto found = materials.find(layers[i].material());
        if (found == materials.end()) {
            reject(indexed(list, i) + ".material",
                   "must name a material, got '" + layers[i].material() + "'");
        }
        earth::Layer layer{found->second, std::nullopt};
        if (layers[i].has_bottom_depth_m()) {
            layer.bottom_depth_m = layers[i].bottom_depth_m();
        }
        result.push_back(layer);
    }
    return result;
}

earth::LayeredStructure structure_of(const v1::Structure& structure) {
    earth::LayeredStructure result;
    if (spec::has_volumes(structure)) {
        return result;  // build_volumes() knows its materials
    }
    Names names;
    for (int i = 0; i < structure.materials_size(); ++i) {
        names.emplace(structure.materials(i).name(), i);
        result.materials.push_back(
            material_of(structure.materials(i), indexed("structure.materials", i)));
    }
    result.layers = layers_of(structure.layers(), names, "structure.layers");
    result.below_interface =
        layers_of(structure.below_interface(), names, "structure.below_interface");
    return result;
}

jobs::InterfaceSpec interface_of(const v1::Interface& interface) {
    const v1::PatchGrid& patches = interface.patches();
    jobs::InterfaceSpec result;
    result.of = interface.of();
    result.surface_path = interface.surface().path();
    result.min_depth_m = interface.min_depth_m();
    result.max_depth_m = interface.max_depth_m();
    result.smoothing_length_m = interface.smoothing_length_m();
    result.reaches_surface = interface.top() == v1::Interface::TOP_SURFACE;
    result.origin_lon_deg = patches.origin_lon_deg();
    result.origin_lat_deg = patches.origin_lat_deg();
    result.strike_deg = patches.strike_deg();
    result.n_strike = static_cast<int>(patches.n_strike());
    result.n_dip = static_cast<int>(patches.n_dip());
    result.spacing_strike_m = patches.spacing_strike_m();
    result.spacing_dip_m = patches.spacing_dip_m();
    result.hat =
        patches.hat() == v1::PatchGrid::HAT_BICUBIC ? fault::Hat::Bicubic : fault::Hat::Bilinear;
    return result;
}

jobs::PlaneSpec plane_of(const v1::Plane& plane) {
    jobs::PlaneSpec result;
    result.centre_lon_deg = plane.centre_lon_deg();
    result.centre_lat_deg = plane.centre_lat_deg();
    result.top_depth_m = plane.top_depth_m();
    result.strike_deg = plane.strike_deg();
    result.dip_deg = plane.dip_deg();
    result.length_m = plane.length_m();
    result.width_m = plane.width_m();
    result.n_strike = plane.n_strike() == 0 ? 1 : static_cast<int>(plane.n_strike());
    result.n_dip = plane.n_dip() == 0 ? 1 : static_cast<int>(plane.n_dip());
    return result;
}

jobs::SeveralFaultsSpec several_of(const v1::Fault& fault) {
    jobs::SeveralFaultsSpec result;
    for (int k = 0; k < fault.several_size(); ++k) {
        const v1::NamedFault& named = fault.several(k);
        auto& made = result.faults.emplace_back();
        made.name = named.name();
        made.field = indexed("fault.several", k);
        if (named.has_plane()) {
            made.fault = plane_of(named.plane());
        } else {
            made.fault = interface_of(named.interface());
        }
    }
    return result;
}

std::vector<jobs::SlipTableSpec> tables_of(const v1::SlipSource& source, const std::string& path) {
    std::vector<jobs::SlipTableSpec> tables;
    for (int k = 0; k < source.slip_size(); ++k) {
        tables.push_back({source.slip(k).surface(), source.slip(k).file().path(),
                          source.slip(k).reach_m(), indexed(path + ".slip", k)});
    }
    return tables;
}

using spec::kComponents;

jobs::MeshBoundarySpec boundary_of(const v1::MeshBoundary& boundary, const std::string& field) {
    const bool all = boundary.kind() == v1::BoundarySide::KIND_FIXED;
    jobs::MeshBoundarySpec result{boundary.name(), field};
    result.roller = boundary.kind() == v1::BoundarySide::KIND_ROLLER;
    for (int comp = 0; comp < 3; ++comp) {
        result.fixed[comp] =
            all || std::ranges::find(boundary.fixed(), kComponents[comp]) != boundary.fixed().end();
    }
    return result;
}

jobs::MeshFileSpec mesh_file_of(const v1::GreensBatch& spec, const spec::Plan& plan) {
    jobs::MeshFileSpec result;
    result.path = spec.mesh().file().path();
    result.top = spec.mesh().top();
    result.length_unit = spec.mesh().length_unit();
    const v1::MeshFault& fault = spec.fault().mesh();
    for (int k = 0; k < fault.surfaces_size(); ++k) {
        jobs::MeshFileSpec::Surface surface{fault.surfaces(k).name(),
                                            indexed("fault.mesh.surfaces", k)};
        if (fault.surfaces(k).has_strike_deg()) {
            surface.strike_deg = fault.surfaces(k).strike_deg();
        }
        result.surfaces.push_back(std::move(surface));
    }
    for (int k = 0; k < fault.sources_size(); ++k) {
        const v1::SlipSource& source = fault.sources(k);
        result.sources.push_back({source.name(),
                                  tables_of(source, indexed("fault.mesh.sources", k)),
                                  plan.sources.at(static_cast<std::size_t>(k)).slip_key});
    }
    for (int k = 0; k < spec.boundaries().surfaces_size(); ++k) {
        result.boundaries.push_back(
            boundary_of(spec.boundaries().surfaces(k), indexed("boundaries.surfaces", k)));
    }
    return result;
}

std::string rake_name(double rake_deg) {
    char text[40];
    std::snprintf(text, sizeof(text), "rake_%.12g", rake_deg);
    return text;
}

template <class Strings>
std::vector<jobs::ComponentSpec> named_components(const Strings& names, const std::string& list) {
    const jobs::ComponentSpec strike_slip{"strike_slip", 0.0};
    const jobs::ComponentSpec dip_slip{"dip_slip", 90.0};
    if (names.empty()) {
        return {strike_slip, dip_slip};
    }
    std::vector<jobs::ComponentSpec> result;
    for (int i = 0; i < names.size(); ++i) {
        if (names[i] != strike_slip.name && names[i] != dip_slip.name) {
            reject(indexed(list, i), "must be strike_slip or dip_slip, got '" + names[i] + "'");
        }
        result.push_back(names[i] == strike_slip.name ? strike_slip : dip_slip);
    }
    return result;
}

std::vector<jobs::ComponentSpec> components_of(const v1::Fault& fault) {
    if (fault.has_interface()) {
        return named_components(fault.interface().patches().components(),
                                "fault.interface.patches.components");
    }
    if (fault.plane().rake_deg().empty()) {
        return named_components(fault.plane().components(), "fault.plane.components");
    }
    std::vector<jobs::ComponentSpec> result;
    for (const double rake_deg : fault.plane().rake_deg()) {
        result.push_back({rake_name(rake_deg), rake_deg});
    }
    return result;
}

std::vector<jobs::StationSpec> stations_of(const std::vector<spec::SpecStation>& stations) {
    std::vector<jobs::StationSpec> result;
    for (const spec::SpecStation& station : stations) {
        result.push_back({station.id, station.lon_deg, station.lat_deg, station.depth_m,
                          station.field, station.x_m, station.y_m});
    }
    return result;
}

jobs::BoundaryKind boundary_of(const v1::BoundarySide& side, jobs::BoundaryKind fallback) {
    switch (side.kind()) {
        case v1::BoundarySide::KIND_FREE:
            return jobs::BoundaryKind::Free;
        case v1::BoundarySide::KIND_FIXED:
            return jobs::BoundaryKind::Fixed;
        case v1::BoundarySide::KIND_ROLLER:
            return jobs::BoundaryKind::Roller;
        default:
            return fallback;
    }
}

void set_sides(const v1::Boundaries& sides, jobs::GreensJob& job) {
    const jobs::BoundaryKind kinds[6] = {boundary_of(sides.west(), jobs::BoundaryKind::Fixed),
                                         boundary_of(sides.east(), jobs::BoundaryKind::Fixed),
                                         boundary_of(sides.south(), jobs::BoundaryKind::Fixed),
                                         boundary_of(sides.north(), jobs::BoundaryKind::Fixed),
                                         boundary_of(sides.bottom(), jobs::BoundaryKind::Fixed),
                                         boundary_of(sides.top(), jobs::BoundaryKind::Free)};
    std::copy(std::begin(kinds), std::end(kinds), std::begin(job.boundary));
}

/// Numbers of one message, or its file, for the components that it names.
template <class Data>
jobs::BoundaryDataSpec data_of(const Data& data, const double (&numbers)[3],
                               const std::string& field) {
    jobs::BoundaryDataSpec result;
    result.field = field;
    result.reach_m = data.reach_m();
    if (data.has_file()) {
        result.path = data.file().path();
    }
    const std::vector<std::string> named = spec::components_of(data);
    for (int comp = 0; comp < 3; ++comp) {
        result.given[comp] = std::ranges::find(named, kComponents[comp]) != named.end();
        result.value[comp] = numbers[comp];
    }
    return result;
}

void set_boundaries(const v1::GreensBatch& spec, jobs::GreensJob& job) {
    set_sides(spec.boundaries(), job);
    const std::vector<spec::BoundaryData> all = spec::boundary_data(spec.boundaries());
    for (const spec::BoundaryData& place : all) {
        for (int comp = 0; comp < 3 && !spec.mesh().has_file(); ++comp) {
            job.side_fixed[place.index][comp] =
                std::ranges::find(*place.fixed, kComponents[comp]) != place.fixed->end();
        }
    }
    for (const spec::BoundarySource& source : spec::boundary_sources(spec)) {
        jobs::BoundarySourceSpec& made = job.boundary_sources.emplace_back();
        made.id = source.id;
        made.key = source.key;
        made.history.kind = source.time.kind();
        made.history.duration_s = source.time.duration_s();
        made.history.times_s.assign(source.time.times_s().begin(), source.time.times_s().end());
        made.history.slip.assign(source.time.factors().begin(), source.time.factors().end());
        for (const int k : source.places) {
            const spec::BoundaryData& place = all[static_cast<std::size_t>(k)];
            made.sides += (made.sides.empty() ? "" : "+") + place.name;
            const auto add = [&](jobs::BoundaryDataSpec data, bool traction) {
                data.name = place.name;
                data.place = place.index;
                data.traction = traction;
                data.source = static_cast<int>(job.boundary_sources.size()) - 1;
                job.boundary_data.push_back(std::move(data));
            };
            if (const v1::SideDisplacement* d = place.displacement) {
                add(data_of(*d, {d->east_m(), d->north_m(), d->up_m()},
                            place.field + ".displacement"),
                    false);
            }
            if (const v1::SideTraction* t = place.traction) {
                add(data_of(*t, {t->east_pa(), t->north_pa(), t->up_pa()},
                            place.field + ".traction"),
                    true);
            }
        }
    }
    // Where sides meet, the later one decides: in the order of the specification.
    std::ranges::stable_sort(job.boundary_data, {}, &jobs::BoundaryDataSpec::place);
}

void set_numerics(const v1::GreensBatch& spec, jobs::GreensJob& job) {
    job.size_at_fault_m = spec.mesh().size_at_fault_m();
    job.size_far_m = spec.mesh().size_far_m();
    job.growth = spec.mesh().growth();
    job.layers_above = static_cast<int>(spec.mesh().layers_above());
    job.layers_below = static_cast<int>(spec.mesh().layers_below());
    job.step_s = spec.time().step_s();
    job.end_s = spec.time().end_s();
    job.alpha = spec.time().alpha();
    job.time_method = spec.time().method();
    job.spectrum_tolerance = spec.time().spectrum_tolerance();
    job.max_step_s = spec.time().max_step_s();
    job.epochs_s.assign(spec.time().epochs_s().begin(), spec.time().epochs_s().end());
    job.slip_history = history_of(spec.slip_history());
    job.method = spec.solver().method();
    job.predictor = spec.solver().predictor();
    job.element = spec.solver().element();
    job.buoyancy = spec.gravity() == "buoyancy";
    job.tolerance = spec.solver().tolerance();
    job.max_iterations = static_cast<int>(spec.solver().max_iterations());
    job.snap_tolerance_m = spec.output().snap_tolerance_m();
}

}  // namespace

jobs::GreensJob job_from_spec(const spec::LoadedSpec& loaded, std::string specification_json) {
    const v1::GreensBatch& spec = loaded.batch;
    jobs::GreensJob job;
    job.name = spec.name();
    job.title = spec.description().empty() ? spec.name() : spec.description();
    job.region = region_of(spec.region());
    job.structure = structure_of(spec.structure());
    if (spec::has_volumes(spec)) {
        job.volumes = volumes_of(spec.structure());
    }
    job.sizes = volume_sizes_of(spec.mesh());
    const spec::Plan plan = spec::make_plan(loaded);
    if (!spec.fault().several().empty()) {
        job.fault = several_of(spec.fault());
    } else if (spec.fault().has_interface()) {
        job.fault = interface_of(spec.fault().interface());
    } else if (spec.fault().has_plane()) {
        job.fault = plane_of(spec.fault().plane());
    } else if (spec.fault().has_mesh()) {
        job.fault = mesh_file_of(spec, plan);
    } else if (spec::is_scenario(spec)) {
        job.fault = jobs::PlaneOfSlipModel{};
    } else {
        reject("fault", "must give interface, plane or mesh");
    }
    if (spec::is_scenario(spec)) {
        job.scenario = scenario_of(spec, plan);
    } else if (!spec.fault().has_mesh()) {
        job.components = components_of(spec.fault());
    }
    job.stations = stations_of(loaded.stations);
    set_boundaries(spec, job);
    set_numerics(spec, job);
    job.store_surface = spec.output().surface() != spec::kSurfaceNone;
    if (!spec.output().checkpoint().empty()) {
        job.checkpoint.mode = spec.output().checkpoint();
    }
    if (spec.output().has_checkpoint_interval_s()) {
        job.checkpoint.interval_s = spec.output().checkpoint_interval_s();
    }
    job.specification_json = std::move(specification_json);
    job.solve_key = plan.compat_key;
    job.version = KANAME_VERSION;
    return job;
}

}  // namespace kaname::compute
