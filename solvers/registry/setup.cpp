// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/registry/setup.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "solvers/base/units.hpp"
#include "solvers/earth/gridded_surface.hpp"

namespace kaname::registry {
namespace {

constexpr double kTinyLength_m = 1e-6;  // rounding of coordinates that should be equal

std::string number(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
}

std::string place(const earth::LonLat& at) {
    char text[64];
    std::snprintf(text, sizeof text, "%.4fE %.4fN", at.lon_deg, at.lat_deg);
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
    if (const auto* spec = std::get_if<InterfaceSpec>(&job.fault)) {
        build_interface(*spec);
    } else if (const auto* plane = std::get_if<PlaneSpec>(&job.fault)) {
        build_plane(*plane);
    } else {
        build_mesh_file(std::get<MeshFileSpec>(job.fault));
    }
    for (const StationSpec& station : job.stations) {
        const auto at = projection_ ? projection_->forward({station.lon_deg, station.lat_deg})
                                    : earth::MapPoint{station.x_m, station.y_m};
        stations_.push_back({at.x_m, at.y_m, -station.depth_m.value_or(0.0)});
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
    gmsh_ = std::make_unique<meshing::GmshSource>(spec.path, std::move(roles));
}

std::vector<std::string> Setup::slip_source_ids() const {
    std::vector<std::string> ids;
    for (const sources::UnitSource& source : sources_) {
        ids.push_back(source.id);
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
    const double half = 0.5 * std::hypot(box_.size_east_m, box_.size_north_m);
    interface_ = std::make_unique<earth::InterfaceSurface>(
        earth::read_gridded_surface(spec.surface_path), *projection_,
        earth::InterfaceSurface::Params{spec.min_depth_m, spec.max_depth_m, spec.smoothing_length_m,
                                        half});
    const auto depth = [surface = interface_.get()](double x, double y) {
        return surface->depth_m(x, y);
    };
    const auto origin = projection_->forward({spec.origin_lon_deg, spec.origin_lat_deg});
    fault_ = std::make_unique<sources::InterfaceFault>(
        depth, origin.x_m, origin.y_m,
        grid_azimuth(*projection_, spec.origin_lon_deg, spec.origin_lat_deg, spec.strike_deg));

    std::vector<sources::Patch> patches;
    meshing::FaultWindow window{0.0, 0.0, 0.0, 0.0};
    for (int j = 0; j < spec.n_dip; ++j) {
        for (int i = 0; i < spec.n_strike; ++i) {
            const sources::Patch patch{patch_name(i, j),
                                       {i * spec.spacing_strike_m, j * spec.spacing_dip_m},
                                       spec.spacing_strike_m,
                                       spec.spacing_dip_m,
                                       spec.hat};
            window.s_min = std::min(window.s_min, patch.centre.s - patch.reach_s());
            window.s_max = std::max(window.s_max, patch.centre.s + patch.reach_s());
            window.d_min = std::min(window.d_min, patch.centre.d - patch.reach_d());
            window.d_max = std::max(window.d_max, patch.centre.d + patch.reach_d());
            patches.push_back(patch);
        }
    }
    add_sources(std::move(patches));
    // Lattice triangles are fault faces when all of them lies in the window; with two cells to
    // spare every node under a hat is inside the fault.
    const double margin = 2.0 * job_.size_at_fault_m;
    window = {window.s_min - margin, window.s_max + margin, window.d_min - margin,
              window.d_max + margin};
    mesh_source_ = meshing::make_column_lattice(
        {box_,
         {job_.size_at_fault_m, job_.size_far_m, job_.growth, job_.layers_above, job_.layers_below},
         job_.structure,
         depth,
         fault_.get(),
         window,
         spec.reaches_surface});
}

void Setup::build_plane(const PlaneSpec& spec) {
    const auto at = projection_->forward({spec.centre_lon_deg, spec.centre_lat_deg});
    const double strike =
        grid_azimuth(*projection_, spec.centre_lon_deg, spec.centre_lat_deg, spec.strike_deg);
    const double dip = spec.dip_deg * kDegree;
    const Vec3 top{at.x_m, at.y_m, -spec.top_depth_m};
    auto plane = std::make_unique<sources::PlaneFault>(top, strike, dip);

    std::vector<sources::Patch> patches;
    meshing::FaultWindow window{-0.5 * spec.length_m, 0.5 * spec.length_m, 0.0, spec.width_m};
    const bool breaks_surface = spec.top_depth_m == 0.0;
    uniform_slip_ = spec.n_strike * spec.n_dip == 1;
    const RimCells along(spec.length_m, job_.size_at_fault_m, uniform_slip_ ? 2 : 0);
    const RimCells down(spec.width_m, job_.size_at_fault_m,
                        uniform_slip_ ? (breaks_surface ? 1 : 2) : 0);
    if (uniform_slip_) {
        patches.push_back({patch_name(0, 0),
                           {0.0, 0.5 * spec.width_m},
                           spec.length_m,
                           spec.width_m,
                           sources::Hat::Uniform});
        window.s_min -= along.h / 6.0;
        window.s_max += along.h / 6.0;
        window.d_min -= breaks_surface ? 0.0 : down.h / 6.0;
        window.d_max += down.h / 6.0;
    } else {
        // Hats between the rectangle's edges, zero on all of them.
        const double length = spec.length_m / (spec.n_strike + 1);
        const double width = spec.width_m / (spec.n_dip + 1);
        for (int j = 0; j < spec.n_dip; ++j) {
            for (int i = 0; i < spec.n_strike; ++i) {
                patches.push_back({patch_name(i, j),
                                   {(i + 1) * length - 0.5 * spec.length_m, (j + 1) * width},
                                   length,
                                   width,
                                   sources::Hat::Bilinear});
            }
        }
    }
    add_sources(std::move(patches));
    if (-top.z + window.d_min * std::sin(dip) < 0.0) {
        throw ValidationError({{"fault.plane.top_depth_m",
                                "must be 0 (the fault breaks the surface) or at least " +
                                    number(-window.d_min * std::sin(dip)) +
                                    " (a sixth of a cell), got " + number(spec.top_depth_m)}});
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
    if (spec.top_depth_m + window.d_max * std::sin(dip) > box_.depth_m + kTinyLength_m) {
        throw ValidationError(
            {{"fault.plane.width_m", "the fault must stay above the bottom at " +
                                         number(box_.depth_m) + " m, but reaches " +
                                         number(spec.top_depth_m + spec.width_m * std::sin(dip))}});
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

bool Setup::inside_box(const Vec3& x) const {
    // Box axes: "north" points along the azimuth.
    const double north = x.x * std::sin(box_.azimuth_rad) + x.y * std::cos(box_.azimuth_rad);
    const double east = x.x * std::cos(box_.azimuth_rad) - x.y * std::sin(box_.azimuth_rad);
    return std::abs(east) <= 0.5 * box_.size_east_m + kTinyLength_m &&
           std::abs(north) <= 0.5 * box_.size_north_m + kTinyLength_m &&
           x.z >= -box_.depth_m - kTinyLength_m;
}

int Setup::normal_axis(mesh::Side side) const {
    constexpr double kParallel = 1e-9;
    if (side == mesh::Side::Bottom || side == mesh::Side::Top) {
        return 2;
    }
    const bool east_west = side == mesh::Side::West || side == mesh::Side::East;
    if (std::abs(std::sin(box_.azimuth_rad)) < kParallel) {
        return east_west ? 0 : 1;
    }
    if (std::abs(std::cos(box_.azimuth_rad)) < kParallel) {
        return east_west ? 1 : 0;
    }
    return -1;
}

void Setup::check_patches(std::vector<Violation>& violations) const {
    const auto* spec = std::get_if<InterfaceSpec>(&job_.fault);
    const std::string field = spec != nullptr ? "fault.interface.patches" : "fault.plane";
    // A hat's support must rest on data; when the fault reaches the surface, the part above the
    // data is an extension by intent and only patch centres are asked for.
    const int samples = spec != nullptr && spec->reaches_surface ? 0 : 2;
    constexpr double kInside = 0.45;  // of the reach: two samples reach 0.9 of the support
    for (std::size_t k = 0; k < sources_.size(); k += job_.components.size()) {
        const sources::Patch& patch = sources_[k].patch;
        bool reported = false;
        for (int i = -samples; i <= samples && !reported; ++i) {
            for (int j = -samples; j <= samples && !reported; ++j) {
                const Vec3 x = fault_->point({patch.centre.s + i * kInside * patch.reach_s(),
                                              patch.centre.d + j * kInside * patch.reach_d()});
                const auto lonlat = projection_->inverse({x.x, x.y});
                if (!inside_box(x)) {
                    violations.push_back({field, "patch " + patch.id + " leaves the region at " +
                                                     place(lonlat) + ", depth " + number(-x.z) +
                                                     " m"});
                    reported = true;
                } else if (interface_ && !interface_->has_data(x.x, x.y)) {
                    violations.push_back({field, "patch " + patch.id +
                                                     " must lie on the interface's data between " +
                                                     number(spec->min_depth_m) + " and " +
                                                     number(spec->max_depth_m) +
                                                     " m depth, but has none at " + place(lonlat)});
                    reported = true;
                }
            }
        }
    }
}

std::vector<Violation> Setup::check_geometry() const {
    std::vector<Violation> violations;
    if (!interface_ && job_.region.azimuth_deg != 0.0) {
        violations.push_back(
            {"region.azimuth_deg",
             "must be 0 for a planar fault (the box is turned to its strike), got " +
                 number(job_.region.azimuth_deg)});
    }
    for (int side = 0; side < mesh::kSideCount; ++side) {
        if (job_.boundary[side] == BoundaryKind::Roller &&
            normal_axis(static_cast<mesh::Side>(side)) < 0) {
            violations.push_back({std::string("boundaries.") + mesh::kSideNames[side],
                                  "roller must be on a side that faces a grid axis, but the box is "
                                  "turned by " +
                                      number(box_.azimuth_rad / kDegree) +
                                      " degrees; use fixed or free"});
        }
    }
    for (std::size_t k = 0; k < stations_.size(); ++k) {
        const StationSpec& station = job_.stations[k];
        const Vec3& x = stations_[k];
        if (!inside_box(x)) {
            violations.push_back(
                {station.field, "station '" + station.id + "' must lie inside the region, got " +
                                    place({station.lon_deg, station.lat_deg}) + " depth " +
                                    number(-x.z) + " m, which is " + number(x.x / 1000.0) +
                                    " km east and " + number(x.y / 1000.0) +
                                    " km north of its centre"});
        }
        if (x.z > job_.snap_tolerance_m) {
            violations.push_back({station.field, "station '" + station.id + "' must be at most " +
                                                     number(job_.snap_tolerance_m) +
                                                     " m above the model's surface, got " +
                                                     number(x.z)});
        }
    }
    check_patches(violations);
    return violations;
}

std::vector<std::string> Setup::warnings() const {
    std::vector<std::string> result;
    for (std::size_t k = 0; k < sources_.size(); k += job_.components.size()) {
        const sources::Patch& patch = sources_[k].patch;
        const Vec3 x = fault_->point(patch.centre);
        const double length = 2.0 * std::max(patch.reach_s(), patch.reach_d());
        const double north = x.x * std::sin(box_.azimuth_rad) + x.y * std::cos(box_.azimuth_rad);
        const double east = x.x * std::cos(box_.azimuth_rad) - x.y * std::sin(box_.azimuth_rad);
        const double gap =
            std::min({0.5 * box_.size_east_m - std::abs(east),
                      0.5 * box_.size_north_m - std::abs(north), box_.depth_m + x.z}) -
            0.5 * length;
        if (gap < 3.0 * length) {
            result.push_back("region: a side or the bottom is only " + number(gap / 1000.0) +
                             " km from patch " + patch.id + " of " + number(length / 1000.0) +
                             " km; fixed sides nearer than three times its length change the "
                             "result by some per cent");
            break;
        }
    }
    if (interface_ && interface_->extended_fraction() > 0.0) {
        const auto steepest = interface_->steepest();
        result.push_back("fault.interface: " + number(100.0 * interface_->extended_fraction()) +
                         " % of the model's area has no interface data between the depth limits; "
                         "the interface is extended there; steepest dip " +
                         number(steepest.dip_rad / kDegree) + " degrees");
    }
    return result;
}

}  // namespace kaname::registry
