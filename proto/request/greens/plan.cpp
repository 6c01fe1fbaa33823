// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/greens/plan.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "proto/request/form/json.hpp"
#include "proto/request/form/text.hpp"
#include "proto/request/form/yaml_reader.hpp"
#include "proto/request/greens/boundary.hpp"
#include "proto/request/greens/greens_kind.hpp"
#include "proto/request/greens/load.hpp"
#include "proto/request/greens/scenario.hpp"
#include "proto/request/greens/unit_sources.hpp"
#include "proto/request/greens/volumes.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"

namespace kaname::request {
namespace {

/// Raised by hand when the numbers that the same request leads to change.
constexpr int kNumericsVersion = 6;
/// Version of what a dataset holds beside the results (docs/user/dataset.md): with another version
/// it is made anew.
constexpr int kDatasetVersion = 3;

std::string key_of(const std::string& stage, const std::string& content) {
    return sha256_hex(stage + ' ' + std::to_string(kNumericsVersion) + '\n' + content);
}

/// Clears how the patches of a Fault or of one of its NamedFaults slip.
template <class Fault>
void clear_directions(Fault& fault) {
    if (fault.has_interface()) {
        fault.mutable_interface()->mutable_patches()->clear_components();
    } else if (fault.has_plane()) {
        fault.mutable_plane()->clear_components();
        fault.mutable_plane()->clear_rake_deg();
    }
}

/// Returns the part of the batch that shapes the mesh.
v1::GreensBatch mesh_part(const v1::GreensBatch& batch) {
    v1::GreensBatch part;
    *part.mutable_region() = batch.region();
    *part.mutable_structure() = batch.structure();
    for (v1::Material& material : *part.mutable_structure()->mutable_materials()) {
        const std::string name = material.name();
        material.Clear();
        material.set_name(name);
    }
    for (v1::StructureVolume& volume : *part.mutable_structure()->mutable_volumes()) {
        if (volume.has_profile()) {
            volume.mutable_profile()->clear_viscosity_pa_s();
            volume.mutable_profile()->clear_viscosity_range_pa_s();
        }
        if (volume.has_columns()) {
            volume.mutable_columns()->clear_viscosity_pa_s();
            volume.mutable_columns()->clear_viscosity_range_pa_s();
        }
    }
    *part.mutable_fault() = batch.fault();
    if (part.fault().has_mesh()) {
        part.mutable_fault()->mutable_mesh()->clear_sources();
        for (const v1::MeshBoundary& boundary : batch.boundaries().surfaces()) {
            part.mutable_boundaries()->add_surfaces()->set_name(boundary.name());
        }
    }
    clear_directions(*part.mutable_fault());
    if (part.fault().has_plane() && by_receivers(batch)) {
        v1::Plane& plane = *part.mutable_fault()->mutable_plane();
        if (plane.n_strike() * plane.n_dip() > 1) {
            // The mesh of several patches is that of the rectangle, however many they are.
            plane.set_n_strike(2);
            plane.set_n_dip(2);
        }
    }
    for (v1::NamedFault& named : *part.mutable_fault()->mutable_several()) {
        clear_directions(named);
    }
    if (!batch.mesh().has_file()) {
        // The fault is meshed where a model slips.
        for (const v1::SlipEvent& model : slip_models(batch).model) {
            *part.add_events() = model;
            if (model.has_moment()) {
                part.mutable_events()->rbegin()->mutable_moment()->Clear();
            }
        }
        // Planes that nearly touch are meshed apart, but for snapshots of the volume.
        if (is_scenario(batch) && !batch.output().volume().epochs_s().empty()) {
            part.mutable_output()->mutable_volume()->add_epochs_s(0.0);
        }
    }
    *part.mutable_mesh() = batch.mesh();
    part.mutable_mesh()->clear_max_elements();  // refuses a mesh, shapes none
    return part;
}

std::string text_of(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.12g", value);
    return text;
}

/// Where stations are, one line each, in an order of its own.
class Places {
public:
    void add(const RequestStation& station) {
        const double east = station.plain ? station.x_m : station.lon_deg;
        const double north = station.plain ? station.y_m : station.lat_deg;
        lines_.push_back(text_of(east) + ' ' + text_of(north) + ' ' +
                         text_of(station.depth_m.value_or(0.0)));
    }
    [[nodiscard]] std::string text() {
        std::ranges::sort(lines_);
        std::string text;
        for (const std::string& line : lines_) {
            text += '\n' + line;
        }
        return text;
    }

private:
    std::vector<std::string> lines_;
};

/// Points that a result must hold because the surface field cannot give them.
std::string stored_points(const LoadedBatch& loaded) {
    // The top of a mesh of one's own, or of volumes, need not be at depth 0.
    const bool relief = loaded.batch.mesh().has_file() || has_volumes(loaded.batch);
    Places places;
    for (const RequestStation& station : loaded.stations) {
        const bool inside =
            relief ? station.depth_m.has_value() : station.depth_m.value_or(0.0) > 0.0;
        if (loaded.batch.output().surface() == kSurfaceNone || inside) {
            places.add(station);
        }
    }
    return places.text();
}

/// Stations around which the mesh is finer.
std::string meshed_points(const LoadedBatch& loaded) {
    Places places;
    if (loaded.batch.mesh().size_at_stations_m() > 0.0) {
        for (const RequestStation& station : loaded.stations) {
            places.add(station);
        }
    }
    return places.text();
}

/// One text per meaning of a source's tables.
std::string slip_key(const v1::SlipSource& source) {
    v1::GreensBatch alone;
    *alone.mutable_fault()->mutable_mesh()->add_sources() = source;
    return key_of("slip", key_text(alone));
}

std::string model_key(const v1::SlipEvent& model) {
    v1::GreensBatch alone;
    *alone.add_events() = model;
    return key_of("slip", key_text(alone));
}

std::vector<std::string> slip_source_ids(const v1::GreensBatch& batch) {
    if (is_scenario(batch)) {
        return slip_models(batch).name;
    }
    const v1::Fault& fault = batch.fault();
    if (fault.has_mesh()) {
        std::vector<std::string> names;
        for (const v1::SlipSource& source : fault.mesh().sources()) {
            names.push_back(source.name());
        }
        return names;
    }
    std::vector<std::string> ids;
    for (UnitSources& on_fault : unit_sources(fault)) {
        for (UnitSource& source : on_fault.sources) {
            ids.push_back(std::move(source.id));
        }
    }
    return ids;
}

}  // namespace

std::vector<std::string> source_ids(const v1::GreensBatch& batch) {
    std::vector<std::string> ids = slip_source_ids(batch);
    for (BoundarySource& source : boundary_sources(batch)) {
        ids.push_back(std::move(source.id));
    }
    return ids;
}

Plan make_plan(const LoadedBatch& loaded) {
    Plan plan;
    plan.mesh_key = key_of("mesh", key_text(mesh_part(loaded.batch)) + meshed_points(loaded));
    v1::GreensBatch solved = loaded.batch;
    for (const auto clear : {&v1::GreensBatch::clear_name, &v1::GreensBatch::clear_description,
                             &v1::GreensBatch::clear_stations, &v1::GreensBatch::clear_output,
                             &v1::GreensBatch::clear_slip_history}) {
        (solved.*clear)();
    }
    solved.mutable_time()->clear_epochs_s();
    const v1::GreensBatch meshed = mesh_part(loaded.batch);
    *solved.mutable_fault() = meshed.fault();
    *solved.mutable_mesh() = meshed.mesh();
    solved.mutable_output()->set_surface(loaded.batch.output().surface());
    if (loaded.batch.output().volume().epochs_s().empty()) {
        *solved.mutable_events() = meshed.events();
    } else {
        // Snapshots are summed while the steps go by, with the events' times and histories.
        *solved.mutable_output()->mutable_volume()->mutable_epochs_s() =
            loaded.batch.output().volume().epochs_s();
    }
    keep_kinds(*solved.mutable_boundaries());
    const std::string finer_at = meshed_points(loaded);
    const std::string stored = by_receivers(loaded.batch) ? "" : stored_points(loaded);
    plan.compat_key =
        key_of("solve", key_text(solved) + stored + (finer_at.empty() ? "" : "\nmesh" + finer_at));
    v1::GreensBatch shown = loaded.batch;
    shown.mutable_output()->clear_checkpoint();
    shown.mutable_output()->clear_checkpoint_interval_s();
    shown.mutable_mesh()->clear_max_elements();
    plan.package_key = key_of("package " + std::to_string(kDatasetVersion), key_text(shown));
    const SlipModels models = slip_models(loaded.batch);
    for (std::string& id : slip_source_ids(loaded.batch)) {
        PlannedSource source;
        if (is_scenario(loaded.batch)) {
            source.slip_key = model_key(models.model[plan.sources.size()]);
        } else if (loaded.batch.fault().has_mesh()) {
            source.slip_key = slip_key(
                loaded.batch.fault().mesh().sources(static_cast<int>(plan.sources.size())));
        }
        const std::string slip = source.slip_key.empty() ? "" : '\n' + source.slip_key;
        source.key = key_of("source", plan.compat_key + '\n' + id + slip);
        source.id = std::move(id);
        plan.sources.push_back(std::move(source));
    }
    for (BoundarySource& boundary : boundary_sources(loaded.batch)) {
        const std::string content = plan.compat_key + '\n' + boundary.id + '\n' + boundary.key;
        plan.sources.push_back(
            {std::move(boundary.id), key_of("source", content), std::move(boundary.key)});
    }
    if (by_receivers(loaded.batch)) {
        for (StationForce& force : station_forces(loaded.stations)) {
            plan.forces.push_back(
                {std::move(force.id), key_of("force", plan.compat_key + '\n' + force.place)});
        }
    }
    return plan;
}

namespace {

[[noreturn]] void refuse(const std::string& field, const std::string& rule) {
    throw ValidationError(std::vector<Violation>{{field, rule}});
}

/// Nothing must be left of what was given once the parts that may change are taken out.
template <class Part>
void require_nothing_else(const Part& rest, const std::string& field, const std::string& allowed) {
    if (rest.ByteSizeLong() > 0) {
        refuse(field, "must give " + allowed + " alone: all else is the dataset's");
    }
}

void take_plane(v1::Plane given, v1::Plane& plane) {
    plane.set_n_strike(given.n_strike());
    plane.set_n_dip(given.n_dip());
    *plane.mutable_rake_deg() = given.rake_deg();
    *plane.mutable_components() = given.components();
    given.clear_n_strike();
    given.clear_n_dip();
    given.clear_rake_deg();
    given.clear_components();
    require_nothing_else(given, "plane", "n_strike, n_dip, rake_deg and components");
}

void take_interface(v1::Interface given, v1::Interface& interface) {
    *interface.mutable_patches() = given.patches();
    given.clear_patches();
    require_nothing_else(given, "interface", "patches");
}

void take_mesh(v1::MeshFault given, v1::MeshFault& mesh) {
    *mesh.mutable_sources() = given.sources();
    given.clear_sources();
    require_nothing_else(given, "mesh", "sources");
}

}  // namespace

LoadedBatch with_patches(v1::GreensBatch batch, const std::string& path) {
    v1::Fault given;
    YamlReading reading = scan_yaml(read_text_file(path), path, given);
    std::vector<Violation> broken = std::move(reading.violations);
    const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
    for (Violation& violation : resolve_files(given, folder)) {
        broken.push_back(std::move(violation));
    }
    if (!broken.empty()) {
        throw ValidationError(std::move(broken));
    }
    v1::Fault& fault = *batch.mutable_fault();
    if (given.has_plane() && fault.has_plane()) {
        take_plane(given.plane(), *fault.mutable_plane());
    } else if (given.has_interface() && fault.has_interface()) {
        take_interface(given.interface(), *fault.mutable_interface());
    } else if (given.has_mesh() && fault.has_mesh()) {
        take_mesh(given.mesh(), *fault.mutable_mesh());
    } else {
        const std::string of = fault.has_plane()       ? "plane"
                               : fault.has_interface() ? "interface"
                               : fault.has_mesh()      ? "mesh"
                                                       : "several";
        refuse(path, "must describe patches under the key " + quote(of) +
                         ", which the dataset's fault is");
    }
    return load_batch(std::move(batch));
}

}  // namespace kaname::request
