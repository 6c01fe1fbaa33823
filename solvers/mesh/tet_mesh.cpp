// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/mesh/tet_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "solvers/base/error.hpp"

namespace kaname::mesh {

double regular_edge_m(double volume_m3) {
    return std::cbrt(6.0 * std::numbers::sqrt2 * volume_m3);
}

double longest_edge_m(const Corners& at) {
    double longest = 0.0;
    for (const auto& [a, b] : kTetEdges) {
        longest = std::max(longest, norm(at[b] - at[a]));
    }
    return longest;
}

std::array<double, 6> dihedral_angles_deg(const Corners& at) {
    constexpr double kDegrees = 180.0 / std::numbers::pi;
    std::array<Vec3, 4> normal;
    for (int face = 0; face < 4; ++face) {
        const auto& f = kTetFaces[face];
        normal[face] = cross(at[f[1]] - at[f[0]], at[f[2]] - at[f[0]]);
    }
    std::array<double, 6> angles{};
    int pair = 0;
    for (int one = 0; one < 4; ++one) {
        for (int other = one + 1; other < 4; ++other) {
            // pi minus the angle between outward normals
            const Vec3& n = normal[one];
            const Vec3& m = normal[other];
            angles[pair++] = kDegrees * std::atan2(norm(cross(n, m)), -dot(n, m));
        }
    }
    return angles;
}

namespace {

template <std::size_t n>
std::array<std::int32_t, n> shifted(std::array<std::int32_t, n> ids, std::int32_t by) {
    for (std::int32_t& id : ids) {
        id += by;
    }
    return ids;
}

void append(TetMesh& whole, const TetMesh& part) {
    const auto first = static_cast<std::int32_t>(whole.xyz.size());
    whole.xyz.insert(whole.xyz.end(), part.xyz.begin(), part.xyz.end());
    whole.material.insert(whole.material.end(), part.material.begin(), part.material.end());
    whole.volume.insert(whole.volume.end(), part.volume.begin(), part.volume.end());
    for (const auto& tet : part.tets) {
        whole.tets.push_back(shifted(tet, first));
    }
    for (const BoundaryFace& face : part.boundary_faces) {
        whole.boundary_faces.push_back({shifted(face.vertices, first), face.side});
    }
    for (const FaultFace& face : part.fault_faces) {
        const auto& name = part.faults.at(static_cast<std::size_t>(face.fault));
        const auto known = std::ranges::find(whole.faults, name);
        if (known == whole.faults.end()) {
            throw Error(ErrorCode::InvalidArgument, "mesh: fault '" + name + "' is not expected");
        }
        whole.fault_faces.push_back({shifted(face.vertices, first),
                                     static_cast<std::int32_t>(known - whole.faults.begin())});
    }
}

/// The smallest vertex that a vertex is joined to, with the paths to it made shorter.
std::int32_t root(std::vector<std::int32_t>& of, std::int32_t vertex) {
    while (of[vertex] != vertex) {
        vertex = of[vertex] = of[of[vertex]];
    }
    return vertex;
}

}  // namespace

TetMesh joined(std::vector<TetMesh> meshes, std::vector<std::string> faults) {
    if (meshes.empty()) {
        throw Error(ErrorCode::InvalidArgument, "meshes must be one at least, got none");
    }
    TetMesh whole;
    whole.surfaces = meshes.front().surfaces;
    whole.top = meshes.front().top;
    whole.volumes = meshes.front().volumes;
    whole.faults = std::move(faults);
    for (TetMesh& part : meshes) {
        if (part.surfaces != whole.surfaces || part.volumes != whole.volumes ||
            part.volume.empty() != meshes.front().volume.empty()) {
            throw Error(ErrorCode::InvalidArgument,
                        "meshes must have the same surfaces and volumes to be joined");
        }
    }
    for (const TetMesh& part : meshes) {
        append(whole, part);
    }
    return whole;
}

std::vector<MeshPart> parts_of(const TetMesh& mesh) {
    std::vector<std::int32_t> of(mesh.xyz.size());
    std::iota(of.begin(), of.end(), 0);
    for (const auto& tet : mesh.tets) {
        for (int k = 1; k < 4; ++k) {
            const std::int32_t a = root(of, tet[0]), b = root(of, tet[k]);
            of[std::max(a, b)] = std::min(a, b);
        }
    }
    std::vector<MeshPart> parts;
    std::vector<std::int32_t> part_at(mesh.xyz.size(), -1);  // by root
    std::vector<std::int32_t> renumbered(mesh.xyz.size(), -1);
    const auto part_of = [&](std::int32_t vertex) -> MeshPart& {
        std::int32_t& part = part_at[root(of, vertex)];
        if (part < 0) {
            part = static_cast<std::int32_t>(parts.size());
            parts.emplace_back();
            parts.back().mesh.surfaces = mesh.surfaces;
            parts.back().mesh.top = mesh.top;
        }
        return parts[static_cast<std::size_t>(part)];
    };
    const auto moved = [&](MeshPart& part, auto ids) {
        for (std::int32_t& id : ids) {
            if (renumbered[id] < 0) {
                renumbered[id] = static_cast<std::int32_t>(part.mesh.xyz.size());
                part.mesh.xyz.push_back(mesh.xyz[id]);
            }
            id = renumbered[id];
        }
        return ids;
    };
    for (std::size_t tet = 0; tet < mesh.tets.size(); ++tet) {
        MeshPart& part = part_of(mesh.tets[tet][0]);
        part.mesh.tets.push_back(moved(part, mesh.tets[tet]));
        part.mesh.material.push_back(mesh.material[tet]);
        part.tet.push_back(static_cast<std::int32_t>(tet));
    }
    for (const BoundaryFace& face : mesh.boundary_faces) {
        MeshPart& part = part_of(face.vertices[0]);
        part.mesh.boundary_faces.push_back({moved(part, face.vertices), face.side});
    }
    return parts;
}

}  // namespace kaname::mesh
