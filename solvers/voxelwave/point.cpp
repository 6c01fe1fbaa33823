// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/voxelwave/point.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "solvers/base/error.hpp"

namespace kaname::voxelwave {

Point::Point(const VoxelModel& model, const std::array<double, 3>& position_m, const char* what)
    : ds_m_(model.ds_m) {
    for (int axis = 0; axis < 3; ++axis) {
        const double place = position_m[axis] / model.ds_m;
        constexpr double kSlack = 1e-9;
        if (!(place >= -kSlack && place <= model.voxels[axis] + kSlack)) {
            std::ostringstream text;
            text << what << ": "
                 << "xyz"[axis] << " must be within 0 to " << model.voxels[axis] * model.ds_m
                 << " m, the model, got " << position_m[axis];
            throw Error(ErrorCode::InvalidArgument, text.str());
        }
        voxel_[axis] = std::clamp(static_cast<int>(std::floor(place)), 0, model.voxels[axis] - 1);
        part_[axis] = std::clamp(place - voxel_[axis], 0.0, 1.0);
    }
    leave_void(model, position_m, what);
}

/// On a side of its voxel a point belongs to the neighbour as well: the ground under a void.
void Point::leave_void(const VoxelModel& model, const std::array<double, 3>& position_m,
                       const char* what) {
    constexpr double kSlack = 1e-9;
    for (int neighbour = 0; neighbour < 8; ++neighbour) {
        std::array<int, 3> voxel = voxel_;
        std::array<double, 3> part = part_;
        bool touches = true;
        for (int axis = 0; axis < 3; ++axis) {
            if ((neighbour >> axis & 1) != 0) {
                touches = touches && part[axis] < kSlack && voxel[axis] > 0;
                part[axis] = 1.0;
                --voxel[axis];
            }
        }
        if (touches && !model.solid(voxel[0], voxel[1], voxel[2]).is_void()) {
            voxel_ = voxel;
            part_ = part;
            return;
        }
    }
    std::ostringstream text;
    text << what << ": must be in a solid, is in a void at x = " << position_m[0]
         << ", y = " << position_m[1] << ", z = " << position_m[2] << " m";
    throw Error(ErrorCode::InvalidArgument, text.str());
}

std::array<int, 3> Point::corner(int corner) const {
    return {voxel_[0] + (corner & 1), voxel_[1] + (corner >> 1 & 1), voxel_[2] + (corner >> 2)};
}

double Point::weight(int corner) const {
    double product = 1.0;
    for (int axis = 0; axis < 3; ++axis) {
        product *= (corner >> axis & 1) != 0 ? part_[axis] : 1.0 - part_[axis];
    }
    return product;
}

double Point::slope(int corner, int axis) const {
    double product = 1.0 / ds_m_;
    for (int other = 0; other < 3; ++other) {
        const bool upper = (corner >> other & 1) != 0;
        if (other == axis) {
            product *= upper ? 1.0 : -1.0;
        } else {
            product *= upper ? part_[other] : 1.0 - part_[other];
        }
    }
    return product;
}

std::array<std::array<double, 3>, 8> corner_forces(const Point& point, const PointSource& source) {
    constexpr int kOf[3][3] = {{0, 5, 4}, {5, 1, 3}, {4, 3, 2}};  // component of the moment
    std::array<std::array<double, 3>, 8> forces{};
    for (int corner = 0; corner < 8; ++corner) {
        for (int i = 0; i < 3; ++i) {
            forces[corner][i] = source.force_n[i] * point.weight(corner);
            for (int j = 0; j < 3; ++j) {
                forces[corner][i] += source.moment_nm[kOf[i][j]] * point.slope(corner, j);
            }
        }
    }
    return forces;
}

}  // namespace kaname::voxelwave
