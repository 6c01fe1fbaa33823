// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/slip_field.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "solvers/base/error.hpp"

namespace kaname::fault {
namespace {

__extension__ using Wide = __int128;  // products of four coordinates of 31 bits
using GridPoint = std::array<std::int64_t, 2>;

constexpr double kGrid = 1073741824.0;  // 2^30

/// Twice the signed area: > 0 where c lies left of a -> b.
Wide turn(const GridPoint& a, const GridPoint& b, const GridPoint& c) {
    return Wide(b[0] - a[0]) * (c[1] - a[1]) - Wide(b[1] - a[1]) * (c[0] - a[0]);
}

/// True where d lies inside the circle through a, b, c (counter-clockwise).
bool in_circle(const GridPoint& a, const GridPoint& b, const GridPoint& c, const GridPoint& d) {
    const auto relative = [&d](const GridPoint& p) { return GridPoint{p[0] - d[0], p[1] - d[1]}; };
    const auto square = [](const GridPoint& p) { return Wide(p[0]) * p[0] + Wide(p[1]) * p[1]; };
    const auto minor = [](const GridPoint& p, const GridPoint& q) {
        return Wide(p[0]) * q[1] - Wide(p[1]) * q[0];
    };
    const GridPoint u = relative(a), v = relative(b), w = relative(c);
    return square(u) * minor(v, w) + square(v) * minor(w, u) + square(w) * minor(u, v) > 0;
}

std::vector<GridPoint> rounded(std::span<const std::array<double, 2>> points) {
    std::array<double, 2> low = points[0], high = points[0];
    for (const auto& p : points) {
        for (int axis = 0; axis < 2; ++axis) {
            low[axis] = std::min(low[axis], p[axis]);
            high[axis] = std::max(high[axis], p[axis]);
        }
    }
    const double extent = std::max(high[0] - low[0], high[1] - low[1]);
    std::vector<GridPoint> result;
    for (const auto& p : points) {
        result.push_back({std::llround((p[0] - low[0]) / extent * kGrid),
                          std::llround((p[1] - low[1]) / extent * kGrid)});
    }
    return result;
}

/// Triangles as half-edges: 3 t + k runs from corner k of triangle t to the next corner.
class Sweep {
public:
    explicit Sweep(std::vector<GridPoint> points)
        : at_(std::move(points)), next_(at_.size()), previous_(at_.size()), hull_(at_.size(), -1) {}

    Delaunay run() {
        order_.resize(at_.size());
        std::iota(order_.begin(), order_.end(), 0);
        std::ranges::sort(order_, [&](std::int32_t a, std::int32_t b) { return at_[a] < at_[b]; });
        const auto twice = std::ranges::adjacent_find(
            order_, [&](std::int32_t a, std::int32_t b) { return at_[a] == at_[b]; });
        if (twice != order_.end()) {
            const auto [a, b] = std::minmax(twice[0], twice[1]);
            throw Error(ErrorCode::InvalidArgument, "points " + std::to_string(a) + " and " +
                                                        std::to_string(b) + " are the same");
        }
        for (std::size_t k = first_fan(); k < order_.size(); ++k) {
            add(order_[k], order_[k - 1]);
        }
        return result();
    }

private:
    static int after(int edge) { return edge % 3 == 2 ? edge - 2 : edge + 1; }
    static int before(int edge) { return edge % 3 == 0 ? edge + 2 : edge - 1; }

    int add_triangle(std::int32_t a, std::int32_t b, std::int32_t c) {
        const int first = static_cast<int>(from_.size());
        from_.insert(from_.end(), {a, b, c});
        twin_.insert(twin_.end(), {-1, -1, -1});
        return first;
    }
    void link(int a, int b) {
        twin_[a] = b;
        if (b >= 0) {
            twin_[b] = a;
        } else {
            hull_[from_[a]] = a;
        }
    }
    void join(std::int32_t a, std::int32_t b) {
        next_[a] = b;
        previous_[b] = a;
    }

