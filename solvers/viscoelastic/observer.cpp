// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/observer.hpp"

#include <algorithm>

namespace kaname::viscoelastic {

using kernels::kLanes;

Observer::Observer(const Model& model, std::span<const fem::Location> places)
    : model_(model), n_points_(places.size()) {
    for (std::size_t index = 0; index < places.size(); ++index) {
        const std::int32_t elem = model.local_element(places[index].tet);
        if (elem >= 0) {
            points_.push_back({index, elem, fem::shape_tet10(places[index].barycentric)});
        }
    }
}

std::vector<double> Observer::observe(device::View<const double> u,
                                      std::span<const ElementOffset> offsets,
                                      comm::Comm& comm) const {
    constexpr int kWidth = 3 * kLanes;
    std::vector<double> values(n_points_ * kWidth, 0.0);
    for (const Point& point : points_) {
        double* value = values.data() + point.index * kWidth;
        const auto& conn = model_.mesh().conn[point.elem];
        for (int node = 0; node < fem::kNodesPerTet10; ++node) {
            const double* un = u.data() + std::size_t(conn[node]) * kWidth;
            for (int k = 0; k < kWidth; ++k) {
                value[k] += point.shape[node] * un[k];
            }
        }
        const auto offset = std::lower_bound(
            offsets.begin(), offsets.end(), point.elem,
            [](const ElementOffset& o, std::int32_t elem) { return o.elem < elem; });
        if (offset != offsets.end() && offset->elem == point.elem) {
            for (int node = 0; node < fem::kNodesPerTet10; ++node) {
                for (int k = 0; k < kWidth; ++k) {
                    value[k] += point.shape[node] * offset->s[node][k / kLanes][k % kLanes];
                }
            }
        }
    }
    comm.sum(std::span<double>(values));
    return values;
}

}  // namespace kaname::viscoelastic
