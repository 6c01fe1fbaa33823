// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/registry/surface_points.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/fem/tet10.hpp"

namespace kaname::registry {
namespace {

using Triple = std::array<std::int32_t, 3>;

Triple sorted(Triple triple) {
    std::ranges::sort(triple);
    return triple;
}

/// The tetrahedron behind each face of the top.
std::map<Triple, std::int32_t> tets_of_top(const mesh::TetMesh& mesh) {
    std::map<Triple, std::int32_t> tets;
    std::vector<bool> on_top(mesh.xyz.size(), false);
    for (const mesh::BoundaryFace& face : mesh.boundary_faces) {
        if (face.side == mesh.top) {
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
fem::Location location_of(const mesh::TetMesh& mesh, std::int32_t tet, std::int32_t a,
                          std::int32_t b) {
    fem::Location place;
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

SurfacePoints find_surface_points(const mesh::TetMesh& mesh, const fem::DofMap& dofs,
                                  const sources::SplitNodes& split) {
    const auto side_of = [&](std::int32_t tet, std::int32_t node) {
        const auto found =
            std::ranges::lower_bound(split.elements, tet, {}, &sources::SplitElement::tet);
        if (found == split.elements.end() || found->tet != tet) {
            return 0;
        }
        const auto& conn = dofs.conn[tet];
        return int{found->side[std::ranges::find(conn, node) - conn.begin()]};
    };
    SurfacePoints surface;
    std::map<std::pair<std::int32_t, int>, std::int32_t> known;  // (node, side) -> point
    for (const auto& [key, tet] : tets_of_top(mesh)) {
        if (tet < 0) {
            throw Error(ErrorCode::InvalidArgument,
                        "mesh: the top face of vertices " + std::to_string(key[0]) + ", " +
                            std::to_string(key[1]) + ", " + std::to_string(key[2]) +
                            " belongs to no element");
        }
        SurfacePoints::Face face{key, {}};
        for (int k = 0; k < 6; ++k) {
            const std::int32_t a = key[k % 3];
            const std::int32_t b = k < 3 ? a : key[(k + 1) % 3];
            const std::int32_t node = a == b ? a : dofs.edge_node(a, b);
            const auto [at, fresh] = known.try_emplace(
                {node, side_of(tet, node)}, static_cast<std::int32_t>(surface.places.size()));
            if (fresh) {
                surface.places.push_back(location_of(mesh, tet, a, b));
            }
            face.points[k] = at->second;
        }
        surface.faces.push_back(face);
    }
    return surface;
}

std::optional<SurfaceStencil> surface_stencil(const SurfacePoints& surface,
                                              const mesh::TetMesh& mesh, const Vec3& at) {
    constexpr double kSlack = 1e-6;
    for (const SurfacePoints::Face& face : surface.faces) {
        const auto L = barycentric(mesh, face.vertices, at);
        if (std::ranges::min(L) < -kSlack) {
            continue;
        }
        const Vec3 on_face = L[0] * mesh.xyz[face.vertices[0]] + L[1] * mesh.xyz[face.vertices[1]] +
                             L[2] * mesh.xyz[face.vertices[2]];
        const Vec3 off = at - on_face;
        const Vec3 edge = mesh.xyz[face.vertices[1]] - mesh.xyz[face.vertices[0]];
        if (dot(off, off) > kSlack * kSlack * dot(edge, edge)) {
            continue;
        }
        SurfaceStencil stencil{face.points, {}};
        for (int k = 0; k < 3; ++k) {
            stencil.weights[k] = L[k] * (2.0 * L[k] - 1.0);
            stencil.weights[3 + k] = 4.0 * L[k] * L[(k + 1) % 3];
        }
        return stencil;
    }
    return std::nullopt;
}

}  // namespace kaname::registry
