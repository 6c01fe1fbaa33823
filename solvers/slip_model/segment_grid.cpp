// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/slip_model/segment_grid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "solvers/slip_model/local_offset.hpp"

namespace kaname::slip_model {
namespace {

constexpr double kClose = 0.25;  ///< of a patch: how far a centre may be from its place

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
    constexpr std::array<Index, 4> kSteps = {{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}};
    for (std::size_t head = 0; head < queue.size(); ++head) {
        const auto from = static_cast<std::size_t>(queue[head]);
        for (const auto& [di, dj] : kSteps) {
            const std::int32_t to = squares.near({at[from].u + di, at[from].v + dj, at[from].w});
            if (to >= 0 && !seen[static_cast<std::size_t>(to)]) {
                seen[static_cast<std::size_t>(to)] = 1;
                index[static_cast<std::size_t>(to)] = {index[from].first + di,
                                                       index[from].second + dj};
                queue.push_back(to);
            }
        }
    }
    if (queue.size() != at.size()) {
        return std::nullopt;
    }
    return index;
}

/// Least squares for origin and steps; on a full grid the two directions decouple.
void fit_steps(PatchGrid& grid, std::span<const PlacedPatch> patches,
               const std::vector<Index>& index, const PlaneAxes& axes) {
    const double mean_i = 0.5 * (grid.n_strike - 1);
    const double mean_j = 0.5 * (grid.n_dip - 1);
    Vec3 mean, slope_i, slope_j;
    double square_i = 0.0, square_j = 0.0;
    for (std::size_t k = 0; k < patches.size(); ++k) {
        const double i = index[k].first - mean_i;
        const double j = index[k].second - mean_j;
        const Vec3 x = patches[k].centre - patches[0].centre;
        mean += 1.0 / static_cast<double>(patches.size()) * x;
        slope_i += i * x;
        slope_j += j * x;
        square_i += i * i;
        square_j += j * j;
    }
    grid.strike_step =
        square_i > 0.0 ? 1.0 / square_i * slope_i : patches[0].length_m * axes.along_strike;
    grid.dip_step = square_j > 0.0 ? 1.0 / square_j * slope_j : patches[0].width_m * axes.down_dip;
    grid.origin = patches[0].centre + mean - mean_i * grid.strike_step - mean_j * grid.dip_step;
}

}  // namespace

PatchGrid::At PatchGrid::locate(const Vec3& x) const {
    // strike_step x dip_step points into the footwall.
    const Vec3 normal = normalized(cross(dip_step, strike_step));
    const Vec3 d = x - origin;
    // d = i a + j b + r n, by Cramer's rule in the plane.
    const double aa = dot(strike_step, strike_step);
    const double ab = dot(strike_step, dip_step);
    const double bb = dot(dip_step, dip_step);
    const double da = dot(d, strike_step);
    const double db = dot(d, dip_step);
    const double det = aa * bb - ab * ab;
    return {(da * bb - db * ab) / det, (db * aa - da * ab) / det, dot(d, normal)};
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
    if (static_cast<std::size_t>(grid.n_strike) * static_cast<std::size_t>(grid.n_dip) !=
        patches.size()) {
        return std::nullopt;
    }
    grid.patch.assign(patches.size(), -1);
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
    fit_steps(grid, patches, *index, axes);
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
