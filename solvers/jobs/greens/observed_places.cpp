// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/greens/observed_places.hpp"

#include <numeric>

#include "solvers/fault/plus_side.hpp"
#include "solvers/jobs/geometry/top_height.hpp"
#include "solvers/mesh/mesh_parts.hpp"

namespace kaname::jobs {
namespace {

/// Places of points in one part of a mesh; on a fault those of its plus side.
std::vector<p2::Location> places_in(const mesh::MeshPart& part, std::span<const Vec3> points,
                                    const mesh::TetMesh& mesh, const fault::SplitNodes& split) {
    std::vector<p2::Location> places = p2::locate_points(part.mesh, points);
    for (p2::Location& place : places) {
        place.tet = part.tet[static_cast<std::size_t>(place.tet)];
    }
    fault::to_plus_side(mesh, split, places);
    return places;
}

}  // namespace

std::vector<p2::Location> station_places(const JobGeometry& geometry, const mesh::TetMesh& mesh,
                                         const fault::SplitNodes& split) {
    if (geometry.fault().mesh_parts() > 1) {
        const mesh::MeshPart first = mesh::parts_of(mesh).front();
        return places_in(first, geometry.fault().stations_in(first.mesh), mesh, split);
    }
    std::vector<p2::Location> places = p2::locate_points(mesh, geometry.fault().stations_in(mesh));
    fault::to_plus_side(mesh, split, places);
    return places;
}

ObservedPlaces observed_places(const GreensJob& job, const JobGeometry& geometry,
                               const mesh::TetMesh& mesh, const p2::DofMap& dofs,
                               const fault::SplitNodes& split) {
    ObservedPlaces observed{station_places(geometry, mesh, split), {}};
    const int n_parts = geometry.fault().mesh_parts();
    if (job.output.surface) {
        const SurfacePoints surface = find_surface_points(mesh, dofs, split, n_parts);
        observed.places.insert(observed.places.end(), surface.places.begin(), surface.places.end());
    }
    const std::size_t n_points = observed.places.size();
    observed.point.resize(n_points);
    std::iota(observed.point.begin(), observed.point.end(), 0);
    if (n_parts == 1) {
        return observed;
    }
    const std::vector<mesh::MeshPart> parts = mesh::parts_of(mesh);
    for (std::size_t k = 1; k < parts.size(); ++k) {
        // A station without a depth stands on each part's own top, which relief sets apart.
        std::vector<Vec3> points = geometry.fault().stations_in(parts[k].mesh);
        const TopHeight top(parts[k].mesh);
        for (std::size_t p = points.size(); p < n_points; ++p) {
            Vec3 at = observed.places[p].snapped;
            at.z = top.at(at.x, at.y).value_or(at.z);
            points.push_back(at);
        }
        const std::vector<p2::Location> places = places_in(parts[k], points, mesh, split);
        observed.places.insert(observed.places.end(), places.begin(), places.end());
        for (std::size_t p = 0; p < n_points; ++p) {
            observed.point.push_back(static_cast<std::int32_t>(p));
        }
    }
    return observed;
}

}  // namespace kaname::jobs
