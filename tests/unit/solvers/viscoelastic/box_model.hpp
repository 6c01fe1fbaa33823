// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <initializer_list>
#include <random>
#include <vector>

#include "solvers/device/threads.hpp"
#include "solvers/viscoelastic/model/model.hpp"
#include "tests/support/box_mesh.hpp"

namespace kaname::viscoelastic {

/// The problems here are so small that threads would only wait for each other.
inline const bool kOneThread = [] {
    device::set_threads(1);
    return true;
}();

inline earth::Material rock(double lambda_pa, double mu_pa,
                            std::optional<double> viscosity_pa_s = std::nullopt) {
    earth::Material material;
    material.name = "rock";
    material.lambda_pa = lambda_pa;
    material.mu_pa = mu_pa;
    material.viscosity_pa_s = viscosity_pa_s;
    return material;
}

/// All three components fixed on the sides.
inline std::vector<BoundaryCondition> clamped(std::initializer_list<mesh::Side> sides) {
    std::vector<BoundaryCondition> conditions;
    for (const mesh::Side side : sides) {
        for (int comp = 0; comp < 3; ++comp) {
            conditions.push_back({side, comp});
        }
    }
    return conditions;
}

inline const std::initializer_list<mesh::Side> kAllSides = {mesh::Side::West,   mesh::Side::East,
                                                            mesh::Side::South,  mesh::Side::North,
                                                            mesh::Side::Bottom, mesh::Side::Top};

/// 3 x 3 x 3 cells of some kilometres, every vertex moved off the lattice, two materials.
inline test::BoxMesh distorted_box() {
    return {.cells = {3, 3, 3},
            .low = {-3e3, -3e3, -6e3},
            .high = {3e3, 3e3, 0.0},
            .move =
                [](const Vec3& x) {
                    return Vec3{x.x + 300.0 * std::sin(x.y / 900.0 + 1.0),
                                x.y + 250.0 * std::cos(x.z / 800.0 - x.x / 2e3),
                                x.z + 200.0 * std::sin(x.x / 700.0 + x.y / 1100.0)};
                },
            .material = [](const Vec3& x) { return x.z > -2.5e3 ? 0 : 1; }};
}

inline std::vector<earth::Material> two_rocks() {
    return {rock(3e10, 3e10), rock(9e10, 4e10, 1e19)};
}

/// Mesh, numbering and one rank's model.
struct BoxModel {
    BoxModel(const test::BoxMesh& box, std::vector<earth::Material> materials,
             std::vector<BoundaryCondition> conditions, comm::Comm& comm,
             Element element = Element::P2, Gravity gravity = Gravity::None)
        : mesh(box.build()),
          dofs(mesh),
          model(mesh, dofs, std::move(materials), std::move(conditions), comm, element, gravity) {}

    mesh::TetMesh mesh;
    p2::DofMap dofs;
    Model model;
};

template <class T>
device::Buffer<T> random_vector(std::size_t size, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    device::Buffer<T> x(size);
    for (std::size_t i = 0; i < size; ++i) {
        x[i] = static_cast<T>(uniform(random));
    }
    return x;
}

template <class T>
double largest(const device::Buffer<T>& x) {
    double value = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        value = std::max(value, std::abs(double(x[i])));
    }
    return value;
}

}  // namespace kaname::viscoelastic
