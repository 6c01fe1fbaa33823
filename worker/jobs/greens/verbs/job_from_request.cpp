// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>
#include <utility>

#include "proto/request/greens/boundary.hpp"
#include "proto/request/greens/defaults.hpp"
#include "proto/request/greens/load.hpp"
#include "proto/request/greens/plan.hpp"
#include "proto/request/greens/scenario.hpp"
#include "proto/request/greens/slip_places.hpp"
#include "proto/request/greens/unit_sources.hpp"
#include "proto/request/greens/volumes.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/vec3.hpp"
#include "worker/jobs/frame/from_request.hpp"
#include "worker/jobs/frame/values_file.hpp"
#include "worker/jobs/greens/verbs/verbs.hpp"

namespace kaname::compute {
namespace {

slip_model::SlipPatch patch_of(const v1::SlipRectangle& rectangle, int index) {
    slip_model::SlipPatch patch;
    patch.id = std::to_string(index + 1);
    patch.lon_deg = rectangle.lon_deg();
    patch.lat_deg = rectangle.lat_deg();
    patch.depth_m = rectangle.depth_m();
    patch.length_m = rectangle.length_m();
    patch.width_m = rectangle.width_m();
    patch.strike_deg = rectangle.strike_deg();
    patch.dip_deg = rectangle.dip_deg();
    patch.rake_deg = rectangle.rake_deg();
    patch.slip_m = rectangle.slip_m();
    patch.opening_m = rectangle.opening_m();
    return patch;
}

jobs::SlipModelSource model_of(const v1::SlipEvent& model) {
    jobs::SlipModelSource result;
    result.path = model.slip_model().path();
    for (int k = 0; k < model.patches_size(); ++k) {
        result.patches.push_back(patch_of(model.patches(k), k));
    }
    result.format = model.format();
    if (model.interpolation() != "auto") {
        result.interpolation = model.interpolation() == "constant"
                                   ? slip_model::Interpolation::Constant
                                   : slip_model::Interpolation::Bilinear;
    }
    result.max_distance_m = model.max_distance_m();
    result.read = request::read_options(model);
    result.read.format = {};  // named by the words, which know points too
    if (model.has_moment()) {
        const v1::MomentTensor& m = model.moment();
        result.moment = {model.at().lon_deg(),
                         model.at().lat_deg(),
                         model.at().depth_m(),
                         {m.xx_n_m(), m.yy_n_m(), m.zz_n_m(), m.yz_n_m(), m.xz_n_m(), m.xy_n_m()}};
    }
    if (model.has_origin()) {
        const v1::SlipOrigin& origin = model.origin();
        result.origin = {origin.lon_deg(), origin.lat_deg(), origin.x_m(), origin.y_m()};
    }
    return result;
}

jobs::CoulombReceiver receiver_of(const v1::Receiver& receiver) {
    jobs::CoulombReceiver result;
    result.name = receiver.name();
    result.strike_deg = receiver.strike_deg();
    result.dip_deg = receiver.dip_deg();
    result.rake_deg = receiver.rake_deg();
    result.friction = receiver.friction();
    result.skempton = receiver.skempton();
    if (receiver.has_lon_deg()) {
        result.at = {receiver.lon_deg(), receiver.lat_deg(), receiver.depth_m()};
    }
    return result;
}

}  // namespace

jobs::Scenario scenario_of(const v1::GreensBatch& batch, const request::Plan& plan) {
    jobs::Scenario result;
    result.total_id = request::kTotal;
    const request::SlipModels models = request::slip_models(batch);
    for (std::size_t k = 0; k < models.model.size(); ++k) {
        jobs::SlipModelSource model = model_of(models.model[k]);
        model.id = models.name[k];
        model.field = "events[" + std::to_string(models.first_event[k]) +
                      (model.moment         ? "].at"
                       : model.path.empty() ? "].patches"
                                            : "].slip_model");
        model.key = plan.sources.at(k).slip_key;
        result.models.push_back(std::move(model));
    }
    for (int k = 0; k < batch.events_size(); ++k) {
        const v1::SlipEvent& event = batch.events(k);
        result.events.push_back(
            {event.name(), models.of_event[k], event.time_s(), event.scale(),
             history_of(event.history(), "events[" + std::to_string(k) + "].history"),
             static_cast<int>(event.repeats()), event.interval_s()});
    }
    const v1::Volume& volume = batch.output().volume();
    result.volume.epochs_s.assign(volume.epochs_s().begin(), volume.epochs_s().end());
    for (const v1::Receiver& receiver : volume.receivers()) {
        result.volume.receivers.push_back(receiver_of(receiver));
    }
    return result;
}

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

jobs::Region region_of(const v1::Region& region) {
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
    if (request::has_volumes(structure)) {
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

fault::Hat hat_of(v1::PatchGrid::Hat hat) {
    if (hat == v1::PatchGrid::HAT_BILINEAR) {
        return fault::Hat::Bilinear;
    }
    if (hat == v1::PatchGrid::HAT_BICUBIC) {
        return fault::Hat::Bicubic;
    }
    reject("fault.interface.patches.hat", "must be bilinear or bicubic");
}

jobs::InterfaceGeometry interface_of(const v1::Interface& interface) {
    const v1::PatchGrid& patches = interface.patches();
    jobs::InterfaceGeometry result;
    result.of = interface.of();
    result.surface_path = interface.surface().path();
    result.min_depth_m = interface.min_depth_m();
    result.max_depth_m = interface.max_depth_m();
    result.smoothing_length_m = interface.smoothing_length_m();
    result.reaches_surface = interface.top() == v1::Interface::TOP_SURFACE;
    result.origin_lon_deg = patches.origin_lon_deg();
    result.origin_lat_deg = patches.origin_lat_deg();
    result.strike_deg = patches.strike_deg();
    result.spacing_strike_m = patches.spacing_strike_m();
    result.spacing_dip_m = patches.spacing_dip_m();
    if (interface.has_patches()) {
        result.hat = hat_of(patches.hat());
    }
    return result;
}

jobs::PlaneGeometry plane_of(const v1::Plane& plane) {
    jobs::PlaneGeometry result;
    result.centre_lon_deg = plane.centre_lon_deg();
    result.centre_lat_deg = plane.centre_lat_deg();
    result.top_depth_m = plane.top_depth_m();
    result.strike_deg = plane.strike_deg();
    result.dip_deg = plane.dip_deg();
    result.length_m = plane.length_m();
    result.width_m = plane.width_m();
    for (const std::string& edge : plane.open_edges()) {
        (edge == "start" ? result.open.start
         : edge == "end" ? result.open.end
                         : result.open.bottom) = true;
    }
    return result;
}

jobs::FaultsInOneMesh several_of(const v1::Fault& fault) {
    jobs::FaultsInOneMesh result;
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

std::vector<jobs::SurfaceSlip> tables_of(const v1::SlipSource& source, const std::string& path) {
    std::vector<jobs::SurfaceSlip> tables;
    for (int k = 0; k < source.slip_size(); ++k) {
        tables.push_back({source.slip(k).surface(), source.slip(k).file().path(),
                          source.slip(k).reach_m(), indexed(path + ".slip", k)});
    }
    return tables;
}

jobs::MeshBoundary boundary_of(const v1::MeshBoundary& boundary, const std::string& field) {
    const bool all = boundary.kind() == v1::BoundarySide::KIND_FIXED;
    jobs::MeshBoundary result{boundary.name(), field};
    result.roller = boundary.kind() == v1::BoundarySide::KIND_ROLLER;
    for (int comp = 0; comp < 3; ++comp) {
        result.fixed[comp] =
            all || std::ranges::find(boundary.fixed(), kDirections[comp]) != boundary.fixed().end();
    }
    return result;
}

jobs::MeshFileFaults mesh_file_of(const v1::GreensBatch& batch, const request::Plan& plan) {
    jobs::MeshFileFaults result;
    result.path = batch.mesh().file().path();
    result.top = batch.mesh().top();
    result.length_unit = batch.mesh().length_unit();
    const v1::MeshFault& fault = batch.fault().mesh();
    for (int k = 0; k < fault.surfaces_size(); ++k) {
        jobs::MeshFileFaults::Surface surface{fault.surfaces(k).name(),
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
    for (int k = 0; k < batch.boundaries().surfaces_size(); ++k) {
        result.boundaries.push_back(
            boundary_of(batch.boundaries().surfaces(k), indexed("boundaries.surfaces", k)));
    }
    return result;
}

jobs::FaultPatches patches_of(request::UnitSources made) {
    jobs::FaultPatches result{made.n_strike, made.n_dip, {}, {}};
    for (request::UnitPatch& patch : made.patches) {
        result.patches.push_back({std::move(patch.id), patch.column, patch.row});
    }
    for (request::UnitSource& source : made.sources) {
        result.sources.push_back({std::move(source.id), source.patch,
                                  std::move(source.component.name), source.component.rake_deg});
    }
    return result;
}

std::vector<jobs::Station> stations_of(const std::vector<request::RequestStation>& stations) {
    std::vector<jobs::Station> result;
    for (const request::RequestStation& station : stations) {
        result.push_back({station.id, station.lon_deg, station.lat_deg, station.depth_m,
                          station.field, station.x_m, station.y_m});
        if (station.look) {
            const auto& [east, north, up] = *station.look;
            result.back().look = Vec3{east, north, up};
        }
    }
    return result;
}

jobs::BoundaryKind kind_of(const v1::BoundarySide& side, const char* name) {
    switch (side.kind()) {
        case v1::BoundarySide::KIND_FREE:
            return jobs::BoundaryKind::Free;
        case v1::BoundarySide::KIND_FIXED:
            return jobs::BoundaryKind::Fixed;
        case v1::BoundarySide::KIND_ROLLER:
            return jobs::BoundaryKind::Roller;
        default:
            reject(std::string("boundaries.") + name + ".kind", "must be free, fixed or roller");
    }
}

/// The conditions of a box.
void set_sides(const v1::Boundaries& boundaries, jobs::BoundaryConditions& made) {
    const v1::BoundarySide* const sides[kSideCount] = {&boundaries.west(),   &boundaries.east(),
                                                       &boundaries.south(),  &boundaries.north(),
                                                       &boundaries.bottom(), &boundaries.top()};
    for (int side = 0; side < kSideCount; ++side) {
        made.kind[side] = kind_of(*sides[side], kSideNames[side]);
    }
    for (const request::BoundaryData& place : request::boundary_data(boundaries)) {
        for (int comp = 0; comp < 3; ++comp) {
            made.fixed[place.index][comp] =
                std::ranges::find(*place.fixed, kDirections[comp]) != place.fixed->end();
        }
    }
}

/// Numbers of one message, or its file, for the components that it names.
template <class Data>
jobs::PrescribedSide data_of(const Data& data, const double (&numbers)[3],
                             const std::string& field) {
    jobs::PrescribedSide result;
    result.field = field;
    result.reach_m = data.reach_m();
    if (data.has_file()) {
        result.path = data.file().path();
    }
    const std::vector<std::string> named = request::components_of(data);
    for (int comp = 0; comp < 3; ++comp) {
        result.given[comp] = std::ranges::find(named, kDirections[comp]) != named.end();
        result.value[comp] = numbers[comp];
    }
    return result;
}

jobs::BoundarySource source_of(const request::BoundarySource& source) {
    jobs::BoundarySource made;
    made.id = source.id;
    made.key = source.key;
    made.history.kind = choice_from<jobs::HistoryKind>(source.time.kind(), "boundaries.time.kind");
    made.history.duration_s = source.time.duration_s();
    made.history.times_s.assign(source.time.times_s().begin(), source.time.times_s().end());
    made.history.slip.assign(source.time.factors().begin(), source.time.factors().end());
    return made;
}

jobs::BoundaryConditions boundaries_of(const v1::GreensBatch& batch) {
    jobs::BoundaryConditions result;
    if (!batch.mesh().has_file()) {
        set_sides(batch.boundaries(), result);
    }
    const std::vector<request::BoundaryData> all = request::boundary_data(batch.boundaries());
    for (const request::BoundarySource& source : request::boundary_sources(batch)) {
        jobs::BoundarySource& made = result.sources.emplace_back(source_of(source));
        for (const int k : source.places) {
            const request::BoundaryData& place = all[static_cast<std::size_t>(k)];
            made.sides += (made.sides.empty() ? "" : "+") + place.name;
            const auto add = [&](jobs::PrescribedSide data, bool traction) {
                data.name = place.name;
                data.place = place.index;
                data.traction = traction;
                data.source = static_cast<int>(result.sources.size()) - 1;
                result.data.push_back(std::move(data));
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
    // Where sides meet, the later one decides: in the order of the request.
    std::ranges::stable_sort(result.data, {}, &jobs::PrescribedSide::place);
    return result;
}

jobs::MeshOptions mesh_of(const v1::Mesh& mesh) {
    return {mesh.size_at_fault_m(), mesh.size_far_m(), mesh.growth(), volume_sizes_of(mesh)};
}

jobs::TimeOptions time_of(const v1::Time& time) {
    return {choice_from<jobs::TimeMethod>(time.method(), "time.method"),
            time.step_s(),
            time.max_step_s(),
            time.end_s(),
            time.alpha(),
            time.spectrum_tolerance(),
            {time.epochs_s().begin(), time.epochs_s().end()}};
}

jobs::SolverOptions solver_of(const v1::Solver& solver) {
    return {choice_from<jobs::SolverMethod>(solver.method(), "solver.method"),
            choice_from<jobs::ElementChoice>(solver.element(), "solver.element"),
            choice_from<jobs::PredictorKind>(solver.predictor(), "solver.predictor"),
            solver.tolerance(), static_cast<int>(solver.max_iterations())};
}

jobs::OutputOptions output_of(const v1::Output& output) {
    jobs::OutputOptions result;
    result.snap_tolerance_m = output.snap_tolerance_m();
    result.surface = output.surface() != request::kSurfaceNone;
    const std::string& mode = output.checkpoint();
    result.checkpoint.mode = choice_from<jobs::CheckpointMode>(
        mode.empty() ? request::kDefaultCheckpoint : mode, "output.checkpoint");
    if (output.has_checkpoint_interval_s()) {
        result.checkpoint.interval_s = output.checkpoint_interval_s();
    }
    return result;
}

jobs::FaultGeometry fault_of(const v1::GreensBatch& batch, const request::Plan& plan) {
    if (!batch.fault().several().empty()) {
        return several_of(batch.fault());
    }
    if (batch.fault().has_interface()) {
        return interface_of(batch.fault().interface());
    }
    if (batch.fault().has_plane()) {
        return plane_of(batch.fault().plane());
    }
    if (batch.fault().has_mesh() || batch.mesh().has_file()) {
        return mesh_file_of(batch, plan);
    }
    if (request::is_scenario(batch)) {
        return jobs::PlaneOfSlipModel{};
    }
    reject("fault", "must give interface, plane or mesh");
}

}  // namespace

jobs::GreensJob job_from_request(const request::LoadedBatch& loaded,
                                 std::string specification_json) {
    const v1::GreensBatch& batch = loaded.batch;
    jobs::GreensJob job;
    job.name = batch.name();
    job.title = batch.description().empty() ? batch.name() : batch.description();
    job.region = region_of(batch.region());
    job.structure = structure_of(batch.structure());
    if (request::has_volumes(batch)) {
        job.volumes = volumes_of(batch.structure());
    }
    const request::Plan plan = request::make_plan(loaded);
    job.fault = fault_of(batch, plan);
    if (request::is_scenario(batch)) {
        job.scenario = scenario_of(batch, plan);
    } else if (!batch.fault().has_mesh()) {
        std::vector<request::UnitSources> sources = request::unit_sources(batch.fault());
        if (auto* several = std::get_if<jobs::FaultsInOneMesh>(&job.fault)) {
            for (std::size_t k = 0; k < sources.size(); ++k) {
                several->faults.at(k).patches = patches_of(std::move(sources[k]));
            }
        } else {
            job.patches = patches_of(std::move(sources.front()));
        }
    }
    job.slip_history = history_of(batch.slip_history(), "slip_history");
    job.boundaries = boundaries_of(batch);
    job.stations = stations_of(loaded.stations);
    job.mesh = mesh_of(batch.mesh());
    job.time = time_of(batch.time());
    job.solver = solver_of(batch.solver());
    job.buoyancy = batch.gravity() == "buoyancy";
    job.output = output_of(batch.output());
    job.by_receivers = request::by_receivers(batch);
    job.specification_json = std::move(specification_json);
    job.solve_key = plan.compat_key;
    job.version = KANAME_VERSION;
    return job;
}

}  // namespace kaname::compute
