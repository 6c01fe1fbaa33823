// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/seismic_waves/unit_sources_of_waves.hpp"

#include "proto/spec/form/rules.hpp"

namespace kaname::spec {
namespace {

void set_unit(const std::string& component, v1::SeismicSource& source) {
    const auto set = [&](google::protobuf::Message& into, const std::string& field) {
        into.GetReflection()->SetDouble(&into, into.GetDescriptor()->FindFieldByName(field), 1.0);
    };
    if (component.size() == 1) {
        set(*source.mutable_force(), component + "_n");
    } else {
        set(*source.mutable_moment(), component + "_n_m");
    }
}

}  // namespace

std::vector<v1::SeismicSource> all_sources(const v1::SeismicWaves& waves) {
    std::vector<v1::SeismicSource> sources(waves.sources().begin(), waves.sources().end());
    for (const v1::WaveReceiver& point : waves.green().points()) {
        for (const std::string& component : waves.green().components()) {
            v1::SeismicSource& source = sources.emplace_back();
            source.set_id(point.id() + "." + component);
            *source.mutable_at() = point.at();
            *source.mutable_time_function() = waves.green().time_function();
            set_unit(component, source);
        }
    }
    return sources;
}

std::string source_field(const v1::SeismicWaves& waves, int k) {
    if (k < waves.sources_size()) {
        return element("sources", k);
    }
    return element("green.points", (k - waves.sources_size()) / waves.green().components_size());
}

}  // namespace kaname::spec
