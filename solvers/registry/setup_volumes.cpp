// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <limits>

#include "solvers/base/units.hpp"
#include "solvers/cleaving/layers_kept.hpp"
#include "solvers/registry/available_memory.hpp"
#include "solvers/registry/fault_request.hpp"
#include "solvers/registry/rough_count.hpp"
#include "solvers/registry/setup.hpp"

namespace kaname::registry {
namespace {

// Peak of the mesh stage: up to 240 were measured, of elements in the end, of which there may be
// twice as many as estimated.
constexpr double kMeshBytesPerTet = 500.0;
constexpr double kMostTets = 5e8;  // 32-bit ids of their faces

// Sizes of the ground, of depths and of volumes hold so far from the fault, or half its length.
constexpr double kLeastDetail_m = 100e3;

double extent_m(const std::vector<Vec3>& points) {
    Vec3 low = points.empty() ? Vec3{} : points.front();
    Vec3 high = low;
    for (const Vec3& x : points) {
        low = {std::min(low.x, x.x), std::min(low.y, x.y), std::min(low.z, x.z)};
        high = {std::max(high.x, x.x), std::max(high.y, x.y), std::max(high.z, x.z)};
    }
    return norm(high - low);
}

std::string number(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
}

std::string millions(double count) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g million", count / 1e6);
    return text;
}

std::string gib(double bytes) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f GiB", bytes / 1073741824.0);
    return text;
}

ValidationError too_many_elements(double count) {
    return ValidationError(std::vector<Violation>{
        {"mesh", "the mesh must fit in memory: the sizes come to about " + millions(count) +
                     " elements, which take " + gib(count * kMeshBytesPerTet) +
                     " while they are made, available are " + gib(available_bytes()) +
                     "; enlarge size_at_fault, size_far or other sizes"}});
}

std::string place(const earth::LonLat& at) {
    char text[64];
    std::snprintf(text, sizeof text, "%.4fE %.4fN", at.lon_deg, at.lat_deg);
    return text;
}

}  // namespace

Violation beyond_max_elements(std::int64_t needed, std::int64_t most) {
    return {"mesh.max_elements", "must be at least what the sizes come to, about " +
                                     std::to_string(needed) + " elements, got " +
                                     std::to_string(most)};
}

