// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/geometry/build_volumes.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/jobs/geometry/layers_as_volumes.hpp"
#include "solvers/jobs/geometry/plan_focus.hpp"

namespace kaname::jobs {
namespace {

/// Fields of the model's description as the specification has them.
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

earth::BuiltVolumeModel build_structure(const earth::VolumeModelSpec& spec,
                                        const earth::Projection& projection) {
    try {
        return earth::build_volume_model(spec, projection);
    } catch (const ValidationError& error) {
        throw in_fields_of_the_specification(error);
    }
}

void build_volumes(GreensJob& job) {
    if (std::holds_alternative<MeshFileSpec>(job.fault)) {
        return;
    }
    if (!job.volumes) {
        job.volumes = volumes_of_layers(job);
        if (auto* interface = std::get_if<InterfaceSpec>(&job.fault)) {
            interface->of = kInterfaceOfLayers;
        }
    }
    earth::VolumeModelSpec spec = *job.volumes;
    spec.size_u_m = job.region.size_east_m;
    spec.size_v_m = job.region.size_north_m;
    spec.depth_m = job.region.depth_m;
    spec.azimuth_rad = job.region.azimuth_deg * kDegree;
    std::optional<earth::Projection> projection;
    projection.emplace(earth::LonLat{job.region.centre_lon_deg, job.region.centre_lat_deg});
    spec.focus = plan_focus(job, projection);
    auto built = build_structure(spec, *projection);
    job.structure.materials = built.model->materials;
    job.volume_model = std::make_shared<const earth::BuiltVolumeModel>(std::move(built));
}

}  // namespace kaname::jobs
