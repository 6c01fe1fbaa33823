// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/locate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kaname::p2 {
namespace {

// Barycentric coordinates this far below zero still count as inside: rounding on a face.
constexpr double kInsideTolerance = 1e-9;

std::array<double, 4> barycentric(const std::array<Vec3, 4>& v, const Vec3& x) {
    const double volume = det6(v[0], v[1], v[2], v[3]);
    return {det6(x, v[1], v[2], v[3]) / volume, det6(v[0], x, v[2], v[3]) / volume,
            det6(v[0], v[1], x, v[3]) / volume, det6(v[0], v[1], v[2], x) / volume};
}

/// Nearest point of a triangle, by region of its plane (vertex, edge, face).
Vec3 nearest_on_triangle(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& p) {
    const Vec3 ab = b - a;
    const Vec3 ac = c - a;
    const Vec3 n = cross(ab, ac);
    const double nn = dot(n, n);
    const double wc = dot(cross(ab, p - a), n) / nn;
    const double wb = dot(cross(p - a, ac), n) / nn;
    if (wb >= 0.0 && wc >= 0.0 && wb + wc <= 1.0) {
        return a + (wb * ab + wc * ac);
    }
    const auto on_edge = [&p](const Vec3& s, const Vec3& e) {
        const double t = std::clamp(dot(p - s, e - s) / dot(e - s, e - s), 0.0, 1.0);
        return s + t * (e - s);
    };
    Vec3 best = on_edge(a, b);
    for (const Vec3& other : {on_edge(b, c), on_edge(c, a)}) {
        if (norm(other - p) < norm(best - p)) {
            best = other;
        }
    }
    return best;
}

struct Corners {
    std::array<Vec3, 4> v;
    Vec3 low;
    Vec3 high;
};

Corners corners(const mesh::TetMesh& mesh, std::size_t tet) {
    Corners result;
    for (int k = 0; k < 4; ++k) {
        result.v[k] = mesh.xyz[mesh.tets[tet][k]];
    }
    result.low = result.high = result.v[0];
    for (const Vec3& x : result.v) {
        for (int comp = 0; comp < 3; ++comp) {
            result.low[comp] = std::min(result.low[comp], x[comp]);
            result.high[comp] = std::max(result.high[comp], x[comp]);
        }
    }
    return result;
}

double distance_to_box(const Corners& box, const Vec3& x) {
    double sum = 0.0;
    for (int comp = 0; comp < 3; ++comp) {
        const double d = std::max({box.low[comp] - x[comp], 0.0, x[comp] - box.high[comp]});
        sum += d * d;
    }
    return std::sqrt(sum);
}

/// Nearest place of the tet's surface to x, as a Location with distance.
Location nearest_in_tet(const Corners& box, std::int32_t tet, const Vec3& x) {
    Location best;
    best.tet = tet;
    best.distance_m = std::numeric_limits<double>::infinity();
    for (int k = 0; k < 4; ++k) {
        const Vec3 y =
            nearest_on_triangle(box.v[(k + 1) % 4], box.v[(k + 2) % 4], box.v[(k + 3) % 4], x);
        if (norm(y - x) < best.distance_m) {
            best.distance_m = norm(y - x);
            best.snapped = y;
        }
    }
    best.barycentric = barycentric(box.v, best.snapped);
    return best;
}

}  // namespace

std::vector<Location> locate_points(const mesh::TetMesh& mesh, std::span<const Vec3> points) {
    std::vector<Location> found(points.size());
    for (Location& location : found) {
        location.distance_m = std::numeric_limits<double>::infinity();
    }
    // Stations are few (at most thousands): one pass over the tets with a box test per point.
    for (std::size_t tet = 0; tet < mesh.tets.size(); ++tet) {
        const Corners box = corners(mesh, tet);
        for (std::size_t p = 0; p < points.size(); ++p) {
            Location& best = found[p];
            if (best.distance_m == 0.0 || distance_to_box(box, points[p]) > best.distance_m) {
                continue;
            }
            const auto L = barycentric(box.v, points[p]);
            if (*std::min_element(L.begin(), L.end()) >= -kInsideTolerance) {
                best = {static_cast<std::int32_t>(tet), L, 0.0, points[p]};
                continue;
            }
            const Location near = nearest_in_tet(box, static_cast<std::int32_t>(tet), points[p]);
            if (near.distance_m < best.distance_m) {
                best = near;
            }
        }
    }
    return found;
}

}  // namespace kaname::p2
