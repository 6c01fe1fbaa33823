// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "worker/jobs/voxel_fem/wave_job.hpp"

namespace kaname::jobs {

/// A block of rock of 12 x 8 x 10 m with a bar of steel, two receivers and snapshots at two times.
inline WaveJob small_block(int n_sources) {
    WaveJob job;
    job.name = job.title = "block";
    job.size_m = {12.0, 8.0, 10.0};
    job.spacing_m = 1.0;
    job.base = voxelwave::Solid::of_speeds(4000.0, 2300.0, 2400.0);
    job.shapes = {{voxelwave::Solid::of_speeds(5900.0, 3200.0, 7850.0),
                   WaveShape::Cylinder{1, {6.0, 0.0, 3.0}, 2.0, -1e9, 1e9}}};
    for (int k = 0; k < n_sources; ++k) {
        WaveJob::Source source;
        source.id = "S" + std::to_string(k);
        source.key = "key " + source.id;
        source.field = "sources[" + std::to_string(k) + "]";
        source.at.xyz_m = {2.0 + 1.7 * k, 4.0, 10.0};
        source.force_n = {0.0, 1.0, -1.0};
        source.time = source_time::TimeFunction::ricker(100.0, 1e-2);
        job.sources.push_back(source);
    }
    job.receivers = {{"P0", "receivers[0]", {{1.0, 1.5, 10.0}, {}, {}}},
                     {"P1", "receivers[1]", {{10.5, 6.0, 2.2}, {}, {}}}};
    job.end_s = 0.02;
    job.every = 2;
    job.damping = WaveJob::Damping{0.01, 50.0, 200.0};
    job.absorbing = {true, false, false, false, true, false};
    job.layer_m = 2.0;
    job.fixed_corners = true;
    job.snapshots_s = {0.008, 0.016};
    job.snapshot_stride = 2;
    job.specification_json = "{}";
    job.version = "0";
    return job;
}

}  // namespace kaname::jobs
