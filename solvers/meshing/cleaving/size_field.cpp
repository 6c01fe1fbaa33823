// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/size_field.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "solvers/earth/columns.hpp"
#include "solvers/meshing/mesh_source.hpp"

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

namespace {

constexpr double kTouching = 1e-6;  // of a cube's half edge: rounding where a volume ends at it

}  // namespace

SizeField::SizeField(const SizeRequest& request, const meshing::Box& box,
                     std::shared_ptr<const earth::VolumeModel> model)
    : far_m_(request.far_m),
      growth_(request.growth),
      at_surface_m_(request.at_surface_m),
      detail_reach_m_(request.detail_reach_m),
      farthest_detail_m_(request.detail_reach_m),
      volumes_grow_(request.volumes_grow),
      all_points_({}),
      depths_(request.depths),
      model_(std::move(model)) {
    const meshing::BoxFrame frame(box.azimuth_rad);
    std::vector<Vec3> all;
    for (const SizeRequest::Points& points : request.points) {
        std::vector<Vec3> at;
        at.reserve(points.at.size());
        for (const Vec3& x : points.at) {
            at.push_back({frame.b(x.x, x.y), frame.a(x.x, x.y), x.z});
        }
        all.insert(all.end(), at.begin(), at.end());
        if (!at.empty()) {
            wishes_.push_back({points.size_m, PointTree(std::move(at))});
        }
    }
    all_points_ = PointTree(std::move(all));
    for (const SizeRequest::Depth& depth : depths_) {
        farthest_detail_m_ = std::max(farthest_detail_m_, depth.reach_m);
    }
    for (const earth::Volume& volume : model_->volumes) {
        if (volume.size_m > 0.0 &&
            (smallest_of_volumes_m_ == 0.0 || volume.size_m < smallest_of_volumes_m_)) {
            smallest_of_volumes_m_ = volume.size_m;
        }
    }
}

double SizeField::away_m(const Vec3& x, double reach_m) const {
    if (all_points_.empty() || !std::isfinite(farthest_detail_m_)) {
        return 0.0;
    }
    const double limit = far_m_ / growth_ + farthest_detail_m_ + reach_m;
    return all_points_.distance_m(x, limit) - reach_m;
}

double SizeField::smallest(const Vec3& x, double reach_m) const {
    double size = far_m_;
    for (const Wish& wish : wishes_) {
        if (wish.size_m < size) {
            const double limit = (size - wish.size_m) / growth_ + reach_m;
            const double away = wish.points.distance_m(x, limit) - reach_m;
            size = std::min(size, wish.size_m + growth_ * std::max(away, 0.0));
        }
    }
    if (at_surface_m_ == 0.0 && depths_.empty() && smallest_of_volumes_m_ == 0.0) {
        return size;
    }
    const double away = away_m(x, reach_m);
    const double more = growth_ * std::max(away - detail_reach_m_, 0.0);
    if (at_surface_m_ > 0.0) {
        const double below = model_->surfaces.front().height.z(x.x, x.y) - x.z - reach_m;
        size = std::min(size, at_surface_m_ + more + growth_ * std::max(below, 0.0));
    }
    for (const SizeRequest::Depth& depth : depths_) {
        const double below = -depth.depth_m - x.z - reach_m;
        const double beyond =
            depth.reach_m > 0.0 ? growth_ * std::max(away - depth.reach_m, 0.0) : more;
        size = std::min(size, depth.size_m + beyond + growth_ * std::max(below, 0.0));
    }
    return smallest_of_volumes_m_ > 0.0 && smallest_of_volumes_m_ + more < size
               ? of_volumes(x, reach_m, size, more)
               : size;
}

double SizeField::at_up_to(const Vec3& x, double enough_m) const {
    if (at_surface_m_ > 0.0 || !depths_.empty() || smallest_of_volumes_m_ > 0.0) {
        return at(x);
    }
    constexpr double kAbove = 1.0 + 1e-9;  // beyond rounding
    double size = far_m_;
    for (const Wish& wish : wishes_) {
        const double most = std::min(size, kAbove * enough_m);
        if (wish.size_m < most) {
            const double away = wish.points.distance_m(x, (most - wish.size_m) / growth_);
            size = std::min(size, wish.size_m + growth_ * away);
        }
    }
    return size;
}

double SizeField::of_volumes(const Vec3& x, double reach_m, double size, double more) const {
    const auto look = [&](double u, double v) {
        const earth::Column column(*model_, earth::Column::heights_at(*model_, u, v));
        for (int r = 0; r < column.runs; ++r) {
            const earth::Column::Run& run = column.run[r];
            const double of_volume =
                run.volume == earth::kAir ? 0.0 : model_->volumes[run.volume].size_m;
            const double wish = of_volume + more;
            if (of_volume > 0.0 && wish < size && run.thickness_m() > 0.0) {
                const double outside = std::max({run.bottom_m - x.z, x.z - run.top_m, 0.0});
                const double away = outside - reach_m;
                if (volumes_grow_ || outside == 0.0 || away < -kTouching * reach_m) {
                    size = std::min(size, wish + growth_ * std::max(away, 0.0));
                }
            }
        }
    };
    look(x.x, x.y);
    if (reach_m > 0.0) {
        for (const double du : {-reach_m, reach_m}) {
            for (const double dv : {-reach_m, reach_m}) {
                look(x.x + du, x.y + dv);
            }
        }
    }
    return size;
}

}  // namespace kaname::cleaving
