// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/unit_source.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/base/error.hpp"
#include "solvers/fault/fault_surface.hpp"

namespace kaname::fault {
namespace {

/// `t` counts patch lengths from the centre.
double hat_1d(Hat hat, double t) {
    t = std::abs(t);
    switch (hat) {
        case Hat::Uniform:
            // Rounding must not make the nodes on the rim, which cannot slip, part of the patch.
            return t < 0.5 - 1e-9 ? 1.0 : 0.0;
        case Hat::Bilinear:
            return std::max(0.0, 1.0 - t);
        case Hat::Bicubic:
            // Cubic B-spline with integer knots; its translates sum to 1.
            if (t < 1.0) {
                return 2.0 / 3.0 - t * t + 0.5 * t * t * t;
            }
            return t < 2.0 ? (2.0 - t) * (2.0 - t) * (2.0 - t) / 6.0 : 0.0;
    }
    throw Error(ErrorCode::Internal, "unknown hat");
}

double reach_in_lengths(Hat hat) {
    return hat == Hat::Uniform ? 0.5 : hat == Hat::Bilinear ? 1.0 : 2.0;
}

Vec3 project_to_plane(const Vec3& v, const Vec3& normal) {
    return v - dot(v, normal) * normal;
}

}  // namespace

double Patch::shape(FaultCoordinates at) const {
    const double along = (at.s - centre.s) / length_m;
    const double down = (at.d - centre.d) / width_m;
    const bool open_s = along < 0.0 ? open_start : open_end;
    const double of_s = hat_1d(open_s ? Hat::Uniform : hat, along);
    if (down < 0.0) {
        return of_s * (open_top ? 1.0 : hat_1d(hat, down));
    }
    return of_s * hat_1d(open_bottom ? Hat::Uniform : hat, down);
}

double Patch::reach_s() const {
    return reach_in_lengths(hat) * length_m;
}

double Patch::reach_d() const {
    return reach_in_lengths(hat) * width_m;
}

double Patch::area_m2(const FaultSurface& fault) const {
    // Triangles between points of the surface: on a fold of radius R the area is short by about
    // (cell / R)^2 / 24.
    constexpr int kCells = 8;
    std::array<std::array<Vec3, kCells + 1>, kCells + 1> x;
    for (int i = 0; i <= kCells; ++i) {
        for (int j = 0; j <= kCells; ++j) {
            x[i][j] = fault.point({centre.s + (static_cast<double>(i) / kCells - 0.5) * length_m,
                                   centre.d + (static_cast<double>(j) / kCells - 0.5) * width_m});
        }
    }
    double area = 0.0;
    for (int i = 0; i < kCells; ++i) {
        for (int j = 0; j < kCells; ++j) {
            const Vec3 diagonal = x[i + 1][j + 1] - x[i][j];
            area += 0.5 * norm(cross(x[i + 1][j] - x[i][j], diagonal)) +
                    0.5 * norm(cross(diagonal, x[i][j + 1] - x[i][j]));
        }
    }
    return area;
}

Vec3 UnitSource::direction(const FaultSurface& fault) const {
    const double radius = 0.5 * std::max(patch.length_m, patch.width_m);
    const Vec3 normal = fault.normal(patch.centre);
    const Vec3 along_strike =
        normalized(project_to_plane(fault.strike_direction(patch.centre, radius), normal));
    const Vec3 up_dip = cross(normal, along_strike);
    return std::cos(rake_rad) * along_strike + std::sin(rake_rad) * up_dip;
}

Vec3 UnitSource::in_surface(const Vec3& direction, const Vec3& normal) const {
    const Vec3 tangent = project_to_plane(direction, normal);
    const double length = norm(tangent);
    if (length < 1e-3) {
        throw Error(ErrorCode::InvalidArgument,
                    "source " + id + ": the fault bends by 90 degrees within the patch, so its " +
                        "slip direction has no tangent there");
    }
    return (1.0 / length) * tangent;
}

Vec3 UnitSource::slip_at(const FaultSurface& fault, FaultCoordinates at) const {
    const double amount = patch.shape(at);
    return amount == 0.0 ? Vec3{} : amount * in_surface(direction(fault), fault.normal(at));
}

std::array<Vec3, 4> UnitSource::outline(const FaultSurface& fault) const {
    const double half_s = 0.5 * patch.length_m;
    const double half_d = 0.5 * patch.width_m;
    const auto corner = [&](double side_s, double side_d) {
        return fault.point({patch.centre.s + side_s * half_s, patch.centre.d + side_d * half_d});
    };
    return {corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)};
}

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

