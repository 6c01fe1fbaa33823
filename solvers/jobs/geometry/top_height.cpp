// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/geometry/top_height.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace kaname::jobs {
namespace {

constexpr double kInside = -1e-9;  // barycentric coordinate of a point on an edge, with rounding
constexpr double kFacesPerCell = 2.0;
constexpr int kMostCells = 1024;  // a side

struct Extent {
    double x0 = std::numeric_limits<double>::infinity(), x1 = -x0, y0 = x0, y1 = -x0;
    void add(const Vec3& x) {
        x0 = std::min(x0, x.x);
        x1 = std::max(x1, x.x);
        y0 = std::min(y0, x.y);
        y1 = std::max(y1, x.y);
    }
};

}  // namespace

TopHeight::TopHeight(const mesh::TetMesh& mesh) : mesh_(mesh) {
    Extent all;
    std::vector<std::pair<std::int32_t, Extent>> top;
    for (std::size_t f = 0; f < mesh.boundary_faces.size(); ++f) {
        if (mesh.boundary_faces[f].side == mesh.top) {
            Extent of_face;
            for (const std::int32_t vertex : mesh.boundary_faces[f].vertices) {
                of_face.add(mesh.xyz[vertex]);
                all.add(mesh.xyz[vertex]);
            }
            top.emplace_back(static_cast<std::int32_t>(f), of_face);
        }
    }
    if (!top.empty()) {
        n_ =
            std::clamp(static_cast<int>(std::sqrt(static_cast<double>(top.size()) / kFacesPerCell)),
                       1, kMostCells);
        x0_ = all.x0;
        y0_ = all.y0;
        cell_x_ = std::max(all.x1 - all.x0, 1e-9) / n_;
        cell_y_ = std::max(all.y1 - all.y0, 1e-9) / n_;
    }
    const auto each_cell = [&](const Extent& e, auto visit) {
        for (int j = row(e.y0); j <= row(e.y1); ++j) {
            for (int i = column(e.x0); i <= column(e.x1); ++i) {
                visit(j * n_ + i);
            }
        }
    };
    first_.assign(static_cast<std::size_t>(n_) * n_ + 1, 0);
    for (const auto& [face, extent] : top) {
        each_cell(extent, [&](int cell) { ++first_[cell + 1]; });
    }
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    faces_.resize(first_.back());
    std::vector<std::int32_t> next(first_.begin(), first_.end() - 1);
    for (const auto& [face, extent] : top) {
        each_cell(extent, [&, id = face](int cell) { faces_[next[cell]++] = id; });
    }
}

int TopHeight::column(double x) const {
    return static_cast<int>(std::clamp((x - x0_) / cell_x_, 0.0, n_ - 1.0));
}

int TopHeight::row(double y) const {
    return static_cast<int>(std::clamp((y - y0_) / cell_y_, 0.0, n_ - 1.0));
}

std::optional<double> TopHeight::at(double x, double y) const {
    const int cell = row(y) * n_ + column(x);
    for (std::int32_t k = first_[cell]; k < first_[cell + 1]; ++k) {
        const mesh::BoundaryFace& face = mesh_.boundary_faces[faces_[k]];
        const std::array<Vec3, 3> v = {mesh_.xyz[face.vertices[0]], mesh_.xyz[face.vertices[1]],
                                       mesh_.xyz[face.vertices[2]]};
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

}  // namespace kaname::jobs
