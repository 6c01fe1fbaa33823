// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/geometry/sources/model_planes.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/fault/fault_surface.hpp"
#include "solvers/fault/slip_model/placed_model.hpp"
#include "solvers/fault/slip_model/segment_grid.hpp"
#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::jobs {
namespace {

using slip_model::PlacedPatch;

constexpr double kMostTurned_deg = 5.0;  // largest angle between a fitted plane and the stated one
constexpr double kLevel_deg = 1.0;       // a plane of so small a dip has no strike of its own

ValidationError must_be_given(const std::string& why) {
    return ValidationError({{"fault", "must be given: " + why}});
}

/// A patch in the plane of a segment's centres, or the segment's first patch as it is stated.
PlacedPatch plane_of(std::vector<PlacedPatch> patches, const slip_model::PlacedSegment& stated) {
    PlacedPatch plane = patches.front();
    const auto grid = slip_model::find_grid(patches, stated);
    if (!grid || patches.size() < 2) {
        return plane;
    }
    const Vec3 given = plane.normal();
    Vec3 normal = cross(grid->dip_step, grid->strike_step);
    if (std::abs(given.z) < 1e-9) {
        normal.z = 0.0;  // a fault that is stated to be vertical is
    }
    normal = normalized(normal);
    if (dot(normal, given) < std::cos(kMostTurned_deg * kDegree)) {
        return plane;
    }
    plane.centre = grid->origin;
    plane.dip_rad = std::acos(std::clamp(normal.z, -1.0, 1.0));
    if (plane.dip_rad > kLevel_deg * kDegree) {
        plane.strike_rad = std::atan2(-normal.y, normal.x);
    }
    return plane;
}

struct Segment {
    std::size_t model;
    int index;
    std::vector<PlacedPatch> patches;
    PlacedPatch plane;
};

std::vector<Segment> segments_of(std::span<const ScenarioModel> models) {
    std::vector<Segment> all;
    for (std::size_t m = 0; m < models.size(); ++m) {
        const slip_model::PlacedModel& placed = models[m].placed;
        for (std::size_t s = 0; s < placed.segments.size(); ++s) {
            Segment segment{m, static_cast<int>(s), {}, {}};
            std::ranges::copy_if(
                placed.patches, std::back_inserter(segment.patches),
                [&](const PlacedPatch& patch) { return patch.segment == segment.index; });
            if (!segment.patches.empty()) {
                segment.plane = plane_of(segment.patches, placed.segments[s]);
                all.push_back(std::move(segment));
            }
        }
    }
    return all;
}

/// Returns why a segment does not lie in a plane; empty if it does.
std::string off_plane(const PlacedPatch& plane, const Segment& segment) {
    for (const PlacedPatch& patch : segment.patches) {
        // Its own plane is that of the segment: rows may state directions of slip instead.
        PlacedPatch turned = patch;
        turned.strike_rad = segment.plane.strike_rad;
        turned.dip_rad = segment.plane.dip_rad;
        if (std::string off = slip_model::off_plane(plane, turned); !off.empty()) {
            return "patch " + patch.id + " " + off;
        }
    }
    return "";
}

PlaneOutline outline_around(const PlacedPatch& first, std::span<const ScenarioModel> models,
                            const ModelFilter& in_plane, double cell_m) {
    PlaneOutline plane;
    plane.strike_rad = first.strike_rad;
    plane.dip_rad = first.dip_rad;
    const fault::PlaneFault axes(first.centre, plane.strike_rad, plane.dip_rad);
    double s_min = kInf, s_max = -kInf, d_min = kInf, d_max = -kInf;
    bool to_surface = false;
    for (std::size_t m = 0; m < models.size(); ++m) {
        if (models[m].moment) {
            continue;
        }
        const auto of = [&](int segment) { return in_plane(m, segment); };
        const auto grids = models[m].sampler->grids();
        for (int segment = 0; segment < std::ssize(grids); ++segment) {
            to_surface = to_surface || (of(segment) && grids[segment].to_surface);
        }
        for (const Vec3& x : models[m].outline(cell_m, of)) {
            const fault::FaultCoordinates at = axes.coordinates(x);
            s_min = std::min(s_min, at.s);
            s_max = std::max(s_max, at.s);
            d_min = std::min(d_min, at.d);
            d_max = std::max(d_max, at.d);
        }
    }
    // Nothing lies above the surface; a rim less than half a cell under it is moved up to it.
    const double surface_d = first.centre.z / std::sin(plane.dip_rad);
    if (to_surface || d_min < surface_d + 0.5 * cell_m) {
        d_min = surface_d;
    }
    plane.top_centre = axes.point({0.5 * (s_min + s_max), d_min});
    if (d_min == surface_d) {
        plane.top_centre.z = 0.0;
    }
    plane.length_m = s_max - s_min;
    plane.width_m = d_max - d_min;
    return plane;
}

}  // namespace

