// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "solvers/base/vec3.hpp"
#include "solvers/meshing/mesh_source.hpp"

namespace kaname::meshing {

/// Horizontal frame of the turned box: a to its "north", b to its "east" (right of a).
class BoxFrame {
public:
    explicit BoxFrame(double azimuth_rad)
        : sin_(std::sin(azimuth_rad)), cos_(std::cos(azimuth_rad)) {}

    [[nodiscard]] Vec3 to_map(double a, double b, double z) const {
        return {a * sin_ + b * cos_, a * cos_ - b * sin_, z};
    }
    [[nodiscard]] double a(double x, double y) const { return x * sin_ + y * cos_; }
    [[nodiscard]] double b(double x, double y) const { return x * cos_ - y * sin_; }

private:
    double sin_;
    double cos_;
};

/// Throws InvalidArgument naming the field where a length is not finite and > 0.
void check_box(const Box& box);

}  // namespace kaname::meshing
