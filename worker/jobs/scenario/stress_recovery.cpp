// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/scenario/stress_recovery.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace kaname::jobs {
namespace {

using Vector = std::vector<double>;

// Degrees of the stress: higher ones follow what the solution has wrong (measured,
// docs/theory/viscoelastic.md).
constexpr int kElasticDegree = 4;
constexpr int kRelaxedDegree = 3;
// Numbers wanted for each unknown.
constexpr double kOver = 1.5;
constexpr int kMostRings = 3;

Vec3 centroid(const mesh::TetMesh& mesh, std::size_t tet) {
    Vec3 sum;
    for (const std::int32_t v : mesh.tets[tet]) {
        sum += 0.25 * mesh.xyz[v];
    }
    return sum;
}

double det(const Vec3& a, const Vec3& b, const Vec3& c) {
    return dot(a, cross(b, c));
}

/// Means of the powers of (x - origin) / length over an element, exact up to degree four: P. Keast,
/// Moderate-degree tetrahedral quadrature formulas, Comput. Methods Appl. Mech. Eng. 55, 1986, rule
/// of eleven points.
Vector mean_powers(const mesh::TetMesh& mesh, std::size_t tet, const Vec3& origin, double length,
                   const std::vector<std::array<int, 3>>& powers) {
    constexpr double kMiddle = -74.0 / 5625.0 * 6.0;
    constexpr double kCorner = 343.0 / 45000.0 * 6.0;
    constexpr double kEdge = 56.0 / 2250.0 * 6.0;
    const double near = (1.0 + std::sqrt(5.0 / 14.0)) / 4.0;
    const double far = (1.0 - std::sqrt(5.0 / 14.0)) / 4.0;
    std::array<Vec3, 4> corner;
    for (std::size_t k = 0; k < 4; ++k) {
        corner[k] = (1.0 / length) * (mesh.xyz[mesh.tets[tet][k]] - origin);
    }
    const Vec3 sum = corner[0] + corner[1] + corner[2] + corner[3];
    std::vector<std::pair<Vec3, double>> points = {{0.25 * sum, kMiddle}};
    for (std::size_t a = 0; a < 4; ++a) {
        points.emplace_back((1.0 / 14.0) * sum + (10.0 / 14.0) * corner[a], kCorner);
        for (std::size_t b = a + 1; b < 4; ++b) {
            points.emplace_back(far * sum + (near - far) * (corner[a] + corner[b]), kEdge);
        }
    }
    Vector means(powers.size(), 0.0);
    for (const auto& [x, weight] : points) {
        std::array<std::array<double, kElasticDegree + 1>, 3> power;
        for (int i = 0; i < 3; ++i) {
            power[i][0] = 1.0;
            for (std::size_t k = 1; k < power[i].size(); ++k) {
                power[i][k] = power[i][k - 1] * x[i];
            }
        }
        for (std::size_t m = 0; m < powers.size(); ++m) {
            means[m] +=
                weight * power[0][powers[m][0]] * power[1][powers[m][1]] * power[2][powers[m][2]];
        }
    }
    return means;
}

/// L of M = L L^T, both [n][n], in place; false where M is singular.
bool cholesky(Vector& m, std::size_t n) {
    constexpr double kSingular = 1e-11;
    for (std::size_t i = 0; i < n; ++i) {
        const double diagonal = m[i * n + i];
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = m[i * n + j];
            for (std::size_t k = 0; k < j; ++k) {
                sum -= m[i * n + k] * m[j * n + k];
            }
            m[i * n + j] = j < i ? sum / m[j * n + j] : sum;
        }
        if (!(m[i * n + i] > kSingular * diagonal)) {
            return false;
        }
        m[i * n + i] = std::sqrt(m[i * n + i]);
    }
    return true;
}

/// x of L L^T x = b, in place.
void solve(const Vector& l, std::size_t n, Vector& x) {
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            x[i] -= l[i * n + k] * x[k];
        }
        x[i] /= l[i * n + i];
    }
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t k = i + 1; k < n; ++k) {
            x[i] -= l[k * n + i] * x[k];
        }
        x[i] /= l[i * n + i];
    }
}

}  // namespace

/// Elements that a stress is fitted to.
struct StressRecovery::Patch {
    std::vector<std::size_t> tets;
    Vec3 x;
    double length_m = 0.0;  ///< reach of the place's own element