namespace {

constexpr double kLinear = 1e-3;      // departure from linear / largest slip
constexpr double kDown = 1.0 / 32.0;  // shortest edge / finest_m

struct Sample {
    double l1, l2;
    Vec3 slip;
};

class Sampler {
public:
    Sampler(const FaultTriangle& triangle, std::span<const Vec3> node_xyz,
            const std::function<Vec3(const FaultTriangle&, const Vec3&)>& slip, double finest_m,
            double largest_m)
        : triangle_(triangle), slip_(slip), finest_m_(finest_m), tolerance_m_(kLinear * largest_m) {
        for (int k = 0; k < 3; ++k) {
            corner_[k] = node_xyz[triangle.nodes[k]];
        }
    }

    /// int s phi over the triangle, relative to its area.
    [[nodiscard]] std::array<Vec3, 6> run() {
        double longest = 0.0;
        for (int k = 0; k < 3; ++k) {
            longest = std::max(longest, norm(corner_[k] - corner_[(k + 1) % 3]));
        }
        add(at(0.0, 0.0), at(1.0, 0.0), at(0.0, 1.0), longest, 1.0);
        return sum_;
    }

private:
    [[nodiscard]] Sample at(double l1, double l2) const {
        const Vec3 x = corner_[0] + l1 * (corner_[1] - corner_[0]) + l2 * (corner_[2] - corner_[0]);
        return {l1, l2, slip_(triangle_, x)};
    }
    [[nodiscard]] Sample middle(const Sample& a, const Sample& b) const {
        return at(0.5 * (a.l1 + b.l1), 0.5 * (a.l2 + b.l2));
    }
    void add(const Sample& a, const Sample& b, const Sample& c, double edge_m, double fraction) {
        const Sample ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
        const auto bent = [&](const Sample& from, const Sample& to, const Sample& between) {
            return norm(between.slip - 0.5 * (from.slip + to.slip)) > tolerance_m_;
        };
        const bool uneven = bent(a, b, ab) || bent(b, c, bc) || bent(c, a, ca);
        if (edge_m > finest_m_ || (uneven && edge_m > kDown * finest_m_)) {
            add(a, ab, ca, 0.5 * edge_m, 0.25 * fraction);
            add(ab, b, bc, 0.5 * edge_m, 0.25 * fraction);
            add(ca, bc, c, 0.5 * edge_m, 0.25 * fraction);
            add(ab, bc, ca, 0.5 * edge_m, 0.25 * fraction);
            return;
        }
        const Sample* const six[] = {&a, &b, &c, &ab, &bc, &ca};
        for (const auto& [u, v, weight] : kTriangleRule) {
            const auto here = triangle_functions(u, v);
            Vec3 slip;
            for (int k = 0; k < 6; ++k) {
                slip += (weight * fraction * here[k]) * six[k]->slip;
            }
            const auto phi = triangle_functions(a.l1 + u * (b.l1 - a.l1) + v * (c.l1 - a.l1),
                                                a.l2 + u * (b.l2 - a.l2) + v * (c.l2 - a.l2));
            for (int k = 0; k < 6; ++k) {
                sum_[k] += phi[k] * slip;
            }
        }
    }

    const FaultTriangle& triangle_;
    const std::function<Vec3(const FaultTriangle&, const Vec3&)>& slip_;
    double finest_m_;
    double tolerance_m_;
    std::array<Vec3, 3> corner_;
    std::array<Vec3, 6> sum_{};
};

}  // namespace

std::array<std::vector<double>, 3> sampled_load(
    std::span<const FaultTriangle> triangles, std::span<const Vec3> node_xyz, std::size_t n_split,
    const std::function<Vec3(const FaultTriangle&, const Vec3& x)>& slip, double finest_m,
    double largest_m) {
    std::array<std::vector<double>, 3> load;
    load.fill(std::vector<double>(n_split, 0.0));
    for (const FaultTriangle& triangle : triangles) {
        const auto sum = Sampler(triangle, node_xyz, slip, finest_m, largest_m).run();
        for (int k = 0; k < 6; ++k) {
            const std::int32_t node = triangle.split[k];
            for (int comp = 0; node >= 0 && comp < 3; ++comp) {
                load[comp][node] += triangle.area_m2 * sum[k][comp];
            }
        }
    }
    return load;
}

}  // namespace kaname::fault