PlanesOfModels planes_of(std::span<const ScenarioModel> models, double cell_m) {
    if (std::ranges::any_of(models, [](const auto& model) { return model.points.has_value(); })) {
        throw must_be_given("slip at points says nothing about the fault's plane");
    }
    PlanesOfModels found;
    for (const ScenarioModel& model : models) {
        found.of_segment.emplace_back(model.placed.segments.size(), -1);
    }
    std::vector<PlacedPatch> planes;
    for (const Segment& segment : segments_of(models)) {
        if (!(segment.plane.dip_rad > 0.0)) {
            const SlipModelSource& source = *models[segment.model].source;
            const std::string rule =
                "must be > 0 where the fault follows from the patches, got 0; a plane that dips by "
                "0.05 degrees does";
            if (!source.path.empty()) {
                throw ValidationError(
                    {{source.field, "patch " + segment.plane.id + ": dip " + rule}});
            }
            const auto level =
                std::ranges::find(source.patches, segment.plane.id, &slip_model::SlipPatch::id);
            throw ValidationError(
                {{source.field + "[" + std::to_string(level - source.patches.begin()) + "].dip_deg",
                  rule}});
        }
        if (const std::string off = off_plane(segment.plane, segment); !off.empty()) {
            throw must_be_given(off + " (" + models[segment.model].source->field +
                                "): its segment is no plane. Give fault.interface or fault.plane, "
                                "which take the slip within the model's max_distance_m of it, or "
                                "a mesh file with the bent fault");
        }
        const auto in = std::ranges::find_if(
            planes, [&](const PlacedPatch& plane) { return off_plane(plane, segment).empty(); });
        found.of_segment[segment.model][segment.index] = static_cast<int>(in - planes.begin());
        if (in == planes.end()) {
            planes.push_back(segment.plane);
        }
    }
    for (std::size_t k = 0; k < planes.size(); ++k) {
        const auto in_plane = [&](std::size_t model, int segment) {
            return found.of_segment[model][static_cast<std::size_t>(segment)] ==
                   static_cast<int>(k);
        };
        found.planes.push_back(outline_around(planes[k], models, in_plane, cell_m));
    }
    return found;
}

namespace {

/// A plane's rectangle, its middle and half of its diagonal.
struct Rectangle {
    fault::PlaneFault plane;
    double half_m, width_m;
    Vec3 middle;
    double radius_m;

    explicit Rectangle(const PlaneOutline& outline)
        : plane(outline.top_centre, outline.strike_rad, outline.dip_rad),
          half_m(0.5 * outline.length_m),
          width_m(outline.width_m),
          middle(plane.point({0.0, 0.5 * outline.width_m})),
          radius_m(std::hypot(half_m, 0.5 * outline.width_m)) {}

