// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/cleaving/size_field.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solvers/meshing/box_frame.hpp"

namespace kaname::cleaving {

SizeField::SizeField(const SizeRequest& request, const meshing::Box& box,
                     std::shared_ptr<const earth::VolumeModel> model)
    : far_m_(request.far_m),
      growth_(request.growth),
      at_surface_m_(request.at_surface_m),
      depths_(request.depths),
      model_(std::move(model)) {
    const meshing::BoxFrame frame(box.azimuth_rad);
    for (const SizeRequest::Points& points : request.points) {
        std::vector<Vec3> at;
        at.reserve(points.at.size());
        for (const Vec3& x : points.at) {
            at.push_back({frame.b(x.x, x.y), frame.a(x.x, x.y), x.z});
        }
        if (!at.empty()) {
            wishes_.push_back({points.size_m, PointTree(std::move(at))});
        }
    }
    volumes_have_sizes_ = std::ranges::any_of(
        model_->volumes, [](const earth::Volume& volume) { return volume.size_m > 0.0; });
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
    if (at_surface_m_ > 0.0) {
        const double below = model_->surfaces.front().height.z(x.x, x.y) - x.z - reach_m;
        size = std::min(size, at_surface_m_ + growth_ * std::max(below, 0.0));
    }
    for (const SizeRequest::Depth& depth : depths_) {
        const double below = -depth.depth_m - x.z - reach_m;
        size = std::min(size, depth.size_m + growth_ * std::max(below, 0.0));
    }
    return volumes_have_sizes_ ? of_volumes(x, reach_m, size) : size;
}

double SizeField::of_volumes(const Vec3& x, double reach_m, double size) const {
    // A volume thinner than the cube is found where one of these points lies in it.
    constexpr int kPlan = 1, kDeep = 4;
    const auto look = [&](double u, double v, double z) {
        const int volume = model_->volume_at(u, v, z);
        if (volume != earth::kAir && model_->volumes[volume].size_m > 0.0) {
            size = std::min(size, model_->volumes[volume].size_m);
        }
    };
    if (reach_m == 0.0) {
        look(x.x, x.y, x.z);
        return size;
    }
    for (int i = -kPlan; i <= kPlan; ++i) {
        for (int j = -kPlan; j <= kPlan; ++j) {
            for (int k = -kDeep; k <= kDeep; ++k) {
                look(x.x + i * reach_m / kPlan, x.y + j * reach_m / kPlan,
                     x.z + k * reach_m / kDeep);
            }
        }
    }
    return size;
}

}  // namespace kaname::cleaving