    /// The points up to the first that is not on a line with those before it. Returns how many.
    std::size_t first_fan() {
        std::size_t apex = 2;
        while (apex < order_.size() &&
               turn(at_[order_[0]], at_[order_[1]], at_[order_[apex]]) == 0) {
            ++apex;
        }
        if (apex >= order_.size()) {
            throw Error(ErrorCode::InvalidArgument, "points must not all lie on one line");
        }
        std::vector<std::int32_t> line(order_.begin(), order_.begin() + std::ptrdiff_t(apex));
        const std::int32_t top = order_[apex];
        if (turn(at_[line[0]], at_[line[1]], at_[top]) < 0) {
            std::ranges::reverse(line);
        }
        for (std::size_t k = 0; k + 1 < line.size(); ++k) {
            const int edge = add_triangle(line[k], line[k + 1], top);
            link(edge, -1);
            link(edge + 2, k > 0 ? edge - 2 : -1);
            join(line[k], line[k + 1]);
        }
        link(static_cast<int>(from_.size()) - 2, -1);
        join(line.back(), top);
        join(top, line.front());
        return apex + 1;
    }

    /// A point beyond all others, of which `last` was the one before it: a corner of the hull.
    void add(std::int32_t point, std::int32_t last) {
        const auto sees = [&](std::int32_t a) {
            return turn(at_[a], at_[next_[a]], at_[point]) < 0;
        };
        std::int32_t start = last;
        while (sees(previous_[start])) {
            start = previous_[start];
        }
        std::vector<int> fresh;
        std::int32_t end = start;
        for (; sees(end); end = next_[end]) {
            const int edge = add_triangle(next_[end], end, point);
            link(edge, hull_[end]);
            link(edge + 1, fresh.empty() ? -1 : fresh.back() + 2);
            fresh.push_back(edge);
        }
        link(fresh.back() + 2, -1);
        join(start, point);
        join(point, end);
        for (const int edge : fresh) {
            legalize(edge);
        }
    }

    /// Flips edges opposite to the corner before `edge` until no circle holds a further point.
    void legalize(int edge) {
        open_.assign(1, edge);
        while (!open_.empty()) {
            const int a = open_.back();
            const int b = twin_[a];
            if (b < 0 || !in_circle(at_[from_[before(a)]], at_[from_[a]], at_[from_[after(a)]],
                                    at_[from_[before(b)]])) {
                open_.pop_back();
                continue;
            }
            const int ar = before(a), bl = before(b);
            const int across_bl = twin_[bl], across_ar = twin_[ar];
            from_[a] = from_[bl];
            from_[b] = from_[ar];
            link(a, across_bl);
            link(b, across_ar);
            link(ar, bl);
            open_.push_back(after(b));
        }
    }

    [[nodiscard]] Delaunay result() const {
        Delaunay result;
        for (std::size_t edge = 0; edge < from_.size(); edge += 3) {
            const auto across = [&](std::size_t e) { return twin_[e] < 0 ? -1 : twin_[e] / 3; };
            result.triangles.push_back({from_[edge], from_[edge + 1], from_[edge + 2]});
            result.neighbours.push_back({across(edge), across(edge + 1), across(edge + 2)});
        }
        return result;
    }

    std::vector<GridPoint> at_;
    std::vector<std::int32_t> order_;
    std::vector<std::int32_t> from_;             ///< [3 T] where a half-edge begins
    std::vector<int> twin_;                      ///< [3 T] -1 on the hull
    std::vector<std::int32_t> next_, previous_;  ///< along the hull, counter-clockwise
    std::vector<int> hull_;                      ///< half-edge from a point of the hull to the next
    std::vector<int> open_;
};

}  // namespace

Delaunay triangulate(std::span<const std::array<double, 2>> points) {
    if (points.size() < 3) {
        throw Error(ErrorCode::InvalidArgument,
                    "must be at least 3 points, got " + std::to_string(points.size()));
    }
    return Sweep(rounded(points)).run();
}

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
