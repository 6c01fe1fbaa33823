// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "solvers/earth/material_rules.hpp"
#include "solvers/meshing/cleaving/volume_request.hpp"

namespace kaname::test {

/// A height over 2 * half_m of plan, on a grid of `cells`.
inline earth::HeightField height(const std::function<double(double u, double v)>& z, double half_m,
                                 int cells = 80) {
    const double spacing = 2.0 * half_m / cells;
    const earth::HeightField::Grid grid = {
        -half_m - 3 * spacing, -half_m - 3 * spacing, spacing, spacing, cells + 7, cells + 7};
    std::vector<double> values;
    for (int j = 0; j < grid.nv; ++j) {
        for (int i = 0; i < grid.nu; ++i) {
            values.push_back(z(grid.u0 + i * spacing, grid.v0 + j * spacing));
        }
    }
    return earth::HeightField(grid, values);
}

/// Layers under `ground`, each above the next of `below`, the last one without bottom.
inline std::shared_ptr<earth::VolumeModel> layers_under(earth::HeightField ground,
                                                        std::vector<earth::HeightField> below) {
    auto model = std::make_shared<earth::VolumeModel>();
    model->surfaces.push_back({"ground", std::move(ground)});
    for (std::size_t k = 0; k <= below.size(); ++k) {
        const int bottom = k < below.size() ? static_cast<int>(k) + 1 : -1;
        const auto material = static_cast<int>(k);
        model->volumes.push_back(
            {"volume " + std::to_string(k), -1, bottom, earth::constant_rule(material), 0.0});
        model->materials.emplace_back();
    }
    model->depth_m = 60e3;
    for (std::size_t k = 0; k < below.size(); ++k) {
        model->surfaces.push_back({"surface " + std::to_string(k + 1), std::move(below[k])});
    }
    return model;
}

/// Level layers under level ground at z = 0, with bottoms at `z_m`.
inline std::shared_ptr<earth::VolumeModel> layers(const std::vector<double>& z_m) {
    std::vector<earth::HeightField> below;
    for (const double z : z_m) {
        below.emplace_back(z);
    }
    return layers_under(earth::HeightField(0.0), std::move(below));
}

}  // namespace kaname::test
