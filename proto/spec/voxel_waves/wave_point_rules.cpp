// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cctype>
#include <map>

#include "proto/spec/form/text.hpp"
#include "proto/spec/voxel_waves/voxel_waves_rules.hpp"
#include "proto/spec/waves/time_function_rules.hpp"

namespace kaname::spec {
namespace {

constexpr int kMost = 100000;
constexpr std::size_t kLongestId = 63;

bool is_id(const std::string& id) {
    const auto letter = [](unsigned char c) { return c < 128 && std::isalnum(c) != 0; };
    return !id.empty() && id.size() <= kLongestId && letter(id[0]) &&
           std::ranges::all_of(
               id, [&](char c) { return letter(c) || c == '_' || c == '.' || c == '-'; });
}

/// Ids of a list, each once; the list's length.
template <class List>
void check_ids(const List& list, const std::string& name, Rules& rules) {
    if (list.empty() || list.size() > kMost) {
        rules.fail(
            name, "must be 1 to " + std::to_string(kMost) + ", got " + std::to_string(list.size()));
    }
    std::map<std::string, int> first;
    for (int k = 0; k < list.size(); ++k) {
        const std::string field = element(name, k) + ".id";
        const std::string& id = list[k].id();
        if (!is_id(id)) {
            rules.fail(field,
                       "must be 1 to 63 letters, digits, '_', '.' and '-', starting with a letter "
                       "or digit, got " +
                           quote(id));
        } else if (const auto [at, fresh] = first.try_emplace(id, k); !fresh) {
            rules.fail(field,
                       "must be unique, got " + quote(id) + " as in " + element(name, at->second));
        }
    }
}

}  // namespace

void check_place(const v1::WavePlace& place, const std::string& path, bool globe, Rules& rules) {
    const bool by_globe = place.has_lon_deg() || place.has_lat_deg() || place.has_depth_m();
    if (by_globe && !globe) {
        rules.fail(path + ".lon_deg", "must be x_m, y_m and z_m: there is no region");
    } else if (by_globe) {
        rules.place(path + ".", place.has_lon_deg(), place.lon_deg(), place.has_lat_deg(),
                    place.lat_deg());
        if (place.has_x_m() || place.has_y_m() || place.has_z_m()) {
            rules.fail(path + ".x_m", "must be left out beside lon_deg and lat_deg");
        }
    } else {
        rules.given(path + ".x_m", place.has_x_m());
        rules.given(path + ".y_m", place.has_y_m());
        rules.given(path + ".z_m", place.has_z_m());
    }
}

void check_wave_points(const v1::VoxelWaves& waves, Rules& rules) {
    check_ids(waves.sources(), "sources", rules);
    check_ids(waves.receivers(), "receivers", rules);
    for (int k = 0; k < waves.sources_size(); ++k) {
        const v1::WaveSource& source = waves.sources(k);
        const std::string path = element("sources", k);
        check_place(source.at(), path + ".at", waves.has_region(), rules);
        const v1::PointForce& force = source.force();
        const v1::MomentTensor& m = source.moment();
        const bool any = force.x_n() != 0.0 || force.y_n() != 0.0 || force.z_n() != 0.0 ||
                         m.xx_n_m() != 0.0 || m.yy_n_m() != 0.0 || m.zz_n_m() != 0.0 ||
                         m.yz_n_m() != 0.0 || m.xz_n_m() != 0.0 || m.xy_n_m() != 0.0;
        if (!any) {
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
