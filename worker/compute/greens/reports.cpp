// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/greens/reports.hpp"

#include "proto/report/report.hpp"

namespace kaname::compute {

using report::count;

v1::Estimate estimate_of(const jobs::Preflight& found, const Forecast& times, int threads) {
    const double solve_s = times.setup_s + static_cast<double>(found.packs) * times.pack_s;
    const double total_s = times.mesh_s + solve_s + times.package_s;
    v1::Estimate estimate = estimate_of(found);
    estimate.set_mesh_s(times.mesh_s);
    estimate.set_setup_s(times.setup_s);
    estimate.set_each_pack_s(times.pack_s);
    estimate.set_package_s(times.package_s);
    estimate.set_solve_s(solve_s);
    estimate.set_total_s(total_s);
    estimate.set_spread(times.spread);
    estimate.set_low_s(total_s / times.spread);
    estimate.set_high_s(total_s * times.spread);
    estimate.set_threads(count(threads));
    return estimate;
}

}  // namespace kaname::compute
