// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/waves/wave_parts.hpp"

#include <map>

#include "proto/spec/form/rules.hpp"
#include "worker/compute/material_from_spec.hpp"

namespace kaname::compute {

jobs::WavePlace place_of(const v1::WavePlace& place) {
    jobs::WavePlace result;
    result.xyz_m = {place.x_m(), place.y_m(), place.z_m()};
    result.on_the_ground = !place.has_z_m();
    if (place.has_lon_deg()) {
        result.globe = earth::LonLat{place.lon_deg(), place.lat_deg()};
        if (place.has_depth_m()) {
            result.depth_m = place.depth_m();
        }
    }
    return result;
}

std::array<double, 3> force_of(const v1::PointForce& force) {
    return {force.x_n(), force.y_n(), force.z_n()};
}

std::array<double, 6> moment_of(const v1::MomentTensor& m) {
    return {m.xx_n_m(), m.yy_n_m(), m.zz_n_m(), m.yz_n_m(), m.xz_n_m(), m.xy_n_m()};
}

std::vector<jobs::WaveReceiver> receivers_of(
    const google::protobuf::RepeatedPtrField<v1::WaveReceiver>& receivers) {
    std::vector<jobs::WaveReceiver> made;
    for (int k = 0; k < receivers.size(); ++k) {
        made.push_back(
            {receivers[k].id(), spec::element("receivers", k), place_of(receivers[k].at())});
    }
    return made;
}

earth::LayeredStructure layers_of(const v1::Structure& structure) {
    earth::LayeredStructure layers;
    std::map<std::string, int> names;
    for (int k = 0; k < structure.materials_size(); ++k) {
        names.emplace(structure.materials(k).name(), k);
        layers.materials.push_back(
            material_of(structure.materials(k), spec::element("structure.materials", k)));
    }
    for (const v1::Layer& layer : structure.layers()) {
        auto& made = layers.layers.emplace_back();
        made.material = names.at(layer.material());
        if (layer.has_bottom_depth_m()) {
            made.bottom_depth_m = layer.bottom_depth_m();
        }
    }
    return layers;
}

}  // namespace kaname::compute
