// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/scenario/stress_recovery.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace kaname::jobs {
namespace {

using Row = std::array<double, 4>;  // one number for each of 1, x, y, z

Vec3 centroid(const mesh::TetMesh& mesh, std::size_t tet) {
    Vec3 sum;
    for (const std::int32_t v : mesh.tets[tet]) {
        sum += 0.25 * mesh.xyz[v];
    }
    return sum;
}

/// True for the corners of two elements that share a vertex, on their side of a fault.
bool touch(std::span<const std::int32_t> a, std::span<const std::int32_t> b) {
    return std::ranges::any_of(a, [&](std::int32_t v) { return std::ranges::count(b, v) > 0; });
}

/// x of M x = (1, 0, 0, 0) by Cholesky's method; nothing where M is singular: the centroids lie in
/// a plane.
std::optional<Row> first_column_of_inverse(std::array<Row, 4> m) {
    constexpr double kSingular = 1e-6;
    for (std::size_t i = 0; i < 4; ++i) {
        const double diagonal = m[i][i];
        for (std::size_t j = 0; j <= i; ++j) {
            for (std::size_t k = 0; k < j; ++k) {
                m[i][j] -= m[i][k] * m[j][k];
            }
            if (j < i) {
                m[i][j] /= m[j][j];
            }
        }
        if (!(m[i][i] > kSingular * diagonal)) {
            return std::nullopt;
        }
        m[i][i] = std::sqrt(m[i][i]);
    }
    Row x = {1.0, 0.0, 0.0, 0.0};
    for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            x[i] -= m[i][k] * x[k];
        }
        x[i] /= m[i][i];
    }
    for (std::size_t i = 4; i-- > 0;) {
        for (std::size_t k = i + 1; k < 4; ++k) {
            x[i] -= m[k][i] * x[k];
        }
        x[i] /= m[i][i];
    }
    return x;
}

}  // namespace

std::vector<ElementShare> recovery_at(const mesh::TetMesh& mesh, std::span<const std::int32_t> tets,
                                      std::size_t tet, const Vec3& x) {
    const auto corners = [&](std::size_t elem) { return tets.subspan(4 * elem, 4); };
    double length_m = 0.0;  // makes the terms of M alike
    for (const std::int32_t v : mesh.tets[tet]) {
        length_m = std::max(length_m, norm(mesh.xyz[v] - centroid(mesh, tet)));
    }
    std::vector<ElementShare> shares;
    std::vector<Row> rows;
    std::array<Row, 4> normal{};
    for (std::size_t elem = 0; elem < mesh.tets.size(); ++elem) {
        if (mesh.material[elem] != mesh.material[tet] || !touch(corners(elem), corners(tet))) {
            continue;
        }
        const Vec3 d = (1.0 / length_m) * (centroid(mesh, elem) - x);
        const Row row = {1.0, d.x, d.y, d.z};
        for (std::size_t i = 0; i < 4; ++i) {
            for (std::size_t j = 0; j < 4; ++j) {
                normal[i][j] += row[i] * row[j];
            }
        }
        shares.push_back({elem, 0.0});
        rows.push_back(row);
    }
    const auto at_x = first_column_of_inverse(normal);
    if (!at_x) {
        return {{tet, 1.0}};
    }
    for (std::size_t k = 0; k < shares.size(); ++k) {
        for (std::size_t i = 0; i < 4; ++i) {
            shares[k].weight += (*at_x)[i] * rows[k][i];
        }
    }
    return shares;
}

}  // namespace kaname::jobs
