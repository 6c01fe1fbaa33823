// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/rupture/fault_triangles.hpp"

#include <algorithm>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/mesh/face_set.hpp"
#include "solvers/mesh/tet_topology.hpp"

namespace kaname::jobs {
namespace {

void find_tets(const mesh::TetMesh& mesh, std::vector<FaultTriangle>& triangles) {
    const mesh::FaceSet faces(mesh);
    std::vector<std::int64_t> triangle_of(static_cast<std::size_t>(faces.size()), -1);
    for (std::size_t k = 0; k < triangles.size(); ++k) {
        const std::int64_t face = faces.find(mesh.fault_faces[k].vertices);
        if (face >= 0) {
            triangle_of[static_cast<std::size_t>(face)] = static_cast<std::int64_t>(k);
        }
    }
    for (std::size_t tet = 0; tet < mesh.tets.size(); ++tet) {
        const auto& v = mesh.tets[tet];
        const Vec3 middle =
            0.25 * (mesh.xyz[v[0]] + mesh.xyz[v[1]] + mesh.xyz[v[2]] + mesh.xyz[v[3]]);
        for (const auto& [a, b, c] : mesh::kTetFaces) {
            const std::int64_t k =
                triangle_of[static_cast<std::size_t>(faces.find({v[a], v[b], v[c]}))];
            if (k >= 0) {
                FaultTriangle& triangle = triangles[static_cast<std::size_t>(k)];
                const bool plus = dot(middle - triangle.corners_m[0], triangle.normal) > 0.0;
                triangle.tets[plus ? 1 : 0] = static_cast<std::int64_t>(tet);
            }
        }
    }
}

}  // namespace

std::vector<FaultTriangle> fault_triangles(const aderdg::WaveModel& model) {
    const mesh::TetMesh& mesh = model.mesh;
    std::vector<FaultTriangle> triangles;
    for (const mesh::FaultFace& face : mesh.fault_faces) {
        FaultTriangle& made = triangles.emplace_back();
        made.fault = face.fault;
        for (std::size_t k = 0; k < 3; ++k) {
            made.corners_m[k] = mesh.xyz[face.vertices[k]];
        }
        const auto& [a, b, c] = made.corners_m;
        const Vec3 twice = cross(b - a, c - a);
        made.area_m2 = 0.5 * norm(twice);
        made.normal = normalized(twice);
        made.edge_m = (norm(b - a) + norm(c - b) + norm(a - c)) / 3.0;
    }
    find_tets(mesh, triangles);
    for (FaultTriangle& triangle : triangles) {
        if (triangle.tets[0] < 0 || triangle.tets[1] < 0) {
            throw Error(ErrorCode::InvalidArgument,
                        "fault " + mesh.faults[static_cast<std::size_t>(triangle.fault)] +
                            " must have tetrahedra on both sides, has none on one at " +
                            place_text(triangle.middle()));
        }
        const aderdg::Solid* softer = nullptr;
        for (const std::int64_t tet : triangle.tets) {
            const aderdg::Solid& solid =
                model
                    .solids[static_cast<std::size_t>(mesh.material[static_cast<std::size_t>(tet)])];
            triangle.rigidity_pa += 0.5 * solid.mu_pa;
            if (softer == nullptr || solid.mu_pa < softer->mu_pa) {
                softer = &solid;
            }
        }
        triangle.poisson = 0.5 * softer->lambda_pa / (softer->lambda_pa + softer->mu_pa);
    }
    return triangles;
}

}  // namespace kaname::jobs
