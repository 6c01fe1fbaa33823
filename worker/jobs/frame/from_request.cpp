// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/frame/from_request.hpp"

#include <map>
#include <set>

#include "proto/request/greens/defaults.hpp"
#include "solvers/base/error.hpp"

namespace kaname::compute {

earth::ViscosityRange range_of(const v1::ViscosityRange& range) {
    return {range.from(), range.to()};
}

earth::Material material_of(const v1::Material& material, const std::string& field) {
    earth::Material result;
    result.name = material.name();
    result.density_kg_m3 = material.density_kg_per_m3();
    if (material.has_viscosity_pa_s()) {
        result.viscosity_pa_s = material.viscosity_pa_s();
    }
    if (material.has_viscosity_range_pa_s()) {
        result.viscosity_range = range_of(material.viscosity_range_pa_s());
    }
    if (material.has_kelvin_viscosity_range_pa_s()) {
        result.kelvin_viscosity_range = range_of(material.kelvin_viscosity_range_pa_s());
    }
    result.viscosity_group = material.viscosity_group();
    if (material.has_relaxed_mu_pa()) {
        result.relaxed_mu_pa = material.relaxed_mu_pa();
    }
    if (material.has_kelvin_mu_pa() && material.has_kelvin_viscosity_pa_s()) {
        result.kelvin_mu_pa = material.kelvin_mu_pa();
        result.kelvin_viscosity_pa_s = material.kelvin_viscosity_pa_s();
    }
    if (material.has_lambda_pa() && material.has_mu_pa()) {
        result.lambda_pa = material.lambda_pa();
        result.mu_pa = material.mu_pa();
        return result;
    }
    if (!material.has_vp_m_per_s() || !material.has_vs_m_per_s() ||
        !material.has_density_kg_per_m3()) {
        throw ValidationError(std::vector<Violation>{
            {field, "must give lambda_pa and mu_pa, or vp, vs and density"}});
    }
    const double vp2 = material.vp_m_per_s() * material.vp_m_per_s();
    const double vs2 = material.vs_m_per_s() * material.vs_m_per_s();
    result.mu_pa = material.density_kg_per_m3() * vs2;
    result.lambda_pa = material.density_kg_per_m3() * (vp2 - 2.0 * vs2);
    return result;
}

namespace {

using source_time::TimeFunction;

// exp(-a^2) (1 - 2 a^2) and exp(-a^2/2) are below a thousandth of their largest value from here.
constexpr double kRickerWidths = 1.0, kGaussianWidths = 4.0, kBandWidths = 2.0;

}  // namespace

TimeFunction time_function_of(const v1::TimeFunction& function) {
    const std::string& kind = function.kind();
    const auto centre = [&](double otherwise) {
        return function.has_centre_s() ? function.centre_s() : otherwise;
    };
    if (kind == "ricker") {
        return TimeFunction::ricker(function.frequency_hz(),
                                    centre(kRickerWidths / function.frequency_hz()));
    }
    if (kind == "gaussian") {
        return TimeFunction::gaussian(function.width_s(),
                                      centre(kGaussianWidths * function.width_s()));
    }
    if (kind == "band") {
        return TimeFunction::band(function.from_hz(), function.to_hz(),
                                  centre(kBandWidths / (function.to_hz() - function.from_hz())));
    }
    if (kind == "triangle") {
        return TimeFunction::triangle(function.duration_s(), function.onset_s());
    }
    if (kind == "cosine") {
        return TimeFunction::cosine(function.duration_s(), function.onset_s());
    }
    if (kind == "brune") {
        return TimeFunction::brune(function.tau_s(), function.onset_s());
    }
    if (kind == "yoffe") {
        const double rise_s = function.rise_time_s();
        const double smoothing_s = function.smoothing_s();
        return TimeFunction::yoffe(
            rise_s, smoothing_s > 0.0 ? smoothing_s : source_time::kYoffeSmoothing * rise_s,
            function.onset_s());
    }
    if (kind == "smoothed_step") {
        return TimeFunction::smoothed_step(function.duration_s(), function.onset_s());
    }
    return TimeFunction::table({function.times_s().begin(), function.times_s().end()},
                               {function.values().begin(), function.values().end()});
}

namespace {

std::string indexed(const char* list, int i) {
    return std::string(list) + "[" + std::to_string(i) + "]";
}

earth::SurfaceDefinition surface_of(const v1::StructureSurface& surface, int index) {
    earth::SurfaceDefinition result;
    result.name = surface.name();
    result.field = indexed("structure.surfaces", index);
    if (surface.has_depth_m()) {
        result.depth_m = surface.depth_m();
    }
    result.path = surface.file().path();
    result.column = surface.column();
    result.unit = surface.unit();
    result.below = surface.below();
    result.thickness_m = surface.thickness_m();
    result.outline_path = surface.outline().path();
    result.end_length_m = surface.end_length_m();
    result.min_depth_m = surface.min_depth_m();
    result.max_depth_m = surface.max_depth_m();
    result.has_limits = surface.has_min_depth_m() && surface.has_max_depth_m();
    result.smoothing_length_m = surface.smoothing_length_m();
    result.spacing_m = surface.spacing_m();
    return result;
}

/// `materials`: index of each that is used.
earth::VolumeDefinition volume_of(const v1::StructureVolume& volume, int index,
                                  const std::map<std::string, int>& materials) {
    earth::VolumeDefinition result;
    result.name = volume.name();
    result.field = indexed("structure.volumes", index);
    result.top = volume.top();
    result.bottom = volume.bottom();
    result.size_m = volume.size_m();
    const auto set_viscosity = [&](const auto& filling) {
        if (filling.has_viscosity_pa_s()) {
            result.viscosity_pa_s = filling.viscosity_pa_s();
        }
        if (filling.has_viscosity_range_pa_s()) {
            result.viscosity_range = range_of(filling.viscosity_range_pa_s());
        }
    };
    if (volume.has_profile()) {
        result.profile_path = volume.profile().file().path();
        result.steps = static_cast<int>(volume.profile().steps());
        set_viscosity(volume.profile());
    } else if (volume.has_columns()) {
        result.columns_path = volume.columns().file().path();
        result.columns_layer = volume.columns().layer();
        set_viscosity(volume.columns());
    } else {
        const auto found = materials.find(volume.material());
        if (found == materials.end()) {
            throw ValidationError(
                std::vector<Violation>{{result.field + ".material",
                                        "must name a material, got '" + volume.material() + "'"}});
        }
        result.material = found->second;
    }
    return result;
}

}  // namespace

earth::VolumeLayout volumes_of(const v1::Structure& structure) {
    earth::VolumeLayout result;
    std::set<std::string> used;
    for (const v1::StructureVolume& volume : structure.volumes()) {
        used.insert(volume.material());
    }
    std::map<std::string, int> materials;
    for (int k = 0; k < structure.materials_size(); ++k) {
        const v1::Material& material = structure.materials(k);
        if (used.contains(material.name())) {
            materials.emplace(material.name(), static_cast<int>(result.materials.size()));
            result.materials.push_back(material_of(material, indexed("structure.materials", k)));
        }
    }
    for (int k = 0; k < structure.surfaces_size(); ++k) {
        result.surfaces.push_back(surface_of(structure.surfaces(k), k));
    }
    result.free_surface = structure.free_surface();
    for (int k = 0; k < structure.volumes_size(); ++k) {
        result.volumes.push_back(volume_of(structure.volumes(k), k, materials));
    }
    return result;
}

jobs::VolumeSizes volume_sizes_of(const v1::Mesh& mesh) {
    jobs::VolumeSizes sizes;
    sizes.at_surface_m = mesh.size_at_surface_m();
    sizes.at_stations_m = mesh.size_at_stations_m();
    for (const v1::DepthSize& entry : mesh.sizes_by_depth()) {
        sizes.by_depth.push_back({entry.depth_m(), entry.size_m(), entry.reach_m()});
    }
    sizes.max_elements = mesh.max_elements();
    sizes.thinnest_layer =
        mesh.has_thinnest_layer() ? mesh.thinnest_layer() : request::kDefaultThinnestLayer;
    return sizes;
}

}  // namespace kaname::compute
