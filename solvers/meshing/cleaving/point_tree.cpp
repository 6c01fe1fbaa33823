// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/point_tree.hpp"

#include <algorithm>
#include <limits>

namespace kaname::cleaving {
namespace {

constexpr std::size_t kLeaf = 8;

}  // namespace

PointTree::PointTree(std::vector<Vec3> points) : points_(std::move(points)) {
    for (const Vec3& x : points_) {
        for (int axis = 0; axis < 3; ++axis) {
            lower_[axis] = std::min(lower_[axis], x[axis]);
            upper_[axis] = std::max(upper_[axis], x[axis]);
        }
    }
    sort(0, points_.size(), 0);
}

void PointTree::sort(std::size_t begin, std::size_t end, int axis) {
    if (end - begin <= kLeaf) {
        return;
    }
    const std::size_t middle = begin + (end - begin) / 2;
    const auto at = [this](std::size_t i) {
        return points_.begin() + static_cast<std::ptrdiff_t>(i);
    };
    std::nth_element(at(begin), at(middle), at(end),
                     [axis](const Vec3& a, const Vec3& b) { return a[axis] < b[axis]; });
    sort(begin, middle, (axis + 1) % 3);
    sort(middle + 1, end, (axis + 1) % 3);
}

void PointTree::search(std::size_t begin, std::size_t end, int axis, const Vec3& x,
                       const Vec3& outside, double& best2) const {
    if (end - begin <= kLeaf) {
        for (std::size_t i = begin; i < end; ++i) {
            const Vec3 d = points_[i] - x;
            best2 = std::min(best2, dot(d, d));
        }
        return;
    }
    const std::size_t middle = begin + (end - begin) / 2;
    const Vec3 d = points_[middle] - x;
    best2 = std::min(best2, dot(d, d));
    const bool left = x[axis] < points_[middle][axis];
    const int next = (axis + 1) % 3;
    left ? search(begin, middle, next, x, outside, best2)
         : search(middle + 1, end, next, x, outside, best2);
    Vec3 beyond = outside;
    beyond[axis] = d[axis];
    if (dot(beyond, beyond) < best2) {
        left ? search(middle + 1, end, next, x, beyond, best2)
             : search(begin, middle, next, x, beyond, best2);
    }
}

double PointTree::distance_m(const Vec3& x, double limit_m) const {
    double best2 = limit_m * limit_m;
    Vec3 outside{0.0, 0.0, 0.0};
    for (int axis = 0; axis < 3; ++axis) {
        outside[axis] = std::max({lower_[axis] - x[axis], x[axis] - upper_[axis], 0.0});
    }
    if (!points_.empty() && dot(outside, outside) < best2) {
        search(0, points_.size(), 0, x, outside, best2);
    }
    return std::sqrt(best2);
}

}  // namespace kaname::cleaving
