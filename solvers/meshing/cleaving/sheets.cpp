// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/sheets.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/meshing/box_frame.hpp"

namespace kaname::cleaving {
namespace {

constexpr int kUnranked = 1'000'000;
constexpr double kOnPlane_m = 1e-6;  // rounding

Vec3 free_part(const Vec3& direction, Walls walls) {
    return {(walls & 1U) != 0 ? 0.0 : direction.x, (walls & 2U) != 0 ? 0.0 : direction.y,
            (walls & 4U) != 0 ? 0.0 : direction.z};
}

}  // namespace

Sheets::Sheets(std::shared_ptr<const earth::VolumeModel> model,
               std::span<const FaultRequest> faults, const meshing::Box& box)
    : model_(std::move(model)), surfaces_(static_cast<int>(model_->surfaces.size())) {
    const meshing::BoxFrame frame(box.azimuth_rad);
    rank_.assign(model_->surfaces.size(), kUnranked);
    rank_.front() = 0;
    int next = 1;
    for (const FaultRequest& fault : faults) {
        if (fault.sharp) {
            sharp_ |= SheetMask{1}
                      << (fault.surface >= 0 ? fault.surface
                                             : surfaces_ + static_cast<int>(planes_.size()));
        }
        if (fault.surface >= 0) {
            fault_sheet_.push_back(fault.surface);
            if (rank_[fault.surface] == kUnranked) {
                rank_[fault.surface] = next++;
            }
            continue;
        }
        const auto turned = [&](const Vec3& x) {
            return Vec3{frame.b(x.x, x.y), frame.a(x.x, x.y), x.z};
        };
        fault_sheet_.push_back(surfaces_ + static_cast<int>(planes_.size()));
        planes_.push_back({turned(fault.plane->point), normalized(turned(fault.plane->normal))});
        rank_.push_back(next++);
    }
    count_ = surfaces_ + static_cast<int>(planes_.size());
    lowest_precedence_ = next;
    if (count_ > earth::kMaxSurfaces) {
        throw Error(ErrorCode::InvalidArgument, "surfaces and planar faults must be at most " +
                                                    std::to_string(earth::kMaxSurfaces) + ", got " +
                                                    std::to_string(count_));
    }
    for (const earth::Volume& volume : model_->volumes) {
        for (const int surface : {volume.top, volume.bottom}) {
            if (surface >= 0 && rank_[surface] == kUnranked) {
                rank_[surface] = next++;
            }
        }
    }
}

double Sheets::above(int sheet, const Vec3& x) const {
    if (sheet < surfaces_) {
        return x.z - model_->surfaces[sheet].height.z(x.x, x.y);
    }
    const Plane& plane = planes_[sheet - surfaces_];
    const double above = dot(x - plane.point, plane.normal);
    return std::abs(above) < kOnPlane_m ? 0.0 : above;
}

double Sheets::distance_m(int sheet, const Vec3& x) const {
    if (sheet >= surfaces_) {
        return above(sheet, x);
    }
    const auto slope = model_->surfaces[sheet].height.slope(x.x, x.y);
    return (x.z - slope.z) / std::sqrt(1.0 + slope.dz_du * slope.dz_du + slope.dz_dv * slope.dz_dv);
}

Vec3 Sheets::project(int sheet, const Vec3& x, Walls walls) const {
    Vec3 at = x;
    const bool plane = sheet >= surfaces_;
    for (int round = 0; round < (plane ? 1 : 3); ++round) {  // Newton along the gradient
        double value = 0.0;
        Vec3 gradient;
        if (plane) {
            gradient = planes_[sheet - surfaces_].normal;
            value = above(sheet, at);
        } else {
            const auto slope = model_->surfaces[sheet].height.slope(at.x, at.y);
            gradient = {-slope.dz_du, -slope.dz_dv, 1.0};
            value = at.z - slope.z;
        }
        gradient = free_part(gradient, walls);
        const double length2 = dot(gradient, gradient);
        if (!(length2 > 1e-12)) {
            break;
        }
        at += (-value / length2) * gradient;
    }
    if (!plane && (walls & 4U) == 0) {
        at.z = model_->surfaces[sheet].height.z(at.x, at.y);
    }
    return at;
}

bool Sheets::project_all(SheetMask on, Vec3& x, Walls walls, double reach_m) const {
    if (on == 0) {
        return true;
    }
    Vec3 at = x;
    const bool one = (on & (on - 1)) == 0;
    for (int round = 0; round < (one ? 1 : 6); ++round) {
        for (int sheet = 0; sheet < count_; ++sheet) {
            if ((on >> sheet & 1U) != 0) {
                at = project(sheet, at, walls);
            }
        }
    }
    if (!(norm(at - x) <= reach_m)) {
        return false;
    }
    for (int sheet = 0; sheet < count_; ++sheet) {
        if ((on >> sheet & 1U) != 0 && !(std::abs(distance_m(sheet, at)) <= 0.02 * reach_m)) {
            return false;
        }
    }
    x = at;
    return true;
}

double Sheets::crossing(int sheet, const Vec3& p, const Vec3& q) const {
    double t0 = 0.0, t1 = 1.0;
    double f0 = above(sheet, p), f1 = above(sheet, q);
    if (f0 == f1) {
        return 0.5;
    }
    double t = f0 / (f0 - f1);
    if (sheet >= surfaces_ || model_->surfaces[sheet].height.constant()) {
        return std::clamp(t, 0.0, 1.0);
    }
    for (int round = 0; round < 6; ++round) {  // regula falsi, Illinois
        t = t0 + (t1 - t0) * f0 / (f0 - f1);
        const double f = above(sheet, p + t * (q - p));
        if (std::abs(f) < 1e-4 * std::abs(f0 - f1)) {
            break;
        }
        if ((f < 0.0) == (f0 < 0.0)) {
            t0 = t;
            f0 = f;
            f1 *= 0.5;
        } else {
            t1 = t;
            f1 = f;
            f0 *= 0.5;
        }
    }
    return std::clamp(t, 0.0, 1.0);
}

}  // namespace kaname::cleaving
