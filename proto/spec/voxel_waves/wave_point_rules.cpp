// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "proto/spec/form/text.hpp"
#include "proto/spec/voxel_waves/voxel_waves_rules.hpp"
#include "proto/spec/waves/point_rules.hpp"

namespace kaname::spec {
namespace {

void check_table(const v1::TimeFunction& function, const std::string& path, Rules& rules) {
    const auto& times = function.times_s();
    if (times.size() < 2 || times.size() != function.values_size()) {
        rules.fail(path + ".times_s", "must be at least 2, and as many as values, got " +
                                          std::to_string(times.size()) + " times and " +
                                          std::to_string(function.values_size()) + " values");
    }
    for (int k = 1; k < times.size(); ++k) {
        if (times[k] <= times[k - 1]) {
            rules.fail(
                element(path + ".times_s", k),
                "must be > the time before it, " + show(times[k - 1]) + ", got " + show(times[k]));
        }
    }
}

}  // namespace

void check_time_function(const v1::TimeFunction& function, const std::string& path, Rules& rules) {
    const std::string& kind = function.kind();
    const std::vector<std::string> kinds = {"ricker", "gaussian", "band", "table"};
    rules.one_of(path + ".kind", kind, kinds);
    if (std::ranges::find(kinds, kind) == kinds.end()) {
        return;  // what belongs to it is not known
    }
    const auto of_kind = [&](const char* name, bool is, double value) {
        const std::string field = path + "." + name;
        if (is) {
            rules.positive(field, value);
        } else if (value != 0.0) {
            rules.fail(field, "must be left out of a time function " + quote(kind));
        }
    };
    of_kind("frequency_hz", kind == "ricker", function.frequency_hz());
    of_kind("width_s", kind == "gaussian", function.width_s());
    of_kind("from_hz", kind == "band", function.from_hz());
    of_kind("to_hz", kind == "band", function.to_hz());
    if (kind == "band" && function.to_hz() <= function.from_hz()) {
        rules.fail(path + ".to_hz", "must be > from_hz = " + show(function.from_hz()) + ", got " +
                                        show(function.to_hz()));
    }
    if (kind == "table") {
        check_table(function, path, rules);
    } else if (function.times_s_size() + function.values_size() > 0) {
        rules.fail(path + ".times_s", "must be left out of a time function " + quote(kind));
    }
}

void check_wave_points(const v1::VoxelWaves& waves, Rules& rules) {
    check_wave_ids(waves.sources(), "sources", rules);
    check_wave_ids(waves.receivers(), "receivers", rules);
    for (int k = 0; k < waves.sources_size(); ++k) {
        const v1::WaveSource& source = waves.sources(k);
        const std::string path = element("sources", k);
        check_place(source.at(), path + ".at", waves.has_region(), rules);
        if (!has_force(source.force()) && !has_moment(source.moment())) {
            rules.fail(path, "must have a force or a moment that is not 0");
        }
        check_time_function(source.time_function(), path + ".time_function", rules);
    }
    for (int k = 0; k < waves.receivers_size(); ++k) {
        check_place(waves.receivers(k).at(), element("receivers", k) + ".at", waves.has_region(),
                    rules);
    }
}

}  // namespace kaname::spec
