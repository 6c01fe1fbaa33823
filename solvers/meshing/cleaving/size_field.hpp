// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "solvers/meshing/cleaving/point_tree.hpp"
#include "solvers/meshing/cleaving/volume_request.hpp"

namespace kaname::cleaving {

/// The size asked for, in the box frame. Thread safe.
class SizeField {
public:
    SizeField(const SizeRequest& request, const meshing::Box& box,
              std::shared_ptr<const earth::VolumeModel> model);

    /// At a point [m].
    [[nodiscard]] double far_m() const { return far_m_; }
    [[nodiscard]] double at(const Vec3& x) const { return smallest(x, 0.0); }
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
