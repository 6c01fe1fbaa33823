// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "solvers/fem/locate.hpp"
#include "solvers/viscoelastic/kernels/internal_force.hpp"
#include "solvers/viscoelastic/model.hpp"

namespace kaname::viscoelastic {

/// Displacement at points by P2 interpolation in the containing element of u + s_e, the slip offset
/// of that very element: points above shallow slip would be wrong by half the slip without it.
class Observer {
public:
    Observer(const Model& model, std::span<const fem::Location> places);

    [[nodiscard]] std::size_t n_points() const { return n_points_; }
    /// [points][3][4] m, the same on every rank. Collective.
    [[nodiscard]] std::vector<double> observe(device::View<const double> u,
                                              std::span<const ElementOffset> offsets,
                                              comm::Comm& comm) const;

private:
    struct Point {
        std::size_t index;
        std::int32_t elem;
        std::array<double, fem::kNodesPerTet10> shape;
    };
    const Model& model_;
    std::size_t n_points_;
    std::vector<Point> points_;
};

}  // namespace kaname::viscoelastic
