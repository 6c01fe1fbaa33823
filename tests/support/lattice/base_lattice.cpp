// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/lattice/base_lattice.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <utility>

#include "solvers/base/error.hpp"

namespace kaname::meshing {
namespace {

constexpr int kMaxRootCells = 4;  // along the shorter side

/// Corners (v0, v1, v2): v0 v1 is the edge to bisect next, v2 the newest vertex.
using Triangle = std::array<std::int32_t, 3>;

/// Cells along a and b that make the roots as square as a few of them can be.
std::pair<int, int> root_cells(double short_side, double long_side) {
    std::pair<int, int> best = {1, 1};
    double best_cost = 1e300;
    for (int cells = 1; cells <= kMaxRootCells; ++cells) {
        const int other =
            std::max(1, static_cast<int>(std::lround(long_side / short_side * cells)));
        const double cost =
            std::abs(std::log(long_side / other * cells / short_side)) + 0.02 * cells;
        if (cost < best_cost) {
            best_cost = cost;
            best = {cells, other};
        }
    }
    return best;
}

class Bisection {
public:
    Bisection(double width_b, double width_a, const std::function<double(double, double)>& size)
        : size_(size) {
        const bool wide = width_b > width_a;
        auto [nb, na] = root_cells(std::min(width_b, width_a), std::max(width_b, width_a));
        if (wide) {
            std::swap(nb, na);
        }
        for (int i = 0; i <= na; ++i) {
            for (int j = 0; j <= nb; ++j) {
                add_point(j == nb ? width_b / 2 : -width_b / 2 + width_b * j / nb,
                          i == na ? width_a / 2 : -width_a / 2 + width_a * i / na);
            }
        }
        // Both halves of a root cell share their first edge to bisect (the diagonal), which makes
        // every later bisection compatible.
        for (int i = 0; i < na; ++i) {
            for (int column = 0; column < nb; ++column) {
                const int j = i % 2 == 0 ? column : nb - 1 - column;
                const std::int32_t corner = i * (nb + 1) + j;
                triangles_.push_back({corner + nb + 2, corner, corner + 1});
                triangles_.push_back({corner, corner + nb + 2, corner + nb + 1});
            }
        }
    }

    void refine(std::int64_t max_triangles) {
        while (mark_large()) {
            close_marks();
            std::vector<Triangle> next;
            next.reserve(2 * triangles_.size());
            for (const Triangle& triangle : triangles_) {
                split(triangle, next);
            }
            triangles_ = std::move(next);
            middle_.clear();
            if (std::ssize(triangles_) > max_triangles) {
                throw Error(ErrorCode::InvalidArgument,
                            "sizes must give at most " + std::to_string(max_triangles) +
                                " surface triangles, gave " + std::to_string(triangles_.size()));
            }
        }
    }

    [[nodiscard]] BaseLattice numbered_along_curve() const {
        BaseLattice base;
        std::vector<std::int32_t> number(points_.size(), -1);
        for (const Triangle& triangle : triangles_) {
            Triangle renumbered{};
            for (int corner = 0; corner < 3; ++corner) {
                std::int32_t& id = number[triangle[corner]];
                if (id < 0) {
                    id = static_cast<std::int32_t>(base.points.size());
                    base.points.push_back(points_[triangle[corner]]);
                }
                renumbered[corner] = id;
            }
            base.triangles.push_back(renumbered);
        }
        return base;
    }

private:
    static std::uint64_t key(std::int32_t one, std::int32_t other) {
        const auto [low, high] = std::minmax(one, other);
        return static_cast<std::uint64_t>(low) << 32 | static_cast<std::uint32_t>(high);
    }

    std::int32_t add_point(double b, double a) {
        points_.push_back({b, a});
        size_at_.push_back(size_(b, a));
        return static_cast<std::int32_t>(points_.size() - 1);
    }

    [[nodiscard]] bool too_large(const Triangle& t) const {
        const auto& p = points_[t[0]];
        const auto& q = points_[t[1]];
        const auto& r = points_[t[2]];
        const double leg = std::sqrt((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]));
        const double corners = std::min({size_at_[t[0]], size_at_[t[1]], size_at_[t[2]]});
        return leg > corners || leg > size_((p[0] + q[0] + r[0]) / 3, (p[1] + q[1] + r[1]) / 3);
    }

    bool mark_large() {
        for (const Triangle& triangle : triangles_) {
            if (too_large(triangle)) {
                middle_.try_emplace(key(triangle[0], triangle[1]), -1);
            }
        }
        return !middle_.empty();
    }

    /// A triangle with any marked edge must bisect its own edge first.
    void close_marks() {
        bool changed = true;
        while (changed) {
            changed = false;
            for (const Triangle& t : triangles_) {
                if (middle_.contains(key(t[1], t[2])) || middle_.contains(key(t[2], t[0]))) {
                    changed |= middle_.try_emplace(key(t[0], t[1]), -1).second;
                }
            }
        }
    }

    void split(const Triangle& t, std::vector<Triangle>& out) {
        const auto marked = middle_.find(key(t[0], t[1]));
        if (marked == middle_.end()) {
            out.push_back(t);
            return;
        }
        if (marked->second < 0) {
            const auto p = points_[t[0]];
            const auto q = points_[t[1]];
            marked->second = add_point((p[0] + q[0]) / 2, (p[1] + q[1]) / 2);
        }
        const std::int32_t middle = marked->second;
        split({t[2], t[0], middle}, out);
        split({t[1], t[2], middle}, out);
    }

    const std::function<double(double, double)>& size_;
    std::vector<std::array<double, 2>> points_;
    std::vector<double> size_at_;
    std::vector<Triangle> triangles_;
    std::unordered_map<std::uint64_t, std::int32_t> middle_;  // marked edges and their new points
};

}  // namespace

BaseLattice bisect_rectangle(double width_b, double width_a,
                             const std::function<double(double b, double a)>& size,
                             std::int64_t max_triangles) {
    Bisection bisection(width_b, width_a, size);
    bisection.refine(max_triangles);
    return bisection.numbered_along_curve();
}

}  // namespace kaname::meshing
