// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/geometry/sources/fault_patches.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/meshing/mesh_source.hpp"
#include "worker/jobs/geometry/available_memory.hpp"
#include "worker/jobs/geometry/sources/scenario_models.hpp"
#include "worker/jobs/geometry/volume_plan.hpp"

namespace kaname::jobs {
namespace {

bool breaks_surface(const PlaneOutline& plane) {
    return plane.top_centre.z == 0.0;
}

fault::Patch rectangle_on(const PlaneOutline& plane, const FaultPatch& named) {
    return {
        named.id, {0.0, 0.5 * plane.width_m}, plane.length_m, plane.width_m, fault::Hat::Uniform};
}

/// Hats of a grid. Towards a buried edge the outer ones taper over a whole spacing; towards one
/// that is open, and at the ground, they slip in full over half a spacing.
std::vector<fault::Patch> hats_on(const PlaneOutline& plane, const FaultPatches& grid,
                                  const OpenEdges& open) {
    const auto beside = [](bool is_open) { return is_open ? 0.5 : 1.0; };
    const bool open_top = breaks_surface(plane);
    const double length =
        plane.length_m / (grid.n_strike - 1 + beside(open.start) + beside(open.end));
    const double width = plane.width_m / (grid.n_dip - 1 + beside(open_top) + beside(open.bottom));
    std::vector<fault::Patch> patches;
    for (const FaultPatch& named : grid.patches) {
        patches.push_back({named.id,
                           {(named.column + beside(open.start)) * length - 0.5 * plane.length_m,
                            (named.row + beside(open_top)) * width},
                           length,
                           width,
                           fault::Hat::Bilinear});
        fault::Patch& patch = patches.back();
        patch.column = named.column;
        patch.row = named.row;
        patch.open_top = open_top && named.row == 0;
        patch.open_start = open.start && named.column == 0;
        patch.open_end = open.end && named.column == grid.n_strike - 1;
        patch.open_bottom = open.bottom && named.row == grid.n_dip - 1;
    }
    return patches;
}

std::vector<fault::Patch> hats_on(const InterfaceGeometry& interface, const FaultPatches& grid) {
    std::vector<fault::Patch> patches;
    for (const FaultPatch& named : grid.patches) {
        patches.push_back(
            {named.id,
             {named.column * interface.spacing_strike_m, named.row * interface.spacing_dip_m},
             interface.spacing_strike_m,
             interface.spacing_dip_m,
             interface.hat});
        patches.back().column = named.column;
        patches.back().row = named.row;
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
    if (const auto* several = std::get_if<FaultsInOneMesh>(&job.fault)) {
        return several->faults;
    }
    if (const auto* interface = std::get_if<InterfaceGeometry>(&job.fault)) {
        return {{"", "fault", *interface, job.patches}};
    }
    if (const auto* plane = std::get_if<PlaneGeometry>(&job.fault)) {
        return {{"", "fault", *plane, job.patches}};
    }
    return {};
}

SectionFrame section_of(const Domain& domain, const InterfaceGeometry& interface) {
    const earth::LonLat origin{interface.origin_lon_deg, interface.origin_lat_deg};
    const auto at = domain.projection().forward(origin);
    return {at.x_m, at.y_m, domain.grid_azimuth_rad(origin, interface.strike_deg)};
}

PatchesInVolumes patches_in_volumes(const GreensJob& job, const Domain& domain,
                                    const fault::PlaneFault& surface, const PlaneOutline& plane,
                                    const FaultPatches& of_job, const OpenEdges& open,
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

PatchesInVolumes patches_in_volumes(const Domain& domain, const InterfaceGeometry& interface,
                                    const FaultPatches& of_job, const std::string& field) {
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

namespace {

class Window {
public:
    explicit Window(double azimuth_rad) : frame_(azimuth_rad) {}
    void add(double x, double y, double around_m) {
        const double u = frame_.b(x, y);
        const double v = frame_.a(x, y);
        window_ = {std::min(window_.low_u, u - around_m), std::max(window_.high_u, u + around_m),
                   std::min(window_.low_v, v - around_m), std::max(window_.high_v, v + around_m)};
        any_ = true;
    }
    [[nodiscard]] std::optional<earth::PlanWindow> get() const {
        return any_ ? std::optional(window_) : std::nullopt;
    }

private:
    static constexpr double kInf = std::numeric_limits<double>::infinity();
    meshing::BoxFrame frame_;
    earth::PlanWindow window_{kInf, -kInf, kInf, -kInf};
    bool any_ = false;
};

void add_models(const GreensJob& job, const std::optional<earth::Projection>& projection,
                Window& window) {
    for (const ScenarioModel& model : read_models(*job.scenario, projection)) {
        for (const Vec3& x : model.outline(job.mesh.size_at_fault_m, [](int) { return true; })) {
            window.add(x.x, x.y, 0.0);
        }
    }
}

}  // namespace

std::optional<earth::PlanWindow> plan_focus(const GreensJob& job,
                                            const std::optional<earth::Projection>& projection) {
    Window window(job.region.azimuth_deg * kDegree);
    const auto add = [&](double lon_deg, double lat_deg, double around_m) {
        const auto at = projection->forward({lon_deg, lat_deg});
        window.add(at.x_m, at.y_m, around_m);
    };
    const auto add_interface = [&](const InterfaceGeometry& interface,
                                   const FaultPatches& patches) {
        add(interface.origin_lon_deg, interface.origin_lat_deg,
            (patches.n_strike + 1) * interface.spacing_strike_m +
                (patches.n_dip + 1) * interface.spacing_dip_m);
    };
    const auto add_plane = [&](const PlaneGeometry& plane) {
        add(plane.centre_lon_deg, plane.centre_lat_deg, 0.5 * plane.length_m + plane.width_m);
    };
    if (job.scenario) {
        try {
            add_models(job, projection, window);
        } catch (const Error&) {
            return std::nullopt;
        }
    } else {
        for (const NamedFault& named : named_faults(job)) {
            if (const auto* plane = std::get_if<PlaneGeometry>(&named.fault)) {
                add_plane(*plane);
            } else {
                add_interface(std::get<InterfaceGeometry>(named.fault), named.patches);
            }
        }
    }
    if (job.mesh.sizes.at_stations_m > 0.0) {
        for (const Station& station : job.stations) {
            add(station.lon_deg, station.lat_deg, 0.0);
        }
    }
    return window.get();
}

}  // namespace kaname::jobs
