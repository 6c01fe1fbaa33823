// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/geometry/build_volumes.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "worker/jobs/geometry/sources/fault_patches.hpp"

namespace kaname::jobs {
namespace {

/// Fields of the model's description as the request has them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kFields = {
    {{".outline_path", ".outline"},
     {"fault.interface.path", "fault.interface.surface"},
     {".profile_path", ".profile.file"},
     {".columns_path", ".columns.file"},
     {".columns_layer", ".columns.layer"},
     {".path", ".file"},
     {".steps", ".profile.steps"}}};

ValidationError in_fields_of_the_specification(const ValidationError& error) {
    std::vector<Violation> violations = error.violations();
    for (Violation& violation : violations) {
        for (const auto& [ours, theirs] : kFields) {
            if (violation.field.ends_with(ours)) {
                violation.field.replace(violation.field.size() - ours.size(), ours.size(), theirs);
                break;
            }
        }
    }
    return ValidationError(std::move(violations));
}

}  // namespace

earth::BuiltVolumeModel build_structure(const earth::VolumeLayout& layout,
                                        const earth::Projection& projection) {
    try {
        return earth::build_volume_model(layout, projection);
    } catch (const ValidationError& error) {
        throw in_fields_of_the_specification(error);
    }
}

void build_volumes(GreensJob& job) {
    if (std::holds_alternative<MeshFileFaults>(job.fault)) {
        return;
    }
    if (!job.volumes) {
        job.volumes = volumes_of_layers(job);
        if (auto* interface = std::get_if<InterfaceGeometry>(&job.fault)) {
            interface->of = kInterfaceOfLayers;
        }
    }
    earth::VolumeLayout layout = *job.volumes;
    layout.size_u_m = job.region.size_east_m;
    layout.size_v_m = job.region.size_north_m;
    layout.depth_m = job.region.depth_m;
    layout.azimuth_rad = job.region.azimuth_deg * kDegree;
    std::optional<earth::Projection> projection;
    projection.emplace(earth::LonLat{job.region.centre_lon_deg, job.region.centre_lat_deg});
    layout.focus = plan_focus(job, projection);
    auto built = build_structure(layout, *projection);
    job.structure.materials = built.model->materials;
    job.volume_model = std::make_shared<const earth::BuiltVolumeModel>(std::move(built));
}

namespace {

// How far an interface that reaches the surface goes on over it: its data end at the ground or a
// little under it, and a bend there would be a bend of the fault.
constexpr double kOverTheGround_m = 3000.0;

earth::SurfaceDefinition surface_of(const InterfaceGeometry& interface) {
    earth::SurfaceDefinition surface;
    surface.name = kInterfaceOfLayers;
    surface.field = "fault.interface";
    surface.path = interface.surface_path;
    surface.min_depth_m = interface.reaches_surface ? -kOverTheGround_m : interface.min_depth_m;
    surface.max_depth_m = interface.max_depth_m;
    surface.has_limits = true;
    surface.smoothing_length_m = interface.smoothing_length_m;
    return surface;
}

struct Stack {
    const std::vector<earth::Layer>& layers;
    std::string name, field;
    bool under_interface;  ///< each lies under the one before; else those before cut through it
};

/// Adds a stack of layers as volumes.
void add(const Stack& stack, earth::VolumeLayout& layout) {
    const std::vector<earth::Layer>& layers = stack.layers;
    std::string top = kInterfaceOfLayers;
    for (std::size_t k = 0; k < layers.size(); ++k) {
        const std::string number = std::to_string(k);
        const std::string field = stack.field + "[" + number + "]";
        earth::VolumeDefinition volume;
        volume.name = stack.name + "-" + number;
        volume.field = field;
        volume.material = layers[k].material;
        volume.may_be_nowhere = true;  // beneath the box, or between the interface's depths
        if (stack.under_interface) {
            volume.top = top;
        }
        if (layers[k].bottom_depth_m) {
            earth::SurfaceDefinition bottom;
            bottom.name = "bottom-of-" + volume.name;
            bottom.field = field;
            if (stack.under_interface) {
                bottom.below = kInterfaceOfLayers;
                bottom.thickness_m = *layers[k].bottom_depth_m;
                bottom.vertical = true;
            } else {
                bottom.depth_m = layers[k].bottom_depth_m;
            }
            top = volume.bottom = bottom.name;
            layout.surfaces.push_back(std::move(bottom));
        }
        layout.volumes.push_back(std::move(volume));
    }
}

}  // namespace

earth::VolumeLayout volumes_of_layers(const earth::LayeredStructure& layers) {
    earth::VolumeLayout layout;
    layout.materials = layers.materials;
    add({layers.layers, "layer", "structure.layers", false}, layout);
    return layout;
}

earth::VolumeLayout volumes_of_layers(const GreensJob& job) {
    earth::VolumeLayout layout;
    layout.materials = job.structure.materials;
    if (const auto* interface = std::get_if<InterfaceGeometry>(&job.fault)) {
        layout.surfaces.push_back(surface_of(*interface));
        add({job.structure.below_interface, "below-interface", "structure.below_interface", true},
            layout);
    }
    add({job.structure.layers, "layer", "structure.layers", false}, layout);
    return layout;
}

}  // namespace kaname::jobs
