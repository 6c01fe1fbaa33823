// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/registry/station_points.hpp"

#include <algorithm>
#include <array>

namespace kaname::registry {
namespace {

constexpr double kInside = -1e-9;  // barycentric coordinate of a point on an edge, with rounding

}  // namespace

std::optional<double> top_height_m(const mesh::TetMesh& mesh, double x, double y) {
    for (const mesh::BoundaryFace& face : mesh.boundary_faces) {
        if (!(face.side == mesh.top)) {
            continue;
        }
        const std::array<Vec3, 3> v = {mesh.xyz[face.vertices[0]], mesh.xyz[face.vertices[1]],
                                       mesh.xyz[face.vertices[2]]};
        const auto area = [&](const Vec3& a, const Vec3& b) {
            return (a.x - x) * (b.y - y) - (a.y - y) * (b.x - x);
        };
        const std::array<double, 3> parts = {area(v[1], v[2]), area(v[2], v[0]), area(v[0], v[1])};
        const double sum = parts[0] + parts[1] + parts[2];
        if (sum > 0.0 && std::ranges::min(parts) >= kInside * sum) {
            return (parts[0] * v[0].z + parts[1] * v[1].z + parts[2] * v[2].z) / sum;
        }
    }
    return std::nullopt;
}

std::vector<Vec3> station_points(const GreensJob& job, const Setup& setup,
                                 const mesh::TetMesh& mesh) {
    std::vector<Vec3> points = setup.stations();
    if (setup.mesh_file() == nullptr) {
        return points;
    }
    for (std::size_t k = 0; k < points.size(); ++k) {
        if (!job.stations[k].depth_m) {
            points[k].z = top_height_m(mesh, points[k].x, points[k].y).value_or(points[k].z);
        }
    }
    return points;
}

}  // namespace kaname::registry
