// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/volumes_from_spec.hpp"

#include <map>
#include <set>

#include "proto/spec/greens/defaults.hpp"
#include "solvers/base/error.hpp"
#include "worker/compute/material_from_spec.hpp"

namespace kaname::compute {
namespace {

std::string indexed(const char* list, int i) {
    return std::string(list) + "[" + std::to_string(i) + "]";
}

earth::SurfaceSpec surface_of(const v1::StructureSurface& surface, int index) {
    earth::SurfaceSpec result;
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
earth::VolumeSpec volume_of(const v1::StructureVolume& volume, int index,
                            const std::map<std::string, int>& materials) {
    earth::VolumeSpec result;
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

earth::VolumeModelSpec volumes_of(const v1::Structure& structure) {
    earth::VolumeModelSpec result;
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
        mesh.has_thinnest_layer() ? mesh.thinnest_layer() : spec::kDefaultThinnestLayer;
    return sizes;
}

}  // namespace kaname::compute
