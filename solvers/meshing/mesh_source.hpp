// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "solvers/base/vec3.hpp"
#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::meshing {

/// Model box centred on x = y = 0, its "north" side turned clockwise by the azimuth; z from
/// -depth to 0. Coordinates of the mesh stay x east, y north of the projection (not turned).
struct Box {
    double size_east_m = 0.0;
    double size_north_m = 0.0;
    double depth_m = 0.0;
    double azimuth_rad = 0.0;
};

/// Part of a fault surface that is meshed as fault faces: a rectangle in fault coordinates.
struct FaultWindow {
    double s_min = 0.0;
    double s_max = 0.0;
    double d_min = 0.0;
    double d_max = 0.0;
};

using Progress = std::function<void(double fraction, const char* stage)>;

/// Makes the mesh of one model. Deterministic.
class MeshSource {
public:
    virtual ~MeshSource() = default;
    /// Vertices and elements that build() would give, cheaply (within 10 %).
    struct Count {
        std::int64_t vertices = 0;
        std::int64_t tets = 0;
    };
    [[nodiscard]] virtual Count estimate() const = 0;
    [[nodiscard]] virtual mesh::TetMesh build(const Progress& progress) const = 0;
};

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

/// Throw InvalidArgument "<field> must be <rule>, got <value>" where a value breaks its rule.
void require(bool holds, const std::string& field, const char* rule, double value);
/// Finite and > 0.
void require_length(const std::string& field, double value);

}  // namespace kaname::meshing
