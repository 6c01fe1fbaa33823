// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/earth/volume_model.hpp"

#include <cmath>
#include <cstddef>

#include "solvers/earth/material_rules.hpp"
#include "solvers/earth/surface_builder.hpp"

namespace kaname::earth {

SideMask VolumeModel::sides(double u, double v, double z) const {
    SideMask above = 0;
    for (std::size_t k = 0; k < surfaces.size(); ++k) {
        const HeightField& height = surfaces[k].height;
        // Most questions are far from most surfaces.
        const bool is_above = z > height.highest() || (z > height.lowest() && z > height.z(u, v));
        above |= static_cast<SideMask>(is_above) << k;
    }
    return above;
}

namespace {

/// Holds the content of a volume's file: a depth profile or columns.
struct MaterialFile {
    DepthProfile profile;
    EarthColumns columns;
};

void check_box(const VolumeLayout& layout, Findings& findings) {
    const auto require = [&](const char* field, double value) {
        if (!std::isfinite(value) || !(value > 0.0)) {
            findings.fail(field, "must be finite and > 0, got " + std::to_string(value));
        }
    };
    require("region.size_east_m", layout.size_u_m);
    require("region.size_north_m", layout.size_v_m);
    require("region.depth_m", layout.depth_m);
    if (!std::isfinite(layout.azimuth_rad)) {
        findings.fail("region.azimuth_rad", "must be finite");
    }
}

std::vector<MaterialFile> read_material_files(const VolumeLayout& layout, Findings& findings) {
    std::vector<MaterialFile> files;
    for (const VolumeDefinition& volume : layout.volumes) {
        const std::string who = "volume '" + volume.name + "'";
        MaterialFile file;
        if (!volume.profile_path.empty()) {
            findings.collect(volume.field + ".profile_path", who,
                             [&] { file.profile = read_depth_profile(volume.profile_path); });
        } else if (!volume.columns_path.empty()) {
            findings.collect(volume.field + ".columns_path", who, [&] {
                file.columns = read_earth_columns(volume.columns_path, volume.columns_layer);
            });
        }
        files.push_back(std::move(file));
    }
    return files;
}

void add_materials(const VolumeLayout& layout, const std::vector<MaterialFile>& files,
                   PlanGrids& grids, VolumeModel& model, Findings& findings) {
    const std::vector<VolumeReach> reach = find_reach(layout, model, grids.frame(), findings);
    model.materials = layout.materials;
    for (std::size_t k = 0; k < layout.volumes.size(); ++k) {
        const VolumeDefinition& volume = layout.volumes[k];
        if (!volume.columns_path.empty()) {
            model.volumes[k].material = columns_rule(
                volume, files[k].columns, grids.nodes(0.0, 0.0), model.materials, findings);
        } else if (!volume.profile_path.empty() && reach[k].anywhere) {
            model.volumes[k].material =
                profile_rule(volume, files[k].profile, reach[k], model.materials, findings);
        } else if (volume.profile_path.empty()) {
            model.volumes[k].material = constant_rule(volume.material);
        }
    }
}

}  // namespace

BuiltVolumeModel build_volume_model(const VolumeLayout& layout, const Projection& projection) {
    Findings findings;
    check_box(layout, findings);
    check_surfaces(layout, findings);
    check_volumes(layout, findings);
    findings.throw_if_any();

    PlanGrids grids(layout, projection);
    auto model = std::make_shared<VolumeModel>();
    model->size_u_m = layout.size_u_m;
    model->size_v_m = layout.size_v_m;
    model->depth_m = layout.depth_m;
    model->surfaces = build_surfaces(layout, grids, findings);
    const std::vector<MaterialFile> files = read_material_files(layout, findings);
    findings.throw_if_any();

    for (const VolumeDefinition& volume : layout.volumes) {
        model->volumes.push_back({volume.name, surface_index(layout, volume.top),
                                  surface_index(layout, volume.bottom), nullptr, volume.size_m});
    }
    add_materials(layout, files, grids, *model, findings);
    findings.throw_if_any();
    return {model, findings.notes};
}

}  // namespace kaname::earth
