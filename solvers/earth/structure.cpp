// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/earth/structure.hpp"

#include "solvers/base/error.hpp"

namespace kaname::earth {
namespace {

int find_in_stack(const std::vector<Layer>& stack, double depth_m) {
    for (const Layer& layer : stack) {
        if (!layer.bottom_depth_m || depth_m < *layer.bottom_depth_m) {
            return layer.material;
        }
    }
    // Below the last stated bottom the last layer goes on.
    return stack.back().material;
}

}  // namespace

std::optional<double> Material::maxwell_time_s() const {
    if (!viscosity_pa_s) {
        return std::nullopt;
    }
    return *viscosity_pa_s / mu_pa;
}

int LayeredStructure::material_at(double depth_m, double interface_depth_m) const {
    if (layers.empty()) {
        throw Error(ErrorCode::InvalidArgument, "structure.layers must not be empty");
    }
    if (!below_interface.empty() && depth_m > interface_depth_m) {
        return find_in_stack(below_interface, depth_m - interface_depth_m);
    }
    return find_in_stack(layers, depth_m);
}

std::vector<Material> LayeredStructure::used_materials() const {
    if (layers.empty() && below_interface.empty()) {
        return materials;  // a mesh of one's own names them volume by volume
    }
    std::vector<bool> used(materials.size(), false);
    for (const std::vector<Layer>* stack : {&layers, &below_interface}) {
        for (const Layer& layer : *stack) {
            used.at(static_cast<std::size_t>(layer.material)) = true;
        }
    }
    std::vector<Material> result;
    for (std::size_t index = 0; index < used.size(); ++index) {
        if (used[index]) {
            result.push_back(materials[index]);
        }
    }
    return result;
}

}  // namespace kaname::earth
