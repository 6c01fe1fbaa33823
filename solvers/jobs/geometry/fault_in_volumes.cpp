// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/geometry/fault_in_volumes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/jobs/geometry/rough_count.hpp"
#include "solvers/jobs/geometry/volume_plan.hpp"

namespace kaname::jobs {

FaultPart FaultInVolumes::part(const meshing::FaultWindow& slipping) const {
    const double size = job_.mesh.size_at_fault_m;
    FaultPart part{slipping, size, size, size};
    const double top_m = least_wedge_m(slipping);
    if (top_m < kBlunted * size) {
        // A fault whose top is almost at the ground is extended up to the ground.
        const bool breaks = top_m < 0.5 * kBlunted * kLeastInWedge * size;
        part.top_m = breaks ? 0.0 : top_m;
        part.least_m =
            breaks ? kLeastAtTip * size : std::max(top_m / kBlunted, kLeastInWedge * size);
    }
    double at_top = part.least_m;
    for_upper_edge(slipping, [&](double under_m, double dip_rad) {
        at_top = std::max(at_top, part.size_at(under_m, dip_rad));
    });
    part.window = widened(slipping, kMarginInVolumes * size, kMarginInVolumes * at_top);
    // 2 A times the integral over the distance of kTetsPerSizeCubed / (size + growth x)^3. Asked
    // before there is a sample for every half of the size.
    const meshing::FaultWindow& w = part.window;
    require_room_for(kTetsPerSizeCubed * (w.s_max - w.s_min) * (w.d_max - w.d_min) /
                     (job_.mesh.growth * size * size));
    return part;
}

double FaultInVolumes::least_wedge_m(const meshing::FaultWindow& slipping) const {
    double least = std::numeric_limits<double>::infinity();
    for_upper_edge(slipping, [&](double under_m, double dip_rad) {
        least = dip_rad < kThinWedge_rad ? std::min(least, under_m) : least;
    });
    return least;
}

void FaultInVolumes::for_upper_edge(const meshing::FaultWindow& window,
                                    const std::function<void(double, double)>& visit) const {
    constexpr int kPlaces = 64;
    for (int i = 0; i <= kPlaces; ++i) {
        const fault::FaultCoordinates at{window.s_min + i * (window.s_max - window.s_min) / kPlaces,
                                         window.d_min};
        const Vec3 x = surface_.point(at);
        visit(domain_.ground_m(x.x, x.y) - x.z,
              std::acos(std::clamp(surface_.normal(at).z, -1.0, 1.0)));
    }
}

meshing::FaultWindow window_to_ground(const Domain& domain, const PlaneOutline& plane) {
    const bool breaks_surface = plane.top_centre.z == 0.0;
    const double above = breaks_surface ? std::max(domain.volumes().highest_ground_m(), 0.0) /
                                              std::sin(plane.dip_rad)
                                        : 0.0;
    return {-0.5 * plane.length_m, 0.5 * plane.length_m, -above, plane.width_m};
}

RequestedFault request_plane(const GreensJob& job, const Domain& domain,
                             const fault::PlaneFault& surface, const meshing::FaultWindow& window) {
    const FaultInVolumes fault(job, domain, surface);
    FaultPart part = fault.part(window);
    const double under_m = fault.least_wedge_m(part.window);
    if (under_m < kBlunted * part.least_m) {
        // There is no place for a rim: up to the ground.
        const double sine = -surface.down_dip().z;
        part.window.d_min -= (std::max(under_m, 0.0) + part.above_m()) / sine;
    }
    return plane_request(domain.volumes(), domain.box(), surface, part);
}

RequestedFault request_interface(const GreensJob& job, const Domain& domain, const std::string& of,
                                 const fault::InterfaceFault& fault, const SectionFrame& section,
                                 const meshing::FaultWindow& window) {
    const VolumeGeometry& volumes = domain.volumes();
    return interface_request(volumes, domain.box(), volumes.surface(of), fault, section,
                             FaultInVolumes(job, domain, fault).part(window));
}

std::unique_ptr<fault::InterfaceFault> interface_in_volumes(const Domain& domain,
                                                            const std::string& of,
                                                            const SectionFrame& section) {
    const VolumeGeometry& volumes = domain.volumes();
    return std::make_unique<fault::InterfaceFault>(
        [volumes, surface = volumes.surface(of)](double x, double y) {
            return -volumes.height_m(surface, x, y);
        },
        section.origin_x, section.origin_y, section.strike_rad);
}

}  // namespace kaname::jobs
