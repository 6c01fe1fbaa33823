// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/geometry/fault_patches.hpp"

#include <algorithm>

#include "solvers/jobs/geometry/fault_in_volumes.hpp"

namespace kaname::jobs {
namespace {

bool breaks_surface(const PlaneOutline& plane) {
    return plane.top_centre.z == 0.0;
}

fault::Patch rectangle_on(const PlaneOutline& plane, const PatchSpec& spec) {
    return {
        spec.id, {0.0, 0.5 * plane.width_m}, plane.length_m, plane.width_m, fault::Hat::Uniform};
}

/// Hats of a grid. Towards a buried edge the outer ones taper over a whole spacing; towards one
/// that is open, and at the ground, they slip in full over half a spacing.
std::vector<fault::Patch> hats_on(const PlaneOutline& plane, const PatchGridSpec& grid,
                                  const OpenEdges& open) {
    const auto beside = [](bool is_open) { return is_open ? 0.5 : 1.0; };
    const bool open_top = breaks_surface(plane);
    const double length =
        plane.length_m / (grid.n_strike - 1 + beside(open.start) + beside(open.end));
    const double width = plane.width_m / (grid.n_dip - 1 + beside(open_top) + beside(open.bottom));
    std::vector<fault::Patch> patches;
    for (const PatchSpec& spec : grid.patches) {
        patches.push_back({spec.id,
                           {(spec.column + beside(open.start)) * length - 0.5 * plane.length_m,
                            (spec.row + beside(open_top)) * width},
                           length,
                           width,
                           fault::Hat::Bilinear});
        fault::Patch& patch = patches.back();
        patch.column = spec.column;
        patch.row = spec.row;
        patch.open_top = open_top && spec.row == 0;
        patch.open_start = open.start && spec.column == 0;
        patch.open_end = open.end && spec.column == grid.n_strike - 1;
        patch.open_bottom = open.bottom && spec.row == grid.n_dip - 1;
    }
    return patches;
}

std::vector<fault::Patch> hats_on(const InterfaceSpec& interface, const PatchGridSpec& grid) {
    std::vector<fault::Patch> patches;
    for (const PatchSpec& spec : grid.patches) {
        patches.push_back(
            {spec.id,
             {spec.column * interface.spacing_strike_m, spec.row * interface.spacing_dip_m},
             interface.spacing_strike_m,
             interface.spacing_dip_m,
             interface.hat});
        patches.back().column = spec.column;
        patches.back().row = spec.row;
    }
    return patches;
}

meshing::FaultWindow window_of(const std::vector<fault::Patch>& patches) {
    meshing::FaultWindow window;
    for (const fault::Patch& patch : patches) {
        window.s_min = std::min(window.s_min, patch.centre.s - patch.reach_s());
        window.s_max = std::max(window.s_max, patch.centre.s + patch.reach_s());
        window.d_min = std::min(window.d_min, patch.centre.d - patch.reach_d());
        window.d_max = std::max(window.d_max, patch.centre.d + patch.reach_d());
    }
    return window;
}

}  // namespace

std::vector<NamedFault> named_faults(const GreensJob& job) {
    if (const auto* several = std::get_if<SeveralFaultsSpec>(&job.fault)) {
        return several->faults;
    }
    if (const auto* interface = std::get_if<InterfaceSpec>(&job.fault)) {
        return {{"", "fault", *interface, job.patches}};
    }
    if (const auto* plane = std::get_if<PlaneSpec>(&job.fault)) {
        return {{"", "fault", *plane, job.patches}};
    }
    return {};
}

SectionFrame section_of(const Domain& domain, const InterfaceSpec& interface) {
    const earth::LonLat origin{interface.origin_lon_deg, interface.origin_lat_deg};
    const auto at = domain.projection().forward(origin);
    return {at.x_m, at.y_m, domain.grid_azimuth_rad(origin, interface.strike_deg)};
}

PatchesInVolumes patches_in_volumes(const GreensJob& job, const Domain& domain,
                                    const fault::PlaneFault& surface, const PlaneOutline& plane,
                                    const PatchGridSpec& of_job, const OpenEdges& open,
                                    const std::string& field) {
    PatchesInVolumes made;
    made.grid.field = field;
    made.window = window_to_ground(domain, plane);
    const bool hats = of_job.patches.size() > 1;
    if (hats) {
        made.grid.patches = hats_on(plane, of_job, open);
        if (!open.any()) {
            return made;
        }
    } else {
        made.grid.patches = {rectangle_on(plane, of_job.patches.at(0))};
        made.grid.patches.front().open_top = breaks_surface(plane);
    }
    // A projection of slip oscillates about the edges of a patch; at the upper edge it does so in
    // the smaller elements of the wedge.
    const double size = job.mesh.size_at_fault_m;
    const double edge = std::min({size, plane.length_m, plane.width_m});
    const double wedge_m = FaultInVolumes(job, domain, surface).least_wedge_m(made.window);
    const double top = std::min(edge, std::max(wedge_m / kBlunted, kLeastInWedge * size));
    made.window = widened(made.window, 0.5 * edge, 0.5 * top);
    return made;
}

PatchesInVolumes patches_in_volumes(const Domain& domain, const InterfaceSpec& interface,
                                    const PatchGridSpec& of_job, const std::string& field) {
    PatchesInVolumes made;
    made.grid.field = field;
    made.grid.patches = hats_on(interface, of_job);
    made.grid.lacks = [&domain, of = interface.of](const Vec3& x) -> std::string {
        const VolumeGeometry& volumes = domain.volumes();
        return volumes.has_data(volumes.surface(of), x.x, x.y)
                   ? ""
                   : "must lie on the data of surface '" + of +
                         "', within its limits of depth, but has none at " + domain.lonlat_text(x);
    };
    made.window = window_of(made.grid.patches);
    return made;
}

}  // namespace kaname::jobs
