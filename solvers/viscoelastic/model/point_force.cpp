// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/model/point_force.hpp"

#include <string>

#include "solvers/base/error.hpp"
#include "solvers/p2/tet10.hpp"

namespace kaname::viscoelastic {

using lanes::kLanes;

device::Buffer<double> point_load(const Model& model, std::span<const PointForce> forces,
                                  device::Queue& queue) {
    if (forces.size() > std::size_t{kLanes}) {
        throw Error(ErrorCode::InvalidArgument, "a pack must have at most " +
                                                    std::to_string(kLanes) + " forces, got " +
                                                    std::to_string(forces.size()));
    }
    std::vector<double> load(model.vector_size(), 0.0);
    for (std::size_t lane = 0; lane < forces.size(); ++lane) {
        const std::int32_t elem = model.local_element(forces[lane].place.tet);
        if (elem < 0) {
            continue;
        }
        const auto shape = p2::shape_tet10(forces[lane].place.barycentric);
        for (int k = 0; k < p2::kNodesPerTet10; ++k) {
            const auto node = static_cast<std::size_t>(model.mesh().conn[elem][k]);
            for (int comp = 0; comp < 3; ++comp) {
                load[(node * 3 + comp) * kLanes + lane] += shape[k] * forces[lane].direction[comp];
            }
        }
    }
    return {std::span<const double>(load), queue};
}

}  // namespace kaname::viscoelastic
