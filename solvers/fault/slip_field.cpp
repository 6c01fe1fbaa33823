// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/slip_field.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace kaname::fault {
namespace {

constexpr double kInside = -1e-12;  // barycentric coordinate that still counts as inside

}  // namespace

Plane Plane::across(const Vec3& origin, const Vec3& normal) {
    const Vec3 n = normalized(normal);
    // Any axis that is far from the normal.
    const Vec3 far = std::abs(n.z) < 0.7 ? Vec3{0.0, 0.0, 1.0} : Vec3{1.0, 0.0, 0.0};
    const Vec3 e1 = normalized(cross(far, n));
    return {origin, e1, cross(n, e1), n};
}

std::array<double, 3> Plane::coordinates(const Vec3& x) const {
    const Vec3 d = x - origin;
    return {dot(d, e1), dot(d, e2), dot(d, normal)};
}

SlipField::SlipField(std::vector<Vec3> points, std::vector<Vec3> values, const Plane& plane)
    : points_(std::move(points)), values_(std::move(values)), plane_(plane) {
    std::vector<std::array<double, 2>> flat;
    Vec3 low = points_.empty() ? Vec3{} : points_[0];
    Vec3 high = low;
    for (const Vec3& x : points_) {
        at_.push_back(plane_.coordinates(x));
        flat.push_back({at_.back()[0], at_.back()[1]});
        for (int comp = 0; comp < 3; ++comp) {
            low[comp] = std::min(low[comp], x[comp]);
            high[comp] = std::max(high[comp], x[comp]);
        }
    }
    mesh_ = triangulate(flat);
    extent_m_ = std::max({high.x - low.x, high.y - low.y, high.z - low.z});
}

SlipField::Weights SlipField::weights(std::int32_t triangle, double u, double v) const {
    const auto& [a, b, c] = mesh_.triangles[triangle];
    const auto area = [&](std::int32_t p, std::int32_t q) {
        return (at_[p][0] - u) * (at_[q][1] - v) - (at_[p][1] - v) * (at_[q][0] - u);
    };
    const Weights parts = {area(b, c), area(c, a), area(a, b)};
    const double sum = parts[0] + parts[1] + parts[2];
    if (!(sum > 0.0)) {  // a sliver that only exists before rounding to the integers' grid
        return {-1.0, -1.0, -1.0};
    }
    return {parts[0] / sum, parts[1] / sum, parts[2] / sum};
}

std::int32_t SlipField::find(double u, double v) {
    // Across the edge that x is farthest behind: in a Delaunay triangulation this ends.
    const std::size_t most_steps = mesh_.triangles.size();
    for (std::size_t step = 0; step < most_steps; ++step) {
        const Weights w = weights(last_, u, v);
        const auto lowest = static_cast<int>(std::ranges::min_element(w) - w.begin());
        if (w[lowest] >= kInside) {
            return last_;
        }
        // Weight k belongs to corner k, opposite to the edge from corner k + 1.
        const std::int32_t across = mesh_.neighbours[last_][(lowest + 1) % 3];
        if (across < 0) {
            break;
        }
        last_ = across;
    }
    for (std::size_t t = 0; t < mesh_.triangles.size(); ++t) {
        if (std::ranges::min(weights(static_cast<std::int32_t>(t), u, v)) >= kInside) {
            last_ = static_cast<std::int32_t>(t);
            return last_;
        }
    }
    return -1;
}

SlipField::Sample SlipField::blend(const std::array<std::int32_t, 3>& points,
                                   const Weights& weights, const std::array<double, 3>& x) const {
    Sample sample;
    double across = 0.0;
    for (int k = 0; k < 3; ++k) {
        sample.value += weights[k] * values_[points[k]];
        across += weights[k] * at_[points[k]][2];
        sample.size_m =
            std::max(sample.size_m, norm(points_[points[k]] - points_[points[(k + 1) % 3]]));
    }
    sample.beside_m = std::abs(x[2] - across);
    for (const std::int32_t point : points) {
        const double off =
            std::hypot(at_[point][0] - x[0], at_[point][1] - x[1], at_[point][2] - x[2]);
        if (off <= kSamePoint * extent_m_) {
            sample.point = point;
            sample.value = values_[point];
        }
    }
    return sample;
}

SlipField::Sample SlipField::nearest_on_hull(const std::array<double, 3>& x) const {
    Sample best;
    best.outside_m = std::numeric_limits<double>::infinity();
    for (std::size_t t = 0; t < mesh_.triangles.size(); ++t) {
        for (int k = 0; k < 3; ++k) {
            if (mesh_.neighbours[t][k] >= 0) {
                continue;
            }
            const std::int32_t a = mesh_.triangles[t][k];
            const std::int32_t b = mesh_.triangles[t][(k + 1) % 3];
            const double du = at_[b][0] - at_[a][0], dv = at_[b][1] - at_[a][1];
            const double along = std::clamp(
                ((x[0] - at_[a][0]) * du + (x[1] - at_[a][1]) * dv) / (du * du + dv * dv), 0.0,
                1.0);
            const double off =
                std::hypot(at_[a][0] + along * du - x[0], at_[a][1] + along * dv - x[1]);
            if (off < best.outside_m) {
                best = blend({a, b, b}, {1.0 - along, along, 0.0}, x);
                best.outside_m = off;
            }
        }
    }
    return best;
}

SlipField::Sample SlipField::at(const Vec3& x) {
    const std::array<double, 3> place = plane_.coordinates(x);
    const std::int32_t triangle = find(place[0], place[1]);
    if (triangle < 0) {
        return nearest_on_hull(place);
    }
    return blend(mesh_.triangles[triangle], weights(triangle, place[0], place[1]), place);
}

}  // namespace kaname::fault
