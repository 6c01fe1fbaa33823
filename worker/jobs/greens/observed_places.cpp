// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/greens/observed_places.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/fault/split_nodes.hpp"
#include "solvers/mesh/tet_mesh.hpp"
#include "solvers/p2/dof_map.hpp"
#include "worker/jobs/geometry/domain.hpp"

namespace kaname::jobs {
namespace {

using Triple = std::array<std::int32_t, 3>;

Triple sorted(Triple triple) {
    std::ranges::sort(triple);
    return triple;
}

/// The vertices of the first of several parts; of one part all.
std::vector<bool> in_first_part(const mesh::TetMesh& mesh, int n_parts) {
    std::vector<bool> first(mesh.xyz.size(), n_parts == 1);
    if (n_parts > 1) {
        const std::vector<mesh::MeshPart> parts = mesh::parts_of(mesh);
        for (const std::int32_t tet : parts.front().tet) {
            for (const std::int32_t vertex : mesh.tets[static_cast<std::size_t>(tet)]) {
                first[static_cast<std::size_t>(vertex)] = true;
            }
        }
    }
    return first;
}

/// The tetrahedron behind each face of the top.
std::map<Triple, std::int32_t> tets_of_top(const mesh::TetMesh& mesh, int n_parts) {
    std::map<Triple, std::int32_t> tets;
    std::vector<bool> on_top(mesh.xyz.size(), false);
    const std::vector<bool> first = in_first_part(mesh, n_parts);
    for (const mesh::BoundaryFace& face : mesh.boundary_faces) {
        if (face.side == mesh.top && first[static_cast<std::size_t>(face.vertices[0])]) {
            tets.emplace(sorted(face.vertices), -1);
            for (const std::int32_t vertex : face.vertices) {
                on_top[vertex] = true;
            }
        }
    }
    for (std::size_t tet = 0; tet < mesh.tets.size(); ++tet) {
        const auto& v = mesh.tets[tet];
        if (std::ranges::count_if(v, [&](std::int32_t vertex) { return on_top[vertex]; }) < 3) {
            continue;
        }
        for (int opposite = 0; opposite < 4; ++opposite) {
            Triple face{};
            for (int k = 0, at = 0; k < 4; ++k) {
                if (k != opposite) {
                    face[at++] = v[k];
                }
            }
            const auto found = tets.find(sorted(face));
            if (found != tets.end()) {
                found->second = static_cast<std::int32_t>(tet);
            }
        }
    }
    return tets;
}

/// Where a node lies in a tet: at a vertex or between two.
p2::Location location_of(const mesh::TetMesh& mesh, std::int32_t tet, std::int32_t a,
                         std::int32_t b) {
    p2::Location place;
    place.tet = tet;
    for (int k = 0; k < 4; ++k) {
        const std::int32_t vertex = mesh.tets[tet][k];
        place.barycentric[k] = 0.5 * ((vertex == a ? 1.0 : 0.0) + (vertex == b ? 1.0 : 0.0));
    }
    place.snapped = 0.5 * (mesh.xyz[a] + mesh.xyz[b]);
    return place;
}

std::array<double, 3> barycentric(const mesh::TetMesh& mesh, const Triple& face, const Vec3& at) {
    const Vec3 &a = mesh.xyz[face[0]], &b = mesh.xyz[face[1]], &c = mesh.xyz[face[2]];
    const Vec3 n = cross(b - a, c - a);
    const double area2 = dot(n, n);
    return {dot(n, cross(c - b, at - b)) / area2, dot(n, cross(a - c, at - c)) / area2,
            dot(n, cross(b - a, at - a)) / area2};
}

}  // namespace

SurfacePoints find_surface_points(const mesh::TetMesh& mesh, const p2::DofMap& dofs,
                                  const fault::SplitNodes& split, int n_parts) {
    // -1 or +1 of each fault that splits the node, in the order of faults.
    const auto sides_of = [&](std::int32_t tet, std::int32_t node) {
        std::vector<std::int8_t> sides;
        for (const fault::SplitElement& element : split.of_tet(tet)) {
            const auto& conn = dofs.conn[tet];
            sides.push_back(element.side[std::ranges::find(conn, node) - conn.begin()]);
        }
        std::erase(sides, 0);
        return sides;
    };
    SurfacePoints surface;
    // (node, sides) -> point
    std::map<std::pair<std::int32_t, std::vector<std::int8_t>>, std::int32_t> known;
    for (const auto& [key, tet] : tets_of_top(mesh, n_parts)) {
        if (tet < 0) {
            throw Error(ErrorCode::InvalidArgument,
                        "mesh: the top face of vertices " + std::to_string(key[0]) + ", " +
                            std::to_string(key[1]) + ", " + std::to_string(key[2]) +
                            " belongs to no element");
        }
        SurfacePoints::Face face{key, {}, {}};
        for (int k = 0; k < 6; ++k) {
            const std::int32_t a = key[k % 3];
            const std::int32_t b = k < 3 ? a : key[(k + 1) % 3];
            const std::int32_t node = a == b ? a : dofs.edge_node(a, b);
            const std::vector<std::int8_t> sides = sides_of(tet, node);
            const auto [at, fresh] =
                known.try_emplace({node, sides}, static_cast<std::int32_t>(surface.places.size()));
            if (fresh) {
                surface.places.push_back(location_of(mesh, tet, a, b));
            }
            face.points[k] = at->second;
            if (k < 3) {
                face.plus[k] = std::accumulate(sides.begin(), sides.end(), 0);
            }
        }
        surface.faces.push_back(face);
    }
    return surface;
}

std::optional<SurfaceStencil> surface_stencil(const SurfacePoints& surface,
                                              const mesh::TetMesh& mesh, const Vec3& at) {
    constexpr double kSlack = 1e-6;
    // On a fault's trace the side that locate_points() and on_plus_side() take.
    const SurfacePoints::Face* best = nullptr;
    std::array<double, 3> best_at{};
    double most_plus = -std::numeric_limits<double>::infinity();
    for (const SurfacePoints::Face& face : surface.faces) {
        const auto L = barycentric(mesh, face.vertices, at);
        if (std::ranges::min(L) < -fault::kOnFault) {
            continue;
        }
        const Vec3 on_face = L[0] * mesh.xyz[face.vertices[0]] + L[1] * mesh.xyz[face.vertices[1]] +
                             L[2] * mesh.xyz[face.vertices[2]];
        const Vec3 off = at - on_face;
        const Vec3 edge = mesh.xyz[face.vertices[1]] - mesh.xyz[face.vertices[0]];
        if (dot(off, off) > kSlack * kSlack * dot(edge, edge)) {
            continue;
        }
        double plus = 0.0;
        for (int k = 0; k < 3; ++k) {
            plus += L[k] > fault::kOnFault ? face.plus[k] : 0.0;
        }
        if (plus > most_plus) {
            best = &face;
            best_at = L;
            most_plus = plus;
        }
    }
    if (best == nullptr) {
        return std::nullopt;
    }
    SurfaceStencil stencil{best->points, {}};
    for (int k = 0; k < 3; ++k) {
        stencil.weights[k] = best_at[k] * (2.0 * best_at[k] - 1.0);
        stencil.weights[3 + k] = 4.0 * best_at[k] * best_at[(k + 1) % 3];
    }
    return stencil;
}

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

std::vector<double> StationReader::read(const io::SourceResult& result) {
    const std::size_t n_stored = result.station_xyz_m.size() / 3;
    if (result.station_xyz_m != known_for_ || plan_.empty()) {
        make_plan(result);
    }
    const std::size_t n_fields = result.n_fields();
    const std::size_t n_points = result.surface_m.size() / (3 * n_fields);
    std::vector<double> values;
    values.reserve(n_fields * plan_.size() * 3);
    for (std::size_t field = 0; field < n_fields; ++field) {
        const double* stored = result.displacement_m.data() + field * n_stored * 3;
        const float* surface = result.surface_m.data() + field * n_points * 3;
        for (const Place& place : plan_) {
            for (std::size_t comp = 0; comp < 3; ++comp) {
                double value = 0.0;
                if (place.stored >= 0) {
                    value = stored[3 * place.stored + comp];
                }
                for (std::size_t k = 0; k < 6 && place.stored < 0; ++k) {
                    value += place.stencil.weights[k] *
                             double{surface[3 * place.stencil.points[k] + comp]};
                }
                values.push_back(value);
            }
        }
    }
    return values;
}

void StationReader::make_plan(const io::SourceResult& result) {
    constexpr double kSamePlace_m = 1e-6;
    std::map<std::array<std::int64_t, 3>, std::int64_t> stored;
    const auto cell = [](double x, double y, double z) {
        return std::array{std::llround(x / kSamePlace_m), std::llround(y / kSamePlace_m),
                          std::llround(z / kSamePlace_m)};
    };
    const std::vector<double>& xyz = result.station_xyz_m;
    for (std::size_t k = 0; 3 * k < xyz.size(); ++k) {
        const auto at = cell(xyz[3 * k], xyz[3 * k + 1], xyz[3 * k + 2]);
        stored.emplace(std::array<std::int64_t, 3>{at[0], at[1], at[2]}, k);
    }
    plan_.clear();
    for (std::size_t k = 0; k < places_.size(); ++k) {
        const Vec3& x = places_[k].snapped;
        const auto at = cell(x.x, x.y, x.z);
        Place place;
        const auto found = stored.find({at[0], at[1], at[2]});
        if (found != stored.end()) {
            place.stored = found->second;
        } else {
            place.stencil = interpolate(result, k);
        }
        plan_.push_back(place);
    }
    known_for_ = xyz;
}

SurfaceStencil StationReader::interpolate(const io::SourceResult& result, std::size_t station) {
    if (!surface_) {
        surface_ = find_surface_points(
            mesh_, dofs_, fault::split_fault_nodes(mesh_, dofs_.conn, dofs_.node_xyz), n_parts_);
    }
    const bool has_surface =
        result.surface_m.size() == 3 * surface_->places.size() * result.n_fields();
    const auto stencil =
        has_surface ? surface_stencil(*surface_, mesh_, places_[station].snapped) : std::nullopt;
    if (!stencil) {
        throw Error(ErrorCode::NotFound,
                    "the stored result of this source does not hold "
                    "station '" +
                        job_.stations[station].id + "'");
    }
    return *stencil;
}

}  // namespace kaname::jobs
