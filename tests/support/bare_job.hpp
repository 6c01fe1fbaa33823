// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "worker/jobs/stage/greens_job.hpp"

namespace kaname::test {

/// A job without a request, which has only what most tests of a solver take alike.
inline jobs::GreensJob bare_job() {
    jobs::GreensJob job;
    job.mesh.growth = 0.3;
    job.mesh.sizes.thinnest_layer = 0.1;
    job.time.alpha = 0.5;
    job.time.spectrum_tolerance = 1e-5;
    job.solver = {jobs::SolverMethod::Default, jobs::ElementChoice::Auto,
                  jobs::PredictorKind::Projection, 1e-8, 500};
    job.output.snap_tolerance_m = 10e3;
    job.output.surface = true;
    return job;
}

struct SlipDirection {
    std::string name;
    double rake_deg;
};
inline const SlipDirection kStrikeSlip = {"strike_slip", 0.0}, kDipSlip = {"dip_slip", 90.0};

/// Unit slip on a grid of patches, with ids such as "s01d00/dip_slip".
inline jobs::FaultPatches unit_slip(int n_strike, int n_dip,
                                    const std::vector<SlipDirection>& directions) {
    jobs::FaultPatches grid{n_strike, n_dip, {}, {}};
    for (int row = 0; row < n_dip; ++row) {
        for (int column = 0; column < n_strike; ++column) {
            char id[32];
            std::snprintf(id, sizeof id, "s%02dd%02d", column, row);
            for (const SlipDirection& direction : directions) {
                grid.sources.push_back({id + ("/" + direction.name),
                                        static_cast<int>(grid.patches.size()), direction.name,
                                        direction.rake_deg});
            }
            grid.patches.push_back({id, column, row});
        }
    }
    return grid;
}
inline jobs::FaultPatches unit_slip(int n_strike, int n_dip) {
    return unit_slip(n_strike, n_dip, {kStrikeSlip, kDipSlip});
}

}  // namespace kaname::test
