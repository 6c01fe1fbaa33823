// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/geometry/plane_fault.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "solvers/jobs/geometry/fault_in_volumes.hpp"
#include "solvers/jobs/geometry/fault_patches.hpp"
#include "solvers/meshing/lattice/lattices.hpp"

namespace kaname::jobs {
namespace {

constexpr double kTinyLength_m = 1e-6;  // rounding of coordinates that should be equal

/// Cells along an edge of given length when `rims` of its two ends are moved out by h/6 each, so
/// that cells h satisfy n h = length + rims h/6.
struct RimCells {
    int n;
    double h;
    RimCells(double length, double target, int rims)
        : n(std::max(2, static_cast<int>(std::ceil(length / target)))),
          h(length / (n - rims / 6.0)) {}
};

}  // namespace

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

PlaneFaultModel::PlaneFaultModel(const GreensJob& job, Domain& domain,
                                 std::span<const ScenarioModel> models, const PlaneOutline& plane)
    : GeneratedFault(job, domain, models),
      surface_(plane.top_centre, plane.strike_rad, plane.dip_rad) {
    grid_.field = "fault.plane";
    if (domain.has_volumes()) {
        lay_in_volumes(plane);
    } else {
        lay_lattice(domain, plane);
    }
    find_segment_faults(
        1, [&](int /*fault*/, const Vec3& x) { return near_fault(surface_, plane, x); });
}

void PlaneFaultModel::lay_in_volumes(const PlaneOutline& plane) {
    meshing::FaultWindow window = window_to_ground(domain(), plane);
    if (!of_scenario()) {  // the models' slip ends inside of it
        PatchesInVolumes made =
            patches_in_volumes(job(), domain(), surface_, plane, job().patches, grid_.field);
        grid_ = std::move(made.grid);
        window = made.window;
    }
    std::vector<RequestedFault> requested;
    requested.push_back(request_plane(job(), domain(), surface_, window));
    mesh_volumes(std::move(requested));
}

void PlaneFaultModel::lay_lattice(Domain& domain, const PlaneOutline& plane) {
    const PatchGridSpec& grid = job().patches;
    const Vec3& top = plane.top_centre;
    const double strike = plane.strike_rad;
    const double dip = plane.dip_rad;
    meshing::FaultWindow window{-0.5 * plane.length_m, 0.5 * plane.length_m, 0.0, plane.width_m};
    grid_.uniform = !of_scenario() && grid.patches.size() == 1;
    const double size = job().mesh.size_at_fault_m;
    const RimCells along(plane.length_m, size, grid_.uniform ? 2 : 0);
    const RimCells down(plane.width_m, size, grid_.uniform ? (breaks_surface(plane) ? 1 : 2) : 0);
    if (grid_.uniform) {
        grid_.patches = {rectangle_on(plane, grid.patches.at(0))};
        window.s_min -= along.h / 6.0;
        window.s_max += along.h / 6.0;
        window.d_min -= breaks_surface(plane) ? 0.0 : down.h / 6.0;
        window.d_max += down.h / 6.0;
    } else if (!of_scenario()) {
        grid_.patches = hats_on(plane, grid);
    }
    if (-top.z + window.d_min * std::sin(dip) < 0.0) {
        throw ValidationError(
            {{"fault.plane.top_depth_m", "must be 0 (the fault breaks the surface) or at least " +
                                             number(-window.d_min * std::sin(dip)) +
                                             " (a sixth of a cell), got " + number(-top.z)}});
    }
    domain.turn_box(strike);
    const meshing::Box& box = domain.box();
    const double room = 0.5 * box.size_north_m - std::abs(domain.box_north_m(top));
    if (window.s_max > room + kTinyLength_m) {
        throw ValidationError(
            {{"fault.plane.length_m", "the fault must stay inside the region, which leaves " +
                                          number(2.0 * room) + " m along strike, got " +
                                          number(plane.length_m)}});
    }
    if (-top.z + window.d_max * std::sin(dip) > box.depth_m + kTinyLength_m) {
        throw ValidationError(
            {{"fault.plane.width_m", "the fault must stay above the bottom at " +
                                         number(box.depth_m) + " m, but reaches " +
                                         number(-top.z + plane.width_m * std::sin(dip))}});
    }
    mesh_lattice(meshing::make_plane_lattice({box,
                                              {size, job().mesh.size_far_m, job().mesh.growth,
                                               job().mesh.layers_above, job().mesh.layers_below},
                                              job().structure,
                                              top,
                                              strike,
                                              dip,
                                              window,
                                              along.n,
                                              down.n}));
}

std::unique_ptr<SourceSet> PlaneFaultModel::own_sources() const {
    return std::make_unique<PatchSources>(job(), domain(), surface_, grid_, job().patches);
}

void PlaneFaultModel::check(std::vector<Violation>& violations) const {
    if (!domain().has_volumes() && job().region.azimuth_deg != 0.0) {
        violations.push_back(
            {"region.azimuth_deg",
             "must be 0 for a planar fault in layers (the box is turned to its strike), got " +
                 number(job().region.azimuth_deg)});
    }
}

}  // namespace kaname::jobs
