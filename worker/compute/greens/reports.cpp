// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/greens/reports.hpp"

#include "proto/report/report.hpp"

namespace kaname::compute {

using report::count;

v1::Estimate estimate_of(const jobs::Preflight& found, const Forecast& times, int threads) {
    const double solve_s = times.setup_s + static_cast<double>(found.packs) * times.pack_s;
    const double total_s = times.mesh_s + solve_s + times.package_s;
    v1::Estimate estimate;
    estimate.set_vertices(count(found.vertices));
    estimate.set_tets(count(found.tets));
    estimate.set_dof(count(found.dof));
    estimate.set_sources(count(found.sources));
    estimate.set_packs(count(found.packs));
    estimate.set_stations(count(found.stations));
    estimate.set_steps(count(found.steps));
    estimate.set_epochs(count(found.epochs));
    estimate.set_method(found.method);
    estimate.set_first_step_s(found.step_s);
    estimate.set_longest_step_s(found.longest_step_s);
    estimate.set_end_s(found.end_s);
    estimate.set_shortest_relaxation_time_s(found.shortest_relaxation_time_s);
    estimate.set_solve_bytes(found.solve_bytes);
    estimate.set_gpu_bytes(found.gpu_bytes);
    estimate.set_available_bytes(found.available_bytes);
    estimate.set_dataset_bytes(found.dataset_bytes);
    estimate.set_surface_bytes(found.surface_bytes);
    estimate.set_surface_stored(found.surface_stored);
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
    estimate.mutable_warnings()->Assign(found.warnings.begin(), found.warnings.end());
    estimate.mutable_notes()->Assign(found.notes.begin(), found.notes.end());
    return estimate;
}

}  // namespace kaname::compute
