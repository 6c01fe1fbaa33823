// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <span>
#include <vector>

#include "solvers/comm/comm.hpp"
#include "solvers/device/buffer.hpp"
#include "solvers/device/queue.hpp"
#include "solvers/p2/locate.hpp"
#include "solvers/viscoelastic/kernels/element_data.hpp"
#include "solvers/viscoelastic/kernels/internal_force.hpp"
#include "solvers/viscoelastic/model/model.hpp"

namespace kaname::viscoelastic {

/// Numbers that are wanted of a displacement field and depend on it linearly.
class Observation {
public:
    virtual ~Observation() = default;
    /// [points][3][4] of u [N][3][4] in the queue's memory and of slip offsets on the host, the
    /// same on every rank. Collective.
    [[nodiscard]] virtual std::vector<double> observe(device::View<const double> u,
                                                      std::span<const ElementOffset> offsets,
                                                      comm::Comm& comm, device::Queue& queue) = 0;
};

/// Displacement at points by P2 interpolation in the containing element of u + s_e, the slip offset
/// of that very element: points above shallow slip would be wrong by half the slip without it.
class Observer final : public Observation {
public:
    /// `point`: which point each place is of, from 0 without gaps; empty: each is one of its own.
    Observer(const Model& model, std::span<const p2::Location> places, device::Queue& queue,
             std::span<const std::int32_t> point = {});

    /// [points][3][4] m of u [N][3][4] in the queue's memory, the same on every rank; offsets on
    /// the host. Only the nodes around the points leave a GPU. Collective.
    [[nodiscard]] std::vector<double> observe(device::View<const double> u,
                                              std::span<const ElementOffset> offsets,
                                              comm::Comm& comm, device::Queue& queue) override;

private:
    struct Point {
        std::size_t index;
        std::int32_t elem;
        std::array<double, p2::kNodesPerTet10> shape;
        std::array<std::int32_t, p2::kNodesPerTet10> node;  ///< places in nodes_
    };
    std::size_t n_points_;
    std::vector<Point> points_;
    std::vector<std::int32_t> nodes_;  ///< nodes that any point needs, ascending
    device::Mirror<std::int32_t> nodes_on_queue_;
    device::Buffer<double> packed_;  ///< [nodes_][3][4]
    std::vector<double> u_;          ///< packed_ on the host
};

}  // namespace kaname::viscoelastic