    /// Shares in the stress at x of the polynomial that fits best; nothing where it has too many
    /// unknowns or the elements do not tell them apart.
    [[nodiscard]] std::optional<std::vector<ElementShare>> fit(
        const mesh::TetMesh& mesh, const StressPolynomials& polynomials) const {
        const auto n = static_cast<std::size_t>(polynomials.n_modes);
        if (6.0 * static_cast<double>(tets.size()) < kOver * static_cast<double>(n) && n > 6) {
            return std::nullopt;
        }
        std::vector<Vector> rows;  // [tets] [6][n], with the weight
        Vector weights;
        Vector normal(n * n, 0.0);
        for (const std::size_t tet : tets) {
            const Vector powers = mean_powers(mesh, tet, x, length_m, polynomials.powers);
            const double apart = norm(centroid(mesh, tet) - x) / length_m;
            weights.push_back(std::exp(-0.25 * apart * apart));
            Vector& row = rows.emplace_back(6 * n, 0.0);
            for (std::size_t c = 0; c < 6; ++c) {
                double* of = row.data() + c * n;
                for (std::size_t mode = 0; mode < n; ++mode) {
                    const double* coefficient = polynomials.of(int(mode), int(c));
                    for (std::size_t m = 0; m < powers.size(); ++m) {
                        of[mode] += weights.back() * coefficient[m] * powers[m];
                    }
                }
                for (std::size_t i = 0; i < n; ++i) {
                    for (std::size_t j = 0; j <= i; ++j) {
                        normal[i * n + j] += of[i] * of[j];
                    }
                }
            }
        }
        if (!cholesky(normal, n)) {
            return std::nullopt;
        }
        std::vector<ElementShare> shares;
        for (const std::size_t tet : tets) {
            shares.push_back({tet, {}});
        }
        for (std::size_t k = 0; k < 6; ++k) {
            Vector at_x(n);
            for (std::size_t mode = 0; mode < n; ++mode) {
                at_x[mode] = polynomials.of(int(mode), int(k))[0];
            }
            solve(normal, n, at_x);
            for (std::size_t elem = 0; elem < tets.size(); ++elem) {
                for (std::size_t c = 0; c < 6; ++c) {
                    double sum = 0.0;
                    for (std::size_t mode = 0; mode < n; ++mode) {
                        sum += rows[elem][c * n + mode] * at_x[mode];
                    }
                    shares[elem].weight[k][c] = weights[elem] * sum;
                }
            }
        }
        return shares;
    }
};

StressRecovery::StressRecovery(const mesh::TetMesh& mesh, std::span<const std::int32_t> tets,
                               std::vector<std::optional<double>> lambda_over_mu)
    : mesh_(mesh), tets_(tets), lambda_over_mu_(std::move(lambda_over_mu)) {
    // A vertex that is two points has one beyond those of the mesh.
    std::vector<bool> cut(mesh.xyz.size(), false);
    n_points_ = static_cast<std::size_t>(*std::ranges::max_element(tets)) + 1;
    for (std::size_t k = 0; k < tets.size(); ++k) {
        if (static_cast<std::size_t>(tets[k]) >= mesh.xyz.size()) {
            cut[mesh.tets[k / 4][k % 4]] = true;
        }
    }
    using Face = std::array<std::int32_t, 3>;
    std::map<Face, Face> points_of;  // the first element's
    for (std::size_t tet = 0; tet < mesh.tets.size(); ++tet) {
        const auto& vertices = mesh.tets[tet];
        if (std::ranges::none_of(vertices, [&](std::int32_t v) { return cut[v]; })) {
            continue;
        }
        for (std::size_t opposite = 0; opposite < 4; ++opposite) {
            std::array<std::pair<std::int32_t, std::int32_t>, 3> face;
            for (std::size_t k = 0, corner = 0; corner < 4; ++corner) {
                if (corner != opposite) {
                    face[k++] = {vertices[corner], tets[4 * tet + corner]};
                }
            }
            std::ranges::sort(face);
            const Face key = {face[0].first, face[1].first, face[2].first};
            const Face points = {face[0].second, face[1].second, face[2].second};
            const auto [found, is_new] = points_of.emplace(key, points);
            if (!is_new && found->second != points) {
                fault_.push_back({mesh.xyz[key[0]], mesh.xyz[key[1]], mesh.xyz[key[2]]});
            }
        }
    }
}

/// False where a face of a fault is between.
bool StressRecovery::sees(const Vec3& x, const Vec3& to) const {
    const Vec3 along = to - x;
    return std::ranges::none_of(fault_, [&](const Triangle& t) {
        const Vec3 normal = cross(t[1] - t[0], t[2] - t[0]);
        const double from_x = dot(normal, t[0] - x);
        const double across = dot(normal, along);
        if (!(from_x * across > 0.0 && std::abs(from_x) < std::abs(across))) {
            return false;
        }
        // The line passes all edges on one side.
        const double a = det(along, t[0] - x, t[1] - x);
        const double b = det(along, t[1] - x, t[2] - x);
        const double c = det(along, t[2] - x, t[0] - x);
        return (a >= 0.0 && b >= 0.0 && c >= 0.0) || (a <= 0.0 && b <= 0.0 && c <= 0.0);
    });
}

