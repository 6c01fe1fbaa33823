// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/slip_projection.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "solvers/base/error.hpp"

namespace kaname::fault {
namespace {

/// int phi_i phi_j dA over a triangle of area 180.
constexpr double kMass[6][6] = {{6, -1, -1, 0, -4, 0},  {-1, 6, -1, 0, 0, -4},
                                {-1, -1, 6, -4, 0, 0},  {0, 0, -4, 32, 16, 16},
                                {-4, 0, 0, 16, 32, 16}, {0, -4, 0, 16, 16, 32}};
constexpr double kMassArea = 180.0;

}  // namespace

std::vector<FaultTriangle> fault_triangles(const mesh::TetMesh& mesh, const p2::DofMap& dofs,
                                           const SplitNodes& split) {
    std::vector<FaultTriangle> triangles;
    triangles.reserve(mesh.fault_faces.size());
    for (const mesh::FaultFace& face : mesh.fault_faces) {
        const auto& [a, b, c] = face.vertices;
        FaultTriangle triangle;
        triangle.nodes = {
            a, b, c, dofs.edge_node(a, b), dofs.edge_node(b, c), dofs.edge_node(c, a)};
        std::ranges::transform(triangle.nodes, triangle.split.begin(), [&](std::int32_t node) {
            return split.index({node, face.fault});
        });
        triangle.fault = face.fault;
        const Vec3 twice = cross(mesh.xyz[b] - mesh.xyz[a], mesh.xyz[c] - mesh.xyz[a]);
        triangle.area_m2 = 0.5 * norm(twice);
        triangle.normal = normalized(twice);
        triangles.push_back(triangle);
    }
    return triangles;
}

std::array<double, 6> triangle_functions(double l1, double l2) {
    const double l0 = 1.0 - l1 - l2;
    return {l0 * (2.0 * l0 - 1.0), l1 * (2.0 * l1 - 1.0), l2 * (2.0 * l2 - 1.0),
            4.0 * l0 * l1,         4.0 * l1 * l2,         4.0 * l2 * l0};
}

SlipProjection::SlipProjection(std::span<const FaultTriangle> triangles, std::size_t n_split)
    : triangles_(triangles.begin(), triangles.end()), inverse_diagonal_(n_split, 0.0) {
    for (const FaultTriangle& triangle : triangles_) {
        for (int i = 0; i < 6; ++i) {
            if (const std::int32_t node = triangle.split[i]; node >= 0) {
                inverse_diagonal_[node] += triangle.area_m2 / kMassArea * kMass[i][i];
            }
        }
    }
    for (double& value : inverse_diagonal_) {
        value = value > 0.0 ? 1.0 / value : 0.0;
    }
}

void SlipProjection::apply(std::span<const double> x, std::span<double> y) const {
    std::ranges::fill(y, 0.0);
    for (const FaultTriangle& triangle : triangles_) {
        const double scale = triangle.area_m2 / kMassArea;
        for (int i = 0; i < 6; ++i) {
            const std::int32_t row = triangle.split[i];
            if (row < 0) {
                continue;
            }
            double sum = 0.0;
            for (int j = 0; j < 6; ++j) {
                if (const std::int32_t column = triangle.split[j]; column >= 0) {
                    sum += kMass[i][j] * x[column];
                }
            }
            y[row] += scale * sum;
        }
    }
}

std::vector<double> SlipProjection::solve(std::span<const double> load) const {
    constexpr double kTolerance = 1e-12;
    constexpr int kMostIterations = 500;
    const std::size_t n = inverse_diagonal_.size();
    std::vector<double> x(n, 0.0), r(load.begin(), load.end()), z(n), p(n, 0.0), q(n);
    const auto dot_of = [](const std::vector<double>& a, const std::vector<double>& b) {
        return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
    };
    double before = 1.0;
    double first = 0.0;
    for (int iteration = 0; iteration < kMostIterations; ++iteration) {
        std::ranges::transform(r, inverse_diagonal_, z.begin(), std::multiplies<>());
        const double rz = dot_of(r, z);
        first = iteration == 0 ? rz : first;
        if (rz <= kTolerance * kTolerance * first) {
            return x;
        }
        for (std::size_t k = 0; k < n; ++k) {
            p[k] = z[k] + rz / before * p[k];
        }
        before = rz;
        apply(p, q);
        const double step = rz / dot_of(p, q);
        for (std::size_t k = 0; k < n; ++k) {
            x[k] += step * p[k];
            r[k] -= step * q[k];
        }
    }
    throw Error(ErrorCode::Internal, "the slip's projection did not converge");
}

}  // namespace kaname::fault
