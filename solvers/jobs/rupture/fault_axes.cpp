// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/rupture/fault_axes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "solvers/mesh/face_set.hpp"
#include "solvers/mesh/tet_mesh.hpp"
#include "solvers/rupture/fault_setup.hpp"

namespace kaname::jobs {

FaultAxes FaultAxes::of(const FaultPlane& plane) {
    const double strike = plane.strike_deg * kDegree, dip = plane.dip_deg * kDegree;
    const Vec3 right = {std::cos(strike), -std::sin(strike), 0.0};
    return {{plane.x_m, plane.y_m, -plane.top_depth_m},
            {std::sin(strike), std::cos(strike), 0.0},
            std::cos(dip) * right - Vec3{0.0, 0.0, std::sin(dip)},
            plane.length_m,
            plane.width_m};
}

FaultAxes FaultAxes::around(const mesh::TetMesh& mesh, int fault) {
    Vec3 normal, centroid;
    double area = 0.0;
    for (const mesh::FaultFace& face : mesh.fault_faces) {
        if (face.fault == fault) {
            const auto& [a, b, c] = face.vertices;
            const Vec3 twice = cross(mesh.xyz[b] - mesh.xyz[a], mesh.xyz[c] - mesh.xyz[a]);
            normal += twice;
            area += norm(twice);
            centroid += (norm(twice) / 3.0) * (mesh.xyz[a] + mesh.xyz[b] + mesh.xyz[c]);
        }
    }
    constexpr double kClosed = 1e-6;  // of a surface that comes back to where it began
    if (!(norm(normal) > kClosed * area)) {
        throw Error(ErrorCode::InvalidArgument, "fault " +
                                                    mesh.faults[static_cast<std::size_t>(fault)] +
                                                    " must have faces with a mean normal, has " +
                                                    (area > 0.0 ? "a closed surface" : "no faces"));
    }
    const rupture::FaultFrame frame = rupture::FaultFrame::of(normalized(normal));
    FaultAxes axes = {(1.0 / area) * centroid, frame.strike, frame.dip, 0.0, 0.0};
    constexpr double kFar = std::numeric_limits<double>::infinity();
    std::array<double, 2> low = {kFar, kFar}, high = {-kFar, -kFar};
    for (const mesh::FaultFace& face : mesh.fault_faces) {
        for (const std::int32_t v : face.vertices) {
            const std::array<double, 2> at = axes.place(mesh.xyz[v]);
            for (std::size_t k = 0; k < 2 && face.fault == fault; ++k) {
                low[k] = std::min(low[k], at[k]);
                high[k] = std::max(high[k], at[k]);
            }
        }
    }
    axes.length_m = high[0] - low[0];
    axes.width_m = high[1] - low[1];
    axes.origin_m = axes.at(0.5 * (low[0] + high[0]), low[1]);
    return axes;
}

std::vector<std::optional<FaultAxes>> fault_axes(const SeismicMeshRequest& request,
                                                 const mesh::TetMesh* mesh) {
    std::vector<std::optional<FaultAxes>> axes;
    for (const SeismicFault& fault : request.faults) {
        std::optional<FaultAxes>& made = axes.emplace_back();
        if (const auto* plane = std::get_if<FaultPlane>(&fault.place)) {
            made = FaultAxes::of(*plane);
        } else if (mesh != nullptr) {
            made = FaultAxes::around(*mesh, static_cast<int>(axes.size()) - 1);
        }
    }
    return axes;
}

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
