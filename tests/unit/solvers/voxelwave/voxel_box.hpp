// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <random>
#include <vector>

#include "solvers/voxelwave/voxel_step.hpp"

namespace kaname::voxelwave {

inline Solid rock() {
    return Solid::of_speeds(4000.0, 2300.0, 2400.0);
}
inline Solid steel() {
    return Solid::of_speeds(5900.0, 3200.0, 7850.0);
}

inline VoxelModel uniform_box(std::array<int, 3> voxels, double ds_m, const Solid& solid) {
    VoxelModel model;
    model.voxels = voxels;
    model.ds_m = ds_m;
    model.solids = {solid};
    model.solid_of.assign(static_cast<std::size_t>(model.n_voxels()), 0);
    return model;
}

/// Two solids in random order.
inline VoxelModel mixed_box(std::array<int, 3> voxels, double ds_m) {
    VoxelModel model = uniform_box(voxels, ds_m, rock());
    model.solids.push_back(steel());
    std::mt19937 draw(7);
    for (std::uint16_t& solid : model.solid_of) {
        solid = static_cast<std::uint16_t>(draw() % 2);
    }
    return model;
}

/// body(number, component, x, y, z, lane) for every number of a field.
template <class T, class Body>
void for_all(NodeField<T>& field, const Body& body) {
    const auto nodes = field.nodes();
    for (int c = 0; c < 3; ++c) {
        for (int z = 0; z < nodes[2]; ++z) {
            for (int y = 0; y < nodes[1]; ++y) {
                for (int x = 0; x < nodes[0]; ++x) {
                    for (int lane = 0; lane < field.lanes(); ++lane) {
                        body(field.of(c, x, y, z, lane), c, x, y, z, lane);
                    }
                }
            }
        }
    }
}

template <class T>
NodeField<T> random_field(const VoxelModel& model, int lanes, unsigned seed) {
    NodeField<T> field(model.nodes(), lanes);
    std::mt19937 draw(seed);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    for_all(field,
            [&](T& value, int, int, int, int, int) { value = static_cast<T>(number(draw)); });
    return field;
}

/// Largest difference over the largest number of b.
template <class A, class B>
double apart(NodeField<A> a, const NodeField<B>& b) {
    double difference = 0.0, largest = 0.0;
    for_all(a, [&](A& value, int c, int x, int y, int z, int lane) {
        const double other = b.of(c, x, y, z, lane);
        difference = std::max(difference, std::abs(double(value) - other));
        largest = std::max(largest, std::abs(other));
    });
    return difference / largest;
}

}  // namespace kaname::voxelwave
