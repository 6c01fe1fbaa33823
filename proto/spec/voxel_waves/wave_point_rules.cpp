// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/form/text.hpp"
#include "proto/spec/voxel_waves/voxel_waves_rules.hpp"
#include "proto/spec/waves/point_rules.hpp"
#include "proto/spec/waves/time_function_rules.hpp"

namespace kaname::spec {

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