FaultPart Setup::fault_part(const meshing::FaultWindow& slipping) {
    const double size = job_.size_at_fault_m;
    FaultPart part{slipping, size, size, size};
    const double top_m = least_wedge_m(slipping);
    if (top_m < kBlunted * size) {
        // What is as good as at the ground goes up to it.
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
    const double count =
        kTetsPerSizeCubed * (w.s_max - w.s_min) * (w.d_max - w.d_min) / (job_.growth * size * size);
    const double available = available_bytes();
    if (available > 0.0 && count * kMeshBytesPerTet > available) {
        throw too_many_elements(count);
    }
    part_ = part;
    return part;
}

double Setup::least_wedge_m(const meshing::FaultWindow& slipping) const {
    double least = std::numeric_limits<double>::infinity();
    for_upper_edge(slipping, [&](double under_m, double dip_rad) {
        least = dip_rad < kThinWedge_rad ? std::min(least, under_m) : least;
    });
    return least;
}

void Setup::for_upper_edge(const meshing::FaultWindow& window,
                           const std::function<void(double, double)>& visit) const {
    constexpr int kPlaces = 64;
    for (int i = 0; i <= kPlaces; ++i) {
        const sources::FaultCoordinates at{
            window.s_min + i * (window.s_max - window.s_min) / kPlaces, window.d_min};
        const Vec3 x = fault_->point(at);
        visit(ground_m(x.x, x.y) - x.z, std::acos(std::clamp(fault_->normal(at).z, -1.0, 1.0)));
    }
}

void Setup::mesh_volumes(std::vector<RequestedFault> faults) {
    cleaving::VolumeMeshParams params;
    params.box = box_;
    params.model = volumes_->model();
    params.sizes.far_m = job_.size_far_m;
    params.sizes.growth = job_.growth;
    params.sizes.at_surface_m = job_.sizes.at_surface_m;
    double extent = 0.0;
    for (RequestedFault& fault : faults) {
        extent = std::max(extent, extent_m(fault.request.samples));
        std::ranges::move(fault.sizes, std::back_inserter(params.sizes.points));
        params.faults.push_back(std::move(fault.request));
    }
    params.sizes.detail_reach_m = std::max(kLeastDetail_m, 0.5 * extent);
    if (job_.sizes.at_stations_m > 0.0) {
        params.sizes.points.push_back({job_.sizes.at_stations_m, stations_});
    }
    for (const VolumeSizes::Depth& depth : job_.sizes.by_depth) {
        params.sizes.depths.push_back({depth.depth_m, depth.size_m});
    }
    params.thinnest = job_.sizes.thinnest_layer;
    if (const double available = available_bytes(); available > 0.0) {
        params.max_tets =
            static_cast<std::int64_t>(std::min(available / kMeshBytesPerTet, kMostTets));
    }
    mesh_source_ = cleaving::make_volume_mesh(params);
    request_ = std::move(params);
}

meshing::MeshSource::Count Setup::estimate_mesh() const {
    try {
        return mesh_source().estimate();
    } catch (const Error& error) {
        if (!request_ || error.code() != ErrorCode::Exhausted) {
            throw;
        }
        throw too_many_elements(
            std::max(rough_count(*request_), static_cast<double>(request_->max_tets)));
    }
}

mesh::TetMesh Setup::build_mesh(const meshing::Progress& progress) const {
    const std::int64_t most = job_.sizes.max_elements;
    if (const auto n = most > 0 ? estimate_mesh().tets : 0; n > most) {
        throw ValidationError({beyond_max_elements(n, most)});
    }
    try {
        return mesh_source().build(progress);
    } catch (const Error& error) {
        if (!request_ || error.code() != ErrorCode::Exhausted) {
            throw;
        }
        throw too_many_elements(
            std::max(rough_count(*request_), static_cast<double>(request_->max_tets)));
    }
}

std::vector<std::string> Setup::thin_volume_warnings() const {
    constexpr double kLost = 0.2, kMostlyThin = 0.5;
    std::vector<std::string> result;
    std::string rough;
    const std::vector<cleaving::LayerKept> kept =
        cleaving::layers_kept(*request_, cleaving::kNearFault_m);
    for (std::size_t k = 0; k < kept.size(); ++k) {
        const double lost = 1.0 - kept[k].left_m3 / std::max(kept[k].model_m3, 1.0);
        if (kept[k].model_m3 > 0.0 && lost > kLost) {
            char text[400];
            std::snprintf(text, sizeof text,
                          "mesh: volume '%s' loses %.0f %% of its %.3g km3 within %.0f km of the "
                          "fault to its neighbours, where it is thinner than %g of the elements "
                          "(mesh.thinnest_layer); smaller sizes keep it",
                          request_->model->volumes[k].name.c_str(), 100.0 * lost,
                          kept[k].model_m3 / 1e9, cleaving::kNearFault_m / 1e3, request_->thinnest);
            result.emplace_back(text);
        } else if (kept[k].thin_m2 > kMostlyThin * kept[k].extent_m2) {
            rough += (rough.empty() ? "'" : ", '") + request_->model->volumes[k].name + "'";
        }
    }
    if (!rough.empty()) {
        result.push_back(
            "mesh: most of " + rough + " within " + number(cleaving::kNearFault_m / 1e3) +
            " km of the fault is thinner than a third of an element: interfaces there may "
            "be a third of an element off; sizes of at most three times the thickness show "
            "them");
    }
    return result;
}

void Setup::lay_plane_in_volumes(const PlaneOutline& spec, int n_strike, int n_dip) {
    auto plane =
        std::make_unique<sources::PlaneFault>(spec.top_centre, spec.strike_rad, spec.dip_rad);
    meshing::FaultWindow window = window_to_ground(spec);
    const bool breaks_surface = spec.top_centre.z == 0.0;
    const sources::PlaneFault& surface = *plane;
    fault_ = std::move(plane);
    if (job_.scenario) {
        // The models' slip ends inside of it.
    } else if (n_strike * n_dip > 1) {
        add_tapered(spec, n_strike, n_dip);
    } else {
        sources::Patch patch{patch_name(0, 0),
                             {0.0, 0.5 * spec.width_m},
                             spec.length_m,
                             spec.width_m,
                             sources::Hat::Uniform};
        patch.open_top = breaks_surface;
        add_sources({patch});
        // What is projected swings about the edges, at the upper one in the wedge's smaller
        // elements.
        const double size = job_.size_at_fault_m;
        const double edge = std::min({size, spec.length_m, spec.width_m});
        const double top =
            std::min(edge, std::max(least_wedge_m(window) / kBlunted, kLeastInWedge * size));
        window = widened(window, 0.5 * edge, 0.5 * top);
    }
    std::vector<RequestedFault> requested;
    requested.push_back(request_plane(surface, window));
    mesh_volumes(std::move(requested));
}

meshing::FaultWindow Setup::window_to_ground(const PlaneOutline& plane) const {
    const bool breaks_surface = plane.top_centre.z == 0.0;
    const double above = breaks_surface
                             ? std::max(volumes_->highest_ground_m(), 0.0) / std::sin(plane.dip_rad)
                             : 0.0;
    return {-0.5 * plane.length_m, 0.5 * plane.length_m, -above, plane.width_m};
}

RequestedFault Setup::request_plane(const sources::PlaneFault& surface,
                                    const meshing::FaultWindow& window) {
    FaultPart part = fault_part(window);
    const double under_m = least_wedge_m(part.window);
    if (under_m < kBlunted * part.least_m) {
        // There is no place for a rim: up to the ground.
        const double sine = -surface.down_dip().z;
        part.window.d_min -= (std::max(under_m, 0.0) + part.above_m()) / sine;
    }
    return plane_request(*volumes_, box_, surface, part);
}

void Setup::check_ground(std::vector<Violation>& violations) const {
    const std::string field = std::holds_alternative<InterfaceSpec>(job_.fault)
                                  ? "fault.interface.patches"
                                  : "fault.plane";
    for (std::size_t k = 0; k < sources_.size(); k += job_.components.size()) {
        // A hat may have its upper half in the air: its slip goes on up to the ground.
        const sources::Patch& patch = sources_[k].patch;
        const bool rectangle = patch.hat == sources::Hat::Uniform && !patch.open_top;
        const double top = rectangle ? -0.5 * patch.width_m : 0.0;
        const double side = rectangle ? 0.25 * patch.length_m : 0.0;
        const double room = rectangle ? 0.0 : kBlunted * kLeastAtTip * job_.size_at_fault_m;
        for (int i = -2; i <= 2; ++i) {
            const Vec3 x = fault_->point({patch.centre.s + i * side, patch.centre.d + top});
            const double above = x.z - ground_m(x.x, x.y);
            if (above > room) {
                violations.push_back({field, "patch " + patch.id + " must " +
                                                 (rectangle ? "lie" : "have its middle") +
                                                 " under the ground; at " +
                                                 place(projection_->inverse({x.x, x.y})) +
                                                 " it is " + number(above) + " m above it"});
                break;
            }
        }
    }
}

}  // namespace kaname::registry
