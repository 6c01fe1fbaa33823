// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <limits>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/meshing/cleaving/volume_request.hpp"

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

/// The size asked for, in the box frame. Thread safe.
class SizeField {
public:
    SizeField(const SizeRequest& request, const meshing::Box& box,
              std::shared_ptr<const earth::VolumeModel> model);

    /// At a point [m].
    [[nodiscard]] double far_m() const { return far_m_; }
    [[nodiscard]] double at(const Vec3& x) const { return smallest(x, 0.0); }
    /// Returns at(x) where that is at most `enough_m`, else any size above it. Points are looked
    /// for only as far away as they may decide: layers ask far more often than cubes do, and most
    /// of them ask far from all points.
    [[nodiscard]] double at_up_to(const Vec3& x, double enough_m) const;
    /// Lower bound within `reach_m` of x under level ground, close enough to decide whether the
    /// cube of that half edge is divided. Sizes of volumes are looked for at points of the cube.
    [[nodiscard]] double smallest(const Vec3& x, double reach_m) const;

private:
    [[nodiscard]] double of_volumes(const Vec3& x, double reach_m, double size, double more) const;
    /// Distance from all points as far as details reach; 0 where they hold everywhere.
    [[nodiscard]] double away_m(const Vec3& x, double reach_m) const;

    struct Wish {
        double size_m;
        PointTree points;
    };
    double far_m_, growth_, at_surface_m_, detail_reach_m_, farthest_detail_m_;
    bool volumes_grow_;
    PointTree all_points_;
    std::vector<Wish> wishes_;
    std::vector<SizeRequest::Depth> depths_;
    std::shared_ptr<const earth::VolumeModel> model_;
    double smallest_of_volumes_m_ = 0.0;  ///< 0: none has a size
};

}  // namespace kaname::cleaving
