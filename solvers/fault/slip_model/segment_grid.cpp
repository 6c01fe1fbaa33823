// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/slip_model/segment_grid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include "solvers/fault/slip_model/patch_rules.hpp"

namespace kaname::slip_model {
namespace {

constexpr double kClose = 0.25;       ///< how far a centre may be from its place, in patches
constexpr int kMostSteps = 6;         ///< longest step over a gap, in patches
constexpr std::size_t kMostGaps = 3;  ///< gaps per patch: fewer patches are no grid

/// Centres in the plane, in patches: along strike, down dip, and off the plane in widths.
struct Flat {
    double u, v, w;
};

/// Centres by the unit square they lie in.
class Squares {
public:
    explicit Squares(const std::vector<Flat>& at) : at_(at) {
        for (std::size_t k = 0; k < at.size(); ++k) {
            squares_[key(std::floor(at[k].u), std::floor(at[k].v))].push_back(
                static_cast<std::int32_t>(k));
        }
    }
    /// The centre closest to u, v, w, if any lies within kClose.
    [[nodiscard]] std::int32_t near(const Flat& place) const {
        std::int32_t best = -1;
        double closest = kClose;
        for (double du = -1.0; du <= 1.0; ++du) {
            for (double dv = -1.0; dv <= 1.0; ++dv) {
                const auto square =
                    squares_.find(key(std::floor(place.u) + du, std::floor(place.v) + dv));
                if (square == squares_.end()) {
                    continue;
                }
                for (const std::int32_t k : square->second) {
                    const Flat& at = at_[static_cast<std::size_t>(k)];
                    const double far = std::max({std::abs(at.u - place.u), std::abs(at.v - place.v),
                                                 std::abs(at.w - place.w)});
                    if (far < closest) {
                        closest = far;
                        best = k;
                    }
                }
            }
        }
        return best;
    }

private:
    static std::int64_t key(double u, double v) {
        constexpr std::int64_t kStride = std::int64_t{1} << 31;
        return static_cast<std::int64_t>(u) * kStride + static_cast<std::int64_t>(v);
    }
    const std::vector<Flat>& at_;
    std::unordered_map<std::int64_t, std::vector<std::int32_t>> squares_;
};

using Index = std::pair<int, int>;

/// Grid indices of all centres by walking from the first to neighbours; nothing when not all are
/// reached.
std::optional<std::vector<Index>> walk(const std::vector<Flat>& at) {
    const Squares squares(at);
    std::vector<char> seen(at.size(), 0);
    std::vector<Index> index(at.size());
    std::vector<std::int32_t> queue = {0};
    seen[0] = 1;
    const auto step = [&](std::size_t from, int di, int dj) {
        const std::int32_t to = squares.near({at[from].u + di, at[from].v + dj, at[from].w});
        if (to >= 0 && !seen[static_cast<std::size_t>(to)]) {
            seen[static_cast<std::size_t>(to)] = 1;
            index[static_cast<std::size_t>(to)] = {index[from].first + di, index[from].second + dj};
            queue.push_back(to);
        }
    };
    constexpr std::array<Index, 4> kSteps = {{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}};
    // Over gaps only where nothing nearer is left: what is farther away is where less exactly.
    for (int reach = 1; reach <= kMostSteps && queue.size() < at.size(); ++reach) {
        for (std::size_t head = 0; head < queue.size(); ++head) {
            const auto from = static_cast<std::size_t>(queue[head]);
            for (int far = 1; far <= reach; ++far) {
                for (const auto& [di, dj] : kSteps) {
                    step(from, far * di, far * dj);
                }
            }
        }
    }
    if (queue.size() != at.size()) {
        return std::nullopt;
    }
    return index;
}

/// Mean of p^2 over p = -(n-1)/2 ... (n-1)/2.
double mean_square(int n) {
    return (static_cast<double>(n) * n - 1.0) / 12.0;
}

constexpr int kTerms = 6;
using Terms = std::array<double, kTerms>;

/// 1, p, q, p^2 - mean, p q, q^2 - mean: orthogonal on a full grid.
Terms terms_of(const PatchGrid& grid, const Index& index) {
    const double p = index.first - 0.5 * (grid.n_strike - 1);
    const double q = index.second - 0.5 * (grid.n_dip - 1);
    return {1.0, p, q, p * p - mean_square(grid.n_strike), p * q, q * q - mean_square(grid.n_dip)};
}

/// Least squares by Cholesky's decomposition of the normal equations. A term that the others
/// leave nothing of (a bend of two rows, the dip of one) gets 0 and is reported as not fitted.
struct Fitted {
    std::array<Vec3, kTerms> value{};
    std::array<bool, kTerms> known{};
};
Fitted least_squares(const std::vector<Terms>& rows, const std::vector<Vec3>& x) {
    double a[kTerms][kTerms] = {};
    Fitted fitted;
    std::array<Vec3, kTerms>& b = fitted.value;
    for (std::size_t k = 0; k < rows.size(); ++k) {
        for (int i = 0; i < kTerms; ++i) {
            b[i] += rows[k][i] * x[k];
            for (int j = 0; j < kTerms; ++j) {
                a[i][j] += rows[k][i] * rows[k][j];
            }
        }
    }
    constexpr double kNothingLeft = 1e-9;
    for (int i = 0; i < kTerms; ++i) {
        const double whole = a[i][i];
        for (int k = 0; k < i; ++k) {
            a[i][i] -= a[i][k] * a[i][k];
            b[i] += -a[i][k] * b[k];
        }
        fitted.known[i] = a[i][i] > kNothingLeft * std::max(whole, 1.0);
        const double root = fitted.known[i] ? std::sqrt(a[i][i]) : 0.0;
        a[i][i] = root;
        b[i] = fitted.known[i] ? (1.0 / root) * b[i] : Vec3{};
        for (int j = i + 1; j < kTerms; ++j) {
            for (int k = 0; k < i; ++k) {
                a[j][i] -= a[j][k] * a[i][k];
            }
            a[j][i] = fitted.known[i] ? a[j][i] / root : 0.0;
        }
    }
    for (int i = kTerms - 1; i >= 0; --i) {
        for (int k = i + 1; k < kTerms; ++k) {
            b[i] += -a[k][i] * b[k];
        }
        b[i] = fitted.known[i] ? (1.0 / a[i][i]) * b[i] : Vec3{};
    }
    return fitted;
}

void fit(PatchGrid& grid, std::span<const PlacedPatch> patches, const std::vector<Index>& index,
         const PlaneAxes& axes) {
    std::vector<Terms> rows;
    std::vector<Vec3> x;
    for (std::size_t k = 0; k < patches.size(); ++k) {
        rows.push_back(terms_of(grid, index[k]));
        x.push_back(patches[k].centre - patches[0].centre);
    }
    const Fitted fitted = least_squares(rows, x);
    const auto term = [&](int k, const Vec3& other) {
        return fitted.known[k] ? fitted.value[k] : other;
    };
    grid.origin = patches[0].centre + term(0, {});
    grid.strike_step = term(1, patches[0].length_m * axes.along_strike);
    grid.dip_step = term(2, patches[0].width_m * axes.down_dip);
    grid.strike_bend = term(3, {});
    grid.twist = term(4, {});
    grid.dip_bend = term(5, {});
}

}  // namespace

PatchGrid::At PatchGrid::locate(const Vec3& x) const {
    const double half_i = 0.5 * (n_strike - 1);
    const double half_j = 0.5 * (n_dip - 1);
    double p = 0.0, q = 0.0;
    // Newton's method from the centre; straight on beyond the tapers, where the fit says nothing.
    constexpr int kMostSteps = 8;
    constexpr double kDone = 1e-9;  // last step, in patches
    for (int step = 0; step < kMostSteps; ++step) {
        const double pc = std::clamp(p, -half_i - 1.0, half_i + 1.0);
        const double qc = std::clamp(q, -half_j - 1.0, half_j + 1.0);
        const Vec3 a = strike_step + 2.0 * pc * strike_bend + qc * twist;
        const Vec3 b = dip_step + 2.0 * qc * dip_bend + pc * twist;
        const Vec3 d = x - origin - pc * strike_step - qc * dip_step -
                       (pc * pc - mean_square(n_strike)) * strike_bend - pc * qc * twist -
                       (qc * qc - mean_square(n_dip)) * dip_bend - (p - pc) * a - (q - qc) * b;
        const double aa = dot(a, a), ab = dot(a, b), bb = dot(b, b);
        const double da = dot(d, a), db = dot(d, b);
        const double det = aa * bb - ab * ab;
        const double dp = (da * bb - db * ab) / det;
        const double dq = (db * aa - da * ab) / det;
        p += dp;
        q += dq;
        if (std::abs(dp) + std::abs(dq) < kDone) {
            // a x b points into the footwall.
            return {p + half_i, q + half_j, dot(d, normalized(cross(b, a)))};
        }
    }
    return {p + half_i, q + half_j, std::numeric_limits<double>::infinity()};
}

std::optional<PatchGrid> find_grid(std::span<const PlacedPatch> patches,
                                   const PlacedSegment& plane) {
    const PlaneAxes axes = plane_axes(plane.strike_rad, plane.dip_rad);
    const PlacedPatch& first = patches.front();
    std::vector<Flat> at;
    at.reserve(patches.size());
    for (const PlacedPatch& patch : patches) {
        constexpr double kSameSize = 0.01;
        if (std::abs(patch.length_m - first.length_m) > kSameSize * first.length_m ||
            std::abs(patch.width_m - first.width_m) > kSameSize * first.width_m) {
            return std::nullopt;
        }
        const Vec3 x = patch.centre - first.centre;
        at.push_back({dot(x, axes.along_strike) / first.length_m,
                      dot(x, axes.down_dip) / first.width_m, dot(x, axes.normal) / first.width_m});
    }
    auto index = walk(at);
    if (!index) {
        return std::nullopt;
    }
    Index low = index->front(), high = index->front();
    for (const auto& [i, j] : *index) {
        low = {std::min(low.first, i), std::min(low.second, j)};
        high = {std::max(high.first, i), std::max(high.second, j)};
    }
    PatchGrid grid;
    grid.n_strike = high.first - low.first + 1;
    grid.n_dip = high.second - low.second + 1;
    const std::size_t cells =
        static_cast<std::size_t>(grid.n_strike) * static_cast<std::size_t>(grid.n_dip);
    if (cells > (1 + kMostGaps) * patches.size()) {
        return std::nullopt;
    }
    grid.patch.assign(cells, -1);
    for (std::size_t k = 0; k < patches.size(); ++k) {
        Index& at_k = (*index)[k];
        at_k = {at_k.first - low.first, at_k.second - low.second};
        std::int32_t& slot =
            grid.patch[static_cast<std::size_t>(at_k.second) * grid.n_strike + at_k.first];
        if (slot >= 0) {
            return std::nullopt;
        }
        slot = static_cast<std::int32_t>(k);
    }
    fit(grid, patches, *index, axes);
    for (std::size_t k = 0; k < patches.size(); ++k) {
        const PatchGrid::At found = grid.locate(patches[k].centre);
        if (std::abs(found.i - (*index)[k].first) > kClose ||
            std::abs(found.j - (*index)[k].second) > kClose ||
            std::abs(found.distance_m) > kClose * first.width_m) {
            return std::nullopt;
        }
    }
    return grid;
}

}  // namespace kaname::slip_model
