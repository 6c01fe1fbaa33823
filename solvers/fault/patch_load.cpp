// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/patch_load.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/fault/triangle_rule.hpp"

namespace kaname::fault {
namespace {

/// A point of a triangle: barycentric coordinates of its second and third vertex, place on the
/// fault.
struct PolygonPoint {
    double l1, l2;
    FaultCoordinates at;
};
using Polygon = std::vector<PolygonPoint>;

PolygonPoint between(const PolygonPoint& a, const PolygonPoint& b, double t) {
    const auto mix = [t](double x, double y) { return x + t * (y - x); };
    return {mix(a.l1, b.l1), mix(a.l2, b.l2), {mix(a.at.s, b.at.s), mix(a.at.d, b.at.d)}};
}

/// Where the patch's amount is no polynomial: lines of constant coordinate. A side that is open
/// ends half a length from the centre.
std::vector<double> kinks(Hat hat, double centre, double length, bool open) {
    switch (hat) {
        case Hat::Uniform:
            return {centre - 0.5 * length, centre + 0.5 * length};
        case Hat::Bilinear:
            return open ? std::vector<double>{centre - length, centre - 0.5 * length, centre,
                                              centre + 0.5 * length, centre + length}
                        : std::vector<double>{centre - length, centre, centre + length};
        case Hat::Bicubic:
            return {centre - 2.0 * length, centre - length, centre, centre + length,
                    centre + 2.0 * length};
    }
    return {};
}

/// Cuts convex polygons along coordinate = value.
std::vector<Polygon> cut(std::vector<Polygon> polygons, double FaultCoordinates::*coordinate,
                         double value) {
    std::vector<Polygon> parts;
    for (Polygon& polygon : polygons) {
        Polygon below, above;
        for (std::size_t k = 0; k < polygon.size(); ++k) {
            const PolygonPoint& a = polygon[k];
            const PolygonPoint& b = polygon[(k + 1) % polygon.size()];
            const double from = a.at.*coordinate - value;
            const double to = b.at.*coordinate - value;
            if (from <= 0.0) {
                below.push_back(a);
            }
            if (from >= 0.0) {
                above.push_back(a);
            }
            if (from * to < 0.0) {
                const PolygonPoint on = between(a, b, from / (from - to));
                below.push_back(on);
                above.push_back(on);
            }
        }
        for (Polygon* part : {&below, &above}) {
            if (part->size() > 2) {
                parts.push_back(std::move(*part));
            }
        }
    }
    return parts;
}

/// Adds int shape phi over a triangle, relative to the area of the whole.
void integrate(const PolygonPoint& a, const PolygonPoint& b, const PolygonPoint& c,
               const Patch& patch, std::array<double, 6>& sum) {
    const double fraction = std::abs((b.l1 - a.l1) * (c.l2 - a.l2) - (c.l1 - a.l1) * (b.l2 - a.l2));
    for (const auto& [u, v, weight] : kTriangleRule) {
        const PolygonPoint x = between(between(a, b, u / (1.0 - v)), c, v);
        const double amount = weight * fraction * patch.shape(x.at);
        const auto phi = triangle_functions(x.l1, x.l2);
        for (int i = 0; i < 6; ++i) {
            sum[i] += amount * phi[i];
        }
    }
}

/// The four triangles between vertices and middles: on a bent fault coordinates are no linear
/// function of place.
constexpr int kQuarters[4][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}};
constexpr double kL1[6] = {0.0, 1.0, 0.0, 0.5, 0.5, 0.0};
constexpr double kL2[6] = {0.0, 0.0, 1.0, 0.0, 0.5, 0.5};

}  // namespace

std::vector<double> patch_load(std::span<const FaultTriangle> triangles,
                               std::span<const std::array<FaultCoordinates, 6>> coordinates,
                               std::size_t n_split, const Patch& patch) {
    std::vector<double> load(n_split, 0.0);
    const std::vector<double> s_kinks =
        kinks(patch.hat, patch.centre.s, patch.length_m, patch.open_start || patch.open_end);
    const std::vector<double> d_kinks =
        kinks(patch.hat, patch.centre.d, patch.width_m, patch.open_bottom);
    for (std::size_t k = 0; k < triangles.size(); ++k) {
        const auto& at = coordinates[k];
        const auto [s_low, s_high] = std::ranges::minmax(at, {}, &FaultCoordinates::s);
        const auto [d_low, d_high] = std::ranges::minmax(at, {}, &FaultCoordinates::d);
        if (s_high.s < s_kinks.front() || s_low.s > s_kinks.back() ||
            (d_high.d < d_kinks.front() && !patch.open_top) || d_low.d > d_kinks.back()) {
            continue;
        }
        std::vector<Polygon> pieces;
        for (const auto& quarter : kQuarters) {
            Polygon corners;
            for (const int corner : quarter) {
                corners.push_back({kL1[corner], kL2[corner], at[corner]});
            }
            pieces.push_back(std::move(corners));
        }
        for (const double s : s_kinks) {
            pieces = cut(std::move(pieces), &FaultCoordinates::s, s);
        }
        for (const double d : d_kinks) {
            pieces = cut(std::move(pieces), &FaultCoordinates::d, d);
        }
        std::array<double, 6> sum{};
        for (const Polygon& piece : pieces) {
            for (std::size_t corner = 2; corner < piece.size(); ++corner) {
                integrate(piece[0], piece[corner - 1], piece[corner], patch, sum);
            }
        }
        for (int i = 0; i < 6; ++i) {
            if (const std::int32_t node = triangles[k].split[i]; node >= 0) {
                load[node] += triangles[k].area_m2 * sum[i];
            }
        }
    }
    return load;
}

}  // namespace kaname::fault
