// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/voxelwave/shapes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "solvers/base/error.hpp"

namespace kaname::voxelwave {

Shapes::Shapes(const std::array<double, 3>& size_m, double ds_m, const Solid& solid) {
    model_.ds_m = ds_m;
    for (int axis = 0; axis < 3; ++axis) {
        const double count = size_m[axis] / ds_m;
        const double whole = std::round(count);
        if (!(whole >= 1.0 && whole < 1e6 && std::abs(count - whole) < 1e-3)) {
            std::ostringstream text;
            text << "the size along "
                 << "xyz"[axis] << " must be a whole number of voxels of " << ds_m << " m, got "
                 << size_m[axis] << " m";
            throw Error(ErrorCode::InvalidArgument, text.str());
        }
        model_.voxels[axis] = static_cast<int>(whole);
    }
    model_.solids = {solid};
    model_.solid_of.assign(static_cast<std::size_t>(model_.n_voxels()), 0);
}

template <class Inside>
void Shapes::paint(const Solid& solid, const Inside& inside) {
    if (model_.solids.size() > std::numeric_limits<std::uint16_t>::max()) {
        throw Error(ErrorCode::InvalidArgument, "a model must have at most 65535 shapes");
    }
    const auto number = static_cast<std::uint16_t>(model_.solids.size());
    model_.solids.push_back(solid);
    auto voxel = model_.solid_of.begin();
    for (int z = 0; z < model_.voxels[2]; ++z) {
        for (int y = 0; y < model_.voxels[1]; ++y) {
            for (int x = 0; x < model_.voxels[0]; ++x, ++voxel) {
                const std::array<double, 3> centre_m = {
                    (x + 0.5) * model_.ds_m, (y + 0.5) * model_.ds_m, (z + 0.5) * model_.ds_m};
                if (inside(centre_m)) {
                    *voxel = number;
                }
            }
        }
    }
}

void Shapes::box(const std::array<double, 3>& from_m, const std::array<double, 3>& to_m,
                 const Solid& solid) {
    paint(solid, [&](const std::array<double, 3>& centre_m) {
        bool within = true;
        for (int axis = 0; axis < 3; ++axis) {
            const auto [low, high] = std::minmax(from_m[axis], to_m[axis]);
            within = within && centre_m[axis] >= low && centre_m[axis] <= high;
        }
        return within;
    });
}

void Shapes::cylinder(int axis, const std::array<double, 3>& centre_m, double radius_m,
                      const Solid& solid, double from_m, double to_m) {
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    paint(solid, [&](const std::array<double, 3>& at_m) {
        return at_m[axis] >= from_m && at_m[axis] <= to_m &&
               std::hypot(at_m[i] - centre_m[i], at_m[j] - centre_m[j]) <= radius_m;
    });
}

void Shapes::sphere(const std::array<double, 3>& centre_m, double radius_m, const Solid& solid) {
    paint(solid, [&](const std::array<double, 3>& at_m) {
        return std::hypot(at_m[0] - centre_m[0], at_m[1] - centre_m[1], at_m[2] - centre_m[2]) <=
               radius_m;
    });
}

}  // namespace kaname::voxelwave
