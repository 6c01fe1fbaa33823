// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "solvers/base/vec3.hpp"

namespace kaname::cleaving {

/// Balanced k-d tree: the distance to the nearest of many points.
class PointTree {
public:
    explicit PointTree(std::vector<Vec3> points);
    /// Infinity without points. Nothing farther than `limit_m` is looked for: then limit_m.
    [[nodiscard]] double distance_m(const Vec3& x, double limit_m) const;
    [[nodiscard]] bool empty() const { return points_.empty(); }

private:
    static constexpr double kFar = std::numeric_limits<double>::infinity();

    void sort(std::size_t begin, std::size_t end, int axis);
    /// `outside`: how far x lies from the range's box along each axis [m], up to its sign.
    /// Distances are the same sums as those of points, so that no point that is nearer is passed
    /// over.
    void search(std::size_t begin, std::size_t end, int axis, const Vec3& x, const Vec3& outside,
                double& best2) const;

    std::vector<Vec3> points_;  ///< implicit: the middle of every range is its root
    Vec3 lower_{kFar, kFar, kFar}, upper_{-kFar, -kFar, -kFar};  ///< box of all points
};

}  // namespace kaname::cleaving
