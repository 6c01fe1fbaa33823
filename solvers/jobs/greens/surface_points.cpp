// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/greens/surface_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/fault/plus_side.hpp"
#include "solvers/mesh/mesh_parts.hpp"
#include "solvers/p2/tet10.hpp"

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

}  // namespace kaname::jobs
