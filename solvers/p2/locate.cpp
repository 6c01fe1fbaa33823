// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/locate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/parallel/loops.hpp"

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

std::array<Vec3, 4> corners(const mesh::TetMesh& mesh, std::int32_t tet) {
    std::array<Vec3, 4> v;
    for (int k = 0; k < 4; ++k) {
        v[k] = mesh.xyz[mesh.tets[tet][k]];
    }
    return v;
}

/// Nearest place of the tet's surface to x, as a Location with distance.
Location nearest_in_tet(const std::array<Vec3, 4>& v, std::int32_t tet, const Vec3& x) {
    Location best;
    best.tet = tet;
    best.distance_m = std::numeric_limits<double>::infinity();
    for (int k = 0; k < 4; ++k) {
        const Vec3 y = nearest_on_triangle(v[(k + 1) % 4], v[(k + 2) % 4], v[(k + 3) % 4], x);
        if (norm(y - x) < best.distance_m) {
            best.distance_m = norm(y - x);
            best.snapped = y;
        }
    }
    best.barycentric = barycentric(v, best.snapped);
    return best;
}

/// Takes the tet in place of `best` when it is nearer, or as near with a lower id: in whatever
/// order tets come, the same one is left.
void consider(const mesh::TetMesh& mesh, std::int32_t tet, const Vec3& x, Location& best) {
    const std::array<Vec3, 4> v = corners(mesh, tet);
    const auto L = barycentric(v, x);
    const bool inside = *std::min_element(L.begin(), L.end()) >= -kInsideTolerance;
    const Location here = inside ? Location{tet, L, 0.0, x} : nearest_in_tet(v, tet, x);
    if (here.distance_m < best.distance_m ||
        (here.distance_m == best.distance_m && here.tet < best.tet)) {
        best = here;
    }
}

}  // namespace

std::vector<Location> locate_points(const mesh::TetMesh& mesh, std::span<const Vec3> points) {
    // Boxes as far away as the best tet so far are looked at: their tets may be as near.
    constexpr double kRounding = 1e-12;
    constexpr std::int64_t kPoints = 16;
    std::vector<Location> found(points.size());
    const auto box_of = [&](std::int32_t tet) {
        Box box;
        for (const Vec3& x : corners(mesh, tet)) {
            box.include(x);
        }
        return box;
    };
    const auto locate = [&](const Vec3& x, const auto& for_each_near) {
        Location best;
        best.distance_m = std::numeric_limits<double>::infinity();
        for_each_near(
            x, [&] { return best.distance_m * (1.0 + kRounding); },
            [&](std::int32_t tet) { consider(mesh, tet, x, best); });
        return best;
    };
    const auto n_tets = static_cast<std::int32_t>(mesh.tets.size());
    if (std::ssize(points) < BoxTree::kWorthATree) {
        parallel_for(
            std::ssize(points),
            [&](std::int64_t p) {
                found[p] = locate(points[p], [&](const Vec3& x, auto within, auto visit) {
                    for (std::int32_t tet = 0; tet < n_tets; ++tet) {
                        if (box_of(tet).distance(x) <= within()) {
                            visit(tet);
                        }
                    }
                });
            },
            1);
        return found;
    }
    const BoxTree tree(n_tets, box_of);
    parallel_for(
        std::ssize(points),
        [&](std::int64_t p) {
            found[p] = locate(points[p], [&](const Vec3& x, auto within, auto visit) {
                tree.for_each_near(x, within, visit);
            });
        },
        kPoints);
    return found;
}

namespace {

constexpr std::int32_t kLeaf = 8;

}  // namespace

BoxTree::BoxTree(std::int32_t n, const std::function<Box(std::int32_t)>& box_of) : items_(n) {
    parallel_for(n, [&](std::int64_t item) {
        items_[item] = {box_of(static_cast<std::int32_t>(item)), static_cast<std::int32_t>(item)};
    });
    if (n > 0) {
        split(0, n);
    }
}

/// The middle of the longest side of what the centres span has as many items on either side.
void BoxTree::split(std::int32_t begin, std::int32_t end) {
    const std::span<Item> items(items_.data() + begin, items_.data() + end);
    Box centres;
    Node node{{}, begin, end, -1};
    for (const Item& item : items) {
        node.box.include(item.box);
        centres.include(item.box.low + item.box.high);  // twice the centre
    }
    const std::size_t place = nodes_.size();
    nodes_.push_back(node);
    if (end - begin <= kLeaf) {
        return;
    }
    const Vec3 extent = centres.high - centres.low;
    const int axis = extent.x >= extent.y && extent.x >= extent.z ? 0
                     : extent.y >= extent.z                       ? 1
                                                                  : 2;
    const std::int32_t middle = begin + (end - begin) / 2;
    std::nth_element(items.begin(), items.begin() + (middle - begin), items.end(),
                     [axis](const Item& a, const Item& b) {
                         return std::pair(a.box.low[axis] + a.box.high[axis], a.item) <
                                std::pair(b.box.low[axis] + b.box.high[axis], b.item);
                     });
    split(begin, middle);
    nodes_[place].right = static_cast<std::int32_t>(nodes_.size());
    split(middle, end);
}

}  // namespace kaname::p2
