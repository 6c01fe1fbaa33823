// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/inversion/smoothing.hpp"

#include <cmath>

#include "solvers/base/error.hpp"

namespace kaname::inversion {

Eigen::MatrixXd laplacian(std::span<const PatchNode> patches) {
    const auto n = static_cast<Eigen::Index>(patches.size());
    Eigen::MatrixXd l = Eigen::MatrixXd::Zero(n, n);
    for (Eigen::Index p = 0; p < n; ++p) {
        const PatchNode& patch = patches[p];
        const auto distance_to = [&](std::int32_t q) {
            if (q < 0 || q >= n || q == p) {
                throw Error(ErrorCode::Internal, "patch " + std::to_string(p) + " has neighbour " +
                                                     std::to_string(q) + " of " +
                                                     std::to_string(n) + " patches");
            }
            return norm(patches[q].centre - patch.centre);
        };
        if (patch.neighbours.empty()) {
            continue;
        }
        double sum = 0.0;
        for (const std::int32_t q : patch.neighbours) {
            sum += distance_to(q);
        }
        const double mean = sum / static_cast<double>(patch.neighbours.size());
        const double factor = patch.weight * 2.0 / (sum + patch.edges * mean);
        for (const std::int32_t q : patch.neighbours) {
            l(p, q) -= factor / distance_to(q);
            l(p, p) += factor / distance_to(q);
        }
        l(p, p) += factor * patch.edges / mean;
    }
    return l;
}

}  // namespace kaname::inversion
