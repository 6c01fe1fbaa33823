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

std::optional<double> LayeredStructure::shortest_maxwell_time_s() const {
    std::optional<double> shortest;
    const auto take = [&shortest](const Material& material) {
        const auto time = material.maxwell_time_s();
        if (time && (!shortest || *time < *shortest)) {
            shortest = time;
        }
    };
    for (const std::vector<Layer>* stack : {&layers, &below_interface}) {
        for (const Layer& layer : *stack) {
            take(materials.at(static_cast<std::size_t>(layer.material)));
        }
    }
    if (layers.empty()) {  // the mesh says where materials are
        for (const Material& material : materials) {
            take(material);
        }
    }
    return shortest;
}

}  // namespace kaname::earth