/// The elements that touch `tet`, and rings around them until there are `enough`.
StressRecovery::Patch StressRecovery::around(std::size_t tet, const Vec3& x,
                                             std::size_t enough) const {
    constexpr double kInside = 1e-6;  // of a place on a fault, to see from its own side
    const Vec3 middle = centroid(mesh_, tet);
    Patch patch{{}, x, 0.0};
    for (const std::int32_t v : mesh_.tets[tet]) {
        patch.length_m = std::max(patch.length_m, norm(mesh_.xyz[v] - middle));
    }
    const Vec3 eye = x + kInside * (middle - x);
    const auto points = [&](std::size_t elem) { return tets_.subspan(4 * elem, 4); };
    std::vector<bool> touched(n_points_, false);
    std::vector<bool> taken(mesh_.tets.size(), false);
    std::vector<std::size_t> ring = {tet};
    taken[tet] = true;
    patch.tets = ring;
    for (int k = 0; k < kMostRings && !ring.empty() && patch.tets.size() < enough; ++k) {
        for (const std::size_t elem : ring) {
            for (const std::int32_t point : points(elem)) {
                touched[point] = true;
            }
        }
        ring.clear();
        for (std::size_t elem = 0; elem < mesh_.tets.size(); ++elem) {
            if (!taken[elem] && mesh_.material[elem] == mesh_.material[tet] &&
                std::ranges::any_of(points(elem), [&](auto point) { return touched[point]; }) &&
                sees(eye, centroid(mesh_, elem))) {
                taken[elem] = true;
                ring.push_back(elem);
            }
        }
        patch.tets.insert(patch.tets.end(), ring.begin(), ring.end());
    }
    return patch;
}

StressRecovery::At StressRecovery::at(std::size_t tet, const Vec3& x) const {
    const auto ratio = lambda_over_mu_.at(static_cast<std::size_t>(mesh_.material[tet]));
    const int degree_of_rock = ratio ? kElasticDegree : kRelaxedDegree;
    const auto most = stress_polynomials(degree_of_rock, ratio);
    const Patch patch =
        around(tet, x, static_cast<std::size_t>(std::ceil(kOver * most.n_modes / 6.0)));
    // The first that the elements suffice for; a constant is always fitted.
    const auto first = [&](int degree, std::optional<double> of) {
        for (; degree > 0; --degree) {
            if (auto shares = patch.fit(mesh_, stress_polynomials(degree, of))) {
                return std::pair(degree, std::move(*shares));
            }
        }
        return std::pair(0, *patch.fit(mesh_, stress_polynomials(0, of)));
    };
    auto [degree, shares] = first(degree_of_rock, ratio);
    if (degree == 0) {
        return {std::move(shares), {}};
    }
    return {std::move(shares), first(degree - 1, std::nullopt).second};
}

std::vector<std::int32_t> joined_where_nothing_slips(const mesh::TetMesh& mesh,
                                                     std::span<const std::int32_t> tets,
                                                     std::span<const float> displacement_m,
                                                     std::size_t n_points) {
    constexpr double kNoSlip = 1e-3;  // of the largest slip
    std::vector<std::int32_t> vertex(n_points, -1);
    for (std::size_t k = 0; k < tets.size(); ++k) {
        vertex.at(static_cast<std::size_t>(tets[k])) = mesh.tets[k / 4][k % 4];
    }
    // Largest distance of a point from the first one of its vertex, over all epochs.
    std::vector<double> apart_m(n_points, 0.0);
    for (std::size_t from = 0; from < displacement_m.size(); from += 3 * n_points) {
        const float* of = displacement_m.data() + from;
        for (std::size_t point = 0; point < n_points; ++point) {
            const std::int32_t first = vertex[point];
            if (first >= 0 && static_cast<std::size_t>(first) != point) {
                apart_m[point] = std::max(
                    apart_m[point], std::hypot(double{of[3 * point]} - of[3 * first],
                                               double{of[3 * point + 1]} - of[3 * first + 1],
                                               double{of[3 * point + 2]} - of[3 * first + 2]));
            }
        }
    }
    const double largest_m = apart_m.empty() ? 0.0 : *std::ranges::max_element(apart_m);
    std::vector<std::int32_t> joined(tets.begin(), tets.end());
    if (largest_m > 0.0) {
        for (std::int32_t& point : joined) {
            const auto at = static_cast<std::size_t>(point);
            point = apart_m[at] > kNoSlip * largest_m ? point : vertex[at];
        }
    }
    return joined;
}

fault::StressChange stress_of(std::span<const ElementShare> shares, const float* stress_pa) {
    fault::StressChange sum{};
    for (const ElementShare& share : shares) {
        for (std::size_t k = 0; k < sum.size(); ++k) {
            for (std::size_t c = 0; c < sum.size(); ++c) {
                sum[k] += share.weight[k][c] * double{stress_pa[6 * share.tet + c]};
            }
        }
    }
    return sum;
}

}  // namespace kaname::jobs
