// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tests/support/bare_job.hpp"
#include "worker/jobs/stage/greens_job.hpp"

namespace kaname::jobs {

/// A buried rectangle with uniform slip in a viscoelastic half-space under an elastic lid; one
/// station.
inline GreensJob plane_job() {
    GreensJob job = test::bare_job();
    job.name = "plane";
    job.region = {135.0, 34.0, 200e3, 200e3, 100e3, 0.0};
    job.structure.materials.resize(2);
    job.structure.materials[0] = {"lid", 3e10, 3e10, 0.0, std::nullopt};
    job.structure.materials[1] = {"mantle", 6e10, 6e10, 0.0, 6e18};  // Maxwell time 1e8 s
    job.structure.layers = {{0, 20e3}, {1, std::nullopt}};
    PlaneGeometry plane;
    plane.centre_lon_deg = 135.0;
    plane.centre_lat_deg = 34.0;
    plane.top_depth_m = 5e3;
    plane.strike_deg = 20.0;
    plane.dip_deg = 40.0;
    plane.length_m = 20e3;
    plane.width_m = 10e3;
    job.fault = plane;
    job.patches = test::unit_slip(1, 1);
    job.stations = {{"S1", 135.1, 34.1, std::nullopt, "stations[0]"}};
    job.mesh.size_at_fault_m = 4e3;
    job.mesh.size_far_m = 40e3;
    job.time.end_s = 1e9;
    return job;
}

}  // namespace kaname::jobs
