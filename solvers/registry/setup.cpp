// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/registry/setup.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "solvers/base/units.hpp"
#include "solvers/earth/gridded_surface.hpp"
#include "solvers/registry/fault_request.hpp"

namespace kaname::registry {
namespace {

constexpr double kTinyLength_m = 1e-6;  // rounding of coordinates that should be equal

std::string number(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
}

double grid_azimuth(const earth::Projection& projection, double lon_deg, double lat_deg,
                    double true_azimuth_deg) {
    return true_azimuth_deg * kDegree + projection.convergence({lon_deg, lat_deg});
}

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

std::string patch_name(int along_strike, int down_dip) {
    char text[32];
    std::snprintf(text, sizeof text, "s%02dd%02d", along_strike, down_dip);
    return text;
}

Setup::Setup(const GreensJob& job) : job_(job) {
    if (job.region.projected) {
        projection_.emplace(earth::LonLat{job.region.centre_lon_deg, job.region.centre_lat_deg});
    }
    box_ = {job.region.size_east_m, job.region.size_north_m, job.region.depth_m,
            job.region.azimuth_deg * kDegree};
    if (job.volume_model) {
        volumes_.emplace(job.volume_model->model, box_.azimuth_rad);
    } else if (job.volumes) {
        throw Error(ErrorCode::Internal, "structure.volumes: their model has not been built");
    }
    place_stations();
    if (job.scenario) {
        models_ = read_models(*job.scenario, projection_);
    }
    if (const auto* spec = std::get_if<InterfaceSpec>(&job.fault)) {
        build_interface(*spec);
    } else if (const auto* plane = std::get_if<PlaneSpec>(&job.fault)) {
        build_plane(*plane);
    } else if (mesh_file() != nullptr) {
        build_mesh_file(std::get<MeshFileSpec>(job.fault));
    } else if (const auto* several = std::get_if<SeveralFaultsSpec>(&job.fault)) {
        build_several(*several);
    } else {
        build_planes_of_models();
    }
    if (job.scenario && fault_ && segment_faults_.empty()) {
        std::optional<PlaneOutline> outline;
        if (const auto* plane = std::get_if<PlaneSpec>(&job.fault)) {
            outline = outline_of(*plane, "fault.plane");
        }
        find_segment_faults({fault_.get()}, {outline});
    }
}

void Setup::place_stations() {
    for (const StationSpec& station : job_.stations) {
        const auto at = projection_ ? projection_->forward({station.lon_deg, station.lat_deg})
                                    : earth::MapPoint{station.x_m, station.y_m};
        const double z = station.depth_m ? -*station.depth_m : ground_m(at.x_m, at.y_m);
        stations_.push_back({at.x_m, at.y_m, z});
    }
}

void Setup::add_sources(std::vector<sources::Patch> patches) {
    for (const sources::Patch& patch : patches) {
        for (const ComponentSpec& component : job_.components) {
            sources_.push_back({patch.id + "/" + component.name, component.name,
                                component.rake_deg * kDegree, patch});
        }
    }
}

void Setup::build_mesh_file(const MeshFileSpec& spec) {
    meshing::GmshRoles roles;
    for (const earth::Material& material : job_.structure.materials) {
        roles.materials.push_back(material.name);
    }
    for (const MeshFileSpec::Surface& surface : spec.surfaces) {
        meshing::GmshRoles::Fault fault{surface.name, surface.field};
        if (surface.strike_deg) {
            fault.strike_rad = *surface.strike_deg * kDegree;
        }
        roles.faults.push_back(std::move(fault));
    }
    for (const MeshBoundarySpec& boundary : spec.boundaries) {
        roles.boundaries.push_back({boundary.name, boundary.field});
    }
    roles.top = spec.top;
    roles.length_unit = spec.length_unit;
    gmsh_ = std::make_unique<meshing::GmshSource>(spec.path, std::move(roles));
}

std::vector<std::string> Setup::slip_source_ids() const {
    std::vector<std::string> ids;
    for (const sources::UnitSource& source : sources_) {
        ids.push_back(source.id);
    }
    for (const ScenarioModel& model : models_) {
        ids.push_back(model.spec->id);
    }
    if (mesh_file() != nullptr) {
        for (const SlipSourceSpec& source : mesh_file()->sources) {
            ids.push_back(source.name);
        }
    }
    return ids;
}

std::vector<std::string> Setup::source_ids() const {
    std::vector<std::string> ids = slip_source_ids();
    for (const BoundarySourceSpec& source : job_.boundary_sources) {
        ids.push_back(source.id);
    }
    return ids;
}

int Setup::boundary_source(const std::string& id) const {
    const auto found = std::ranges::find(job_.boundary_sources, id, &BoundarySourceSpec::id);
    return found == job_.boundary_sources.end()
               ? -1
               : static_cast<int>(found - job_.boundary_sources.begin());
}

void Setup::build_interface(const InterfaceSpec& spec) {
    SectionFrame section;
    if (job_.scenario) {
        const SlipFrame frame = frame_of(models_, [](std::size_t, int) { return true; });
        section = {frame.centre.x, frame.centre.y, frame.strike_rad};
    } else {
        const auto origin = projection_->forward({spec.origin_lon_deg, spec.origin_lat_deg});
        section = {
            origin.x_m, origin.y_m,
            grid_azimuth(*projection_, spec.origin_lon_deg, spec.origin_lat_deg, spec.strike_deg)};
    }
    auto fault = interface_fault(spec, section);
    const sources::InterfaceFault& surface = *fault;
    fault_ = std::move(fault);
    meshing::FaultWindow window =
        job_.scenario ? window_of_models([](std::size_t, int) { return true; }) : lay_patches(spec);
    if (volumes_) {
        std::vector<RequestedFault> requested;
        requested.push_back(interface_request(*volumes_, box_, volumes_->surface(spec.of), surface,
                                              section, fault_part(window)));
        mesh_volumes(std::move(requested));
        return;
    }
    // Lattice triangles are fault faces when all of them lies in the window; with two cells to
    // spare every node under a hat is inside the fault.
    window = widened(window, 2.0 * job_.size_at_fault_m);
    mesh_source_ = meshing::make_column_lattice(
        {box_,
         {job_.size_at_fault_m, job_.size_far_m, job_.growth, job_.layers_above, job_.layers_below},
         job_.structure,
         [surface = interface_.get()](double x, double y) { return surface->depth_m(x, y); },
         fault_.get(),
         window,
         spec.reaches_surface});
}

std::unique_ptr<sources::InterfaceFault> Setup::interface_fault(const InterfaceSpec& spec,
                                                                const SectionFrame& section) {
    std::function<double(double, double)> depth;
    if (volumes_) {
        depth = [volumes = *volumes_, surface = volumes_->surface(spec.of)](double x, double y) {
            return -volumes.height_m(surface, x, y);
        };
    } else {
        const double half = 0.5 * std::hypot(box_.size_east_m, box_.size_north_m);
        interface_ = std::make_unique<earth::InterfaceSurface>(
            earth::read_gridded_surface(spec.surface_path), *projection_,
            earth::InterfaceSurface::Params{spec.min_depth_m, spec.max_depth_m,
                                            spec.smoothing_length_m, half});
        depth = [surface = interface_.get()](double x, double y) { return surface->depth_m(x, y); };
    }
    return std::make_unique<sources::InterfaceFault>(depth, section.origin_x, section.origin_y,
                                                     section.strike_rad);
}

meshing::FaultWindow Setup::window_of_models(const ModelFilter& of) const {
    constexpr double kInf = std::numeric_limits<double>::infinity();
    meshing::FaultWindow window{kInf, -kInf, kInf, -kInf};
    for (std::size_t model = 0; model < models_.size(); ++model) {
        const auto segments = [&](int segment) { return of(model, segment); };
        for (const Vec3& x : models_[model].outline(job_.size_at_fault_m, segments)) {
            const sources::FaultCoordinates at = fault_->coordinates(x);
            window.s_min = std::min(window.s_min, at.s);
            window.s_max = std::max(window.s_max, at.s);
            window.d_min = std::min(window.d_min, at.d);
            window.d_max = std::max(window.d_max, at.d);
        }
    }
    return window;
}

meshing::FaultWindow Setup::lay_patches(const InterfaceSpec& spec) {
    std::vector<sources::Patch> patches;
    meshing::FaultWindow window{0.0, 0.0, 0.0, 0.0};
    for (int j = 0; j < spec.n_dip; ++j) {
        for (int i = 0; i < spec.n_strike; ++i) {
            sources::Patch patch{patch_name(i, j),
                                 {i * spec.spacing_strike_m, j * spec.spacing_dip_m},
                                 spec.spacing_strike_m,
                                 spec.spacing_dip_m,
                                 spec.hat};
            patch.column = i;
            patch.row = j;
            window.s_min = std::min(window.s_min, patch.centre.s - patch.reach_s());
            window.s_max = std::max(window.s_max, patch.centre.s + patch.reach_s());
            window.d_min = std::min(window.d_min, patch.centre.d - patch.reach_d());
            window.d_max = std::max(window.d_max, patch.centre.d + patch.reach_d());
            patches.push_back(patch);
        }
    }
    add_sources(std::move(patches));
    return window;
}

void Setup::build_plane(const PlaneSpec& spec) {
    lay_plane(outline_of(spec, "fault.plane"), spec.n_strike, spec.n_dip);
}

PlaneOutline Setup::outline_of(const PlaneSpec& spec, const std::string& field) const {
    const auto at = projection_->forward({spec.centre_lon_deg, spec.centre_lat_deg});
    if (!inside_box({at.x_m, at.y_m, -spec.top_depth_m})) {
        throw ValidationError(std::vector<Violation>{
            {field, "centre must lie inside the region, got " + number(at.x_m / 1000.0) +
                        " km east and " + number(at.y_m / 1000.0) +
                        " km north of the region's centre, at depth " + number(spec.top_depth_m) +
                        " m"}});
    }
    const double strike =
        grid_azimuth(*projection_, spec.centre_lon_deg, spec.centre_lat_deg, spec.strike_deg);
    return {{at.x_m, at.y_m, -spec.top_depth_m},
            strike,
            spec.dip_deg * kDegree,
            spec.length_m,
            spec.width_m};
}

/// Hats between the rectangle's edges, zero on all of them.
void Setup::add_tapered(const PlaneOutline& plane, int n_strike, int n_dip) {
    std::vector<sources::Patch> patches;
    const double length = plane.length_m / (n_strike + 1);
    const double width = plane.width_m / (n_dip + 1);
    for (int j = 0; j < n_dip; ++j) {
        for (int i = 0; i < n_strike; ++i) {
            patches.push_back({patch_name(i, j),
                               {(i + 1) * length - 0.5 * plane.length_m, (j + 1) * width},
                               length,
                               width,
                               sources::Hat::Bilinear});
            patches.back().column = i;
            patches.back().row = j;
        }
    }
    add_sources(std::move(patches));
}

void Setup::lay_plane(const PlaneOutline& spec, int n_strike, int n_dip) {
    if (volumes_) {
        lay_plane_in_volumes(spec, n_strike, n_dip);
        return;
    }
    const Vec3& top = spec.top_centre;
    const double strike = spec.strike_rad;
    const double dip = spec.dip_rad;
    auto plane = std::make_unique<sources::PlaneFault>(top, strike, dip);

    meshing::FaultWindow window{-0.5 * spec.length_m, 0.5 * spec.length_m, 0.0, spec.width_m};
    const bool breaks_surface = top.z == 0.0;
    uniform_slip_ = !job_.scenario && n_strike * n_dip == 1;
    const RimCells along(spec.length_m, job_.size_at_fault_m, uniform_slip_ ? 2 : 0);
    const RimCells down(spec.width_m, job_.size_at_fault_m,
                        uniform_slip_ ? (breaks_surface ? 1 : 2) : 0);
    if (uniform_slip_) {
        add_sources({{patch_name(0, 0),
                      {0.0, 0.5 * spec.width_m},
                      spec.length_m,
                      spec.width_m,
                      sources::Hat::Uniform}});
        window.s_min -= along.h / 6.0;
        window.s_max += along.h / 6.0;
        window.d_min -= breaks_surface ? 0.0 : down.h / 6.0;
        window.d_max += down.h / 6.0;
    } else if (!job_.scenario) {
        add_tapered(spec, n_strike, n_dip);
    }
    if (-top.z + window.d_min * std::sin(dip) < 0.0) {
        throw ValidationError(
            {{"fault.plane.top_depth_m", "must be 0 (the fault breaks the surface) or at least " +
                                             number(-window.d_min * std::sin(dip)) +
                                             " (a sixth of a cell), got " + number(-top.z)}});
    }
    box_.azimuth_rad = strike;
    const double along_centre = top.x * std::sin(strike) + top.y * std::cos(strike);
    const double room = 0.5 * box_.size_north_m - std::abs(along_centre);
    if (window.s_max > room + kTinyLength_m) {
        throw ValidationError(
            {{"fault.plane.length_m", "the fault must stay inside the region, which leaves " +
                                          number(2.0 * room) + " m along strike, got " +
                                          number(spec.length_m)}});
    }
    if (-top.z + window.d_max * std::sin(dip) > box_.depth_m + kTinyLength_m) {
        throw ValidationError(
            {{"fault.plane.width_m", "the fault must stay above the bottom at " +
                                         number(box_.depth_m) + " m, but reaches " +
                                         number(-top.z + spec.width_m * std::sin(dip))}});
    }
    fault_ = std::move(plane);
    mesh_source_ = meshing::make_plane_lattice(
        {box_,
         {job_.size_at_fault_m, job_.size_far_m, job_.growth, job_.layers_above, job_.layers_below},
         job_.structure,
         top,
         strike,
         dip,
         window,
         along.n,
         down.n});
}

}  // namespace kaname::registry
