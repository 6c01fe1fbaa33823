// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/geometry/plane_fault.hpp"

#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "solvers/jobs/geometry/fault_in_volumes.hpp"
#include "solvers/jobs/geometry/fault_patches.hpp"

namespace kaname::jobs {

PlaneOutline outline_of(const Domain& domain, const PlaneSpec& spec, const std::string& field) {
    const earth::LonLat centre{spec.centre_lon_deg, spec.centre_lat_deg};
    const auto at = domain.projection().forward(centre);
    if (!domain.inside_box({at.x_m, at.y_m, -spec.top_depth_m})) {
        throw ValidationError(std::vector<Violation>{
            {field, "centre must lie inside the region, got " + number(at.x_m / 1000.0) +
                        " km east and " + number(at.y_m / 1000.0) +
                        " km north of the region's centre, at depth " + number(spec.top_depth_m) +
                        " m"}});
    }
    return {{at.x_m, at.y_m, -spec.top_depth_m},
            domain.grid_azimuth_rad(centre, spec.strike_deg),
            spec.dip_deg * kDegree,
            spec.length_m,
            spec.width_m};
}

PlaneFaultModel::PlaneFaultModel(const GreensJob& job, const Domain& domain,
                                 std::span<const ScenarioModel> models, const PlaneOutline& plane)
    : GeneratedFault(job, domain, models),
      surface_(plane.top_centre, plane.strike_rad, plane.dip_rad) {
    grid_.field = "fault.plane";
    meshing::FaultWindow window = window_to_ground(domain, plane);
    if (!of_scenario()) {  // the models' slip ends inside of it
        PatchesInVolumes made =
            patches_in_volumes(job, domain, surface_, plane, job.patches, grid_.field);
        grid_ = std::move(made.grid);
        window = made.window;
    }
    std::vector<RequestedFault> requested;
    requested.push_back(request_plane(job, domain, surface_, window));
    mesh_volumes(std::move(requested));
    find_segment_faults(
        1, [&](int /*fault*/, const Vec3& x) { return near_fault(surface_, plane, x); });
}

std::unique_ptr<SourceSet> PlaneFaultModel::own_sources() const {
    return std::make_unique<PatchSources>(job(), domain(), surface_, grid_, job().patches);
}

}  // namespace kaname::jobs
