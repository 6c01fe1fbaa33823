// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/model/observer.hpp"

#include <algorithm>

#include "solvers/lanes/bcrs.hpp"

namespace kaname::viscoelastic {

using lanes::kLanes;

Observer::Observer(const Model& model, std::span<const p2::Location> places, device::Queue& queue,
                   std::span<const std::int32_t> point)
    : n_points_(point.empty() ? places.size()
                              : static_cast<std::size_t>(std::ranges::max(point)) + 1) {
    const auto& conn = model.mesh().conn;
    for (std::size_t place = 0; place < places.size(); ++place) {
        const auto index = point.empty() ? place : static_cast<std::size_t>(point[place]);
        const std::int32_t elem = model.local_element(places[place].tet);
        if (elem >= 0) {
            points_.push_back(
                {index, elem, p2::shape_tet10(places[place].barycentric), conn[elem]});
            nodes_.insert(nodes_.end(), conn[elem].begin(), conn[elem].end());
        }
    }
    std::sort(nodes_.begin(), nodes_.end());
    nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
    for (Point& point : points_) {
        for (std::int32_t& node : point.node) {
            node = static_cast<std::int32_t>(std::lower_bound(nodes_.begin(), nodes_.end(), node) -
                                             nodes_.begin());
        }
    }
    nodes_on_queue_ = {std::span<const std::int32_t>(nodes_), queue};
    packed_ = device::Buffer<double>(nodes_.size() * lanes::kVectorWidth, queue);
    u_.resize(packed_.size());
}

std::vector<double> Observer::observe(device::View<const double> u,
                                      std::span<const ElementOffset> offsets, comm::Comm& comm,
                                      device::Queue& queue) {
    lanes::gather_items<double>(nodes_on_queue_, lanes::kVectorWidth, u, packed_, queue);
    device::download<double>(packed_, u_, queue);
    std::vector<double> values(n_points_ * lanes::kVectorWidth, 0.0);
    for (const Point& point : points_) {
        double* value = values.data() + point.index * lanes::kVectorWidth;
        for (int node = 0; node < p2::kNodesPerTet10; ++node) {
            const double* un = u_.data() + std::size_t(point.node[node]) * lanes::kVectorWidth;
            for (int k = 0; k < lanes::kVectorWidth; ++k) {
                value[k] += point.shape[node] * un[k];
            }
        }
        const auto offset = std::lower_bound(
            offsets.begin(), offsets.end(), point.elem,
            [](const ElementOffset& o, std::int32_t elem) { return o.elem < elem; });
        if (offset != offsets.end() && offset->elem == point.elem) {
            for (int node = 0; node < p2::kNodesPerTet10; ++node) {
                for (int k = 0; k < lanes::kVectorWidth; ++k) {
                    value[k] += offset->moves(static_cast<std::size_t>(k % kLanes))
                                    ? point.shape[node] * offset->s[node][k / kLanes][k % kLanes]
                                    : 0.0;
                }
            }
        }
    }
    comm.sum(std::span<double>(values));
    return values;
}

}  // namespace kaname::viscoelastic