    [[nodiscard]] double distance_m(const Vec3& x) const {
        const fault::FaultCoordinates at = plane.coordinates(x);
        return norm(
            x - plane.point({std::clamp(at.s, -half_m, half_m), std::clamp(at.d, 0.0, width_m)}));
    }
};

/// Returns true if a sample of `a` is nearer to `b` than `apart_m`. Samples are at most half of
/// this distance apart along strike and down dip.
bool comes_near(const Rectangle& a, const Rectangle& b, double apart_m) {
    const double step_m = 0.5 * apart_m;
    const int n_s = std::max(1, static_cast<int>(std::ceil(2.0 * a.half_m / step_m)));
    const int n_d = std::max(1, static_cast<int>(std::ceil(a.width_m / step_m)));
    for (int i = 0; i <= n_s; ++i) {
        for (int j = 0; j <= n_d; ++j) {
            const Vec3 x = a.plane.point(
                {(2.0 * i / n_s - 1.0) * a.half_m, static_cast<double>(j) / n_d * a.width_m});
            if (b.distance_m(x) < apart_m) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace

std::vector<int> meshes_of_planes(std::span<const PlaneOutline> planes, double apart_m) {
    std::vector<Rectangle> all;
    for (const PlaneOutline& plane : planes) {
        all.emplace_back(plane);
    }
    std::vector<int> mesh(all.size(), 0);
    for (std::size_t k = 0; k < all.size(); ++k) {
        std::vector<bool> taken(k + 1, false);
        for (std::size_t other = 0; other < k; ++other) {
            const double between_m = norm(all[k].middle - all[other].middle);
            taken[static_cast<std::size_t>(mesh[other])] =
                taken[static_cast<std::size_t>(mesh[other])] ||
                (between_m < all[k].radius_m + all[other].radius_m + apart_m &&
                 comes_near(all[k], all[other], apart_m));
        }
        mesh[k] = static_cast<int>(std::ranges::find(taken, false) - taken.begin());
    }
    return mesh;
}

SeveralMeshes::SeveralMeshes(const GreensJob& job, const Domain& domain,
                             std::vector<RequestedFault> faults, std::vector<int> mesh,
                             std::vector<std::string> names)
    : names_(std::move(names)) {
    for (int part = 0; part <= std::ranges::max(mesh); ++part) {
        std::vector<RequestedFault> here;
        for (std::size_t k = 0; k < faults.size(); ++k) {
            if (mesh[k] == part) {
                here.push_back(std::move(faults[k]));
            }
        }
        parts_.push_back(std::make_unique<VolumePlan>(job, domain, std::move(here)));
    }
}

meshing::MeshSource::Count SeveralMeshes::estimate() const {
    meshing::MeshSource::Count sum;
    for (const auto& part : parts_) {
        const meshing::MeshSource::Count count = part->estimate();
        sum.vertices += count.vertices;
        sum.tets += count.tets;
    }
    return sum;
}

mesh::TetMesh SeveralMeshes::build(const meshing::Progress& progress) const {
    std::vector<mesh::TetMesh> meshes;
    for (const auto& part : parts_) {
        meshes.push_back(part->build(progress));
    }
    return mesh::joined(std::move(meshes), names_);
}

std::vector<StationElements> SeveralMeshes::at_stations() const {
    std::vector<StationElements> all;
    for (const auto& part : parts_) {
        const std::vector<StationElements> here = part->at_stations();
        all.resize(here.size());
        for (std::size_t k = 0; k < here.size(); ++k) {
            all[k] = {std::max(all[k].size_m, here[k].size_m),
                      std::max(all[k].layers_at_once, here[k].layers_at_once),
                      std::max(all[k].layers_since, here[k].layers_since)};
        }
    }
    return all;
}

std::vector<std::string> SeveralMeshes::warnings() const {
    std::vector<std::string> all;
    for (const auto& part : parts_) {
        for (std::string& warning : part->warnings()) {
            if (std::ranges::find(all, warning) == all.end()) {
                all.push_back(std::move(warning));
            }
        }
    }
    return all;
}

}  // namespace kaname::jobs
