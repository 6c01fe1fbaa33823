// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/registry/build_volumes.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"

namespace kaname::registry {
namespace {

/// Fields of the model's description as the specification has them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kFields = {
    {{".outline_path", ".outline"},
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

earth::BuiltVolumeModel build(const earth::VolumeModelSpec& spec,
                              const earth::Projection& projection) {
    try {
        return earth::build_volume_model(spec, projection);
    } catch (const ValidationError& error) {
        throw in_fields_of_the_specification(error);
    }
}

/// Flat layers as volumes, where a plane fault lies in them.
std::optional<earth::VolumeModelSpec> volumes_of_layers(const GreensJob& job) {
    const auto* several = std::get_if<SeveralFaultsSpec>(&job.fault);
    const bool plane =
        std::holds_alternative<PlaneSpec>(job.fault) ||
        std::holds_alternative<PlaneOfSlipModel>(job.fault) ||
        (several != nullptr && std::ranges::all_of(several->faults, [](const auto& named) {
             return std::holds_alternative<PlaneSpec>(named.fault);
         }));
    if (!plane || !job.structure.below_interface.empty()) {
        return std::nullopt;
    }
    earth::VolumeModelSpec spec;
    spec.materials = job.structure.materials;
    for (std::size_t k = 0; k < job.structure.layers.size(); ++k) {
        const earth::Layer& layer = job.structure.layers[k];
        const std::string number = std::to_string(k);
        const std::string field = "structure.layers[" + number + "]";
        earth::VolumeSpec volume;
        volume.name = "layer-" + number;
        volume.field = field;
        volume.material = layer.material;
        if (layer.bottom_depth_m) {
            volume.bottom = "bottom-of-layer-" + number;
            spec.surfaces.push_back(
                {.name = volume.bottom, .field = field, .depth_m = layer.bottom_depth_m});
        }
        spec.volumes.push_back(std::move(volume));
    }
    return spec;
}

}  // namespace

void build_volumes(GreensJob& job) {
    if (!job.volumes) {
        job.volumes = volumes_of_layers(job);
    }
    if (!job.volumes) {
        return;
    }
    earth::VolumeModelSpec spec = *job.volumes;
    spec.size_u_m = job.region.size_east_m;
    spec.size_v_m = job.region.size_north_m;
    spec.depth_m = job.region.depth_m;
    spec.azimuth_rad = job.region.azimuth_deg * kDegree;
    const earth::Projection projection({job.region.centre_lon_deg, job.region.centre_lat_deg});
    auto built = build(spec, projection);
    job.structure.materials = built.model->materials;
    job.volume_model = std::make_shared<const earth::BuiltVolumeModel>(std::move(built));
}

}  // namespace kaname::registry
