// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/inversion/eigen.hpp"

namespace kaname::inversion {

/// A patch among those beside it.
struct PatchNode {
    Vec3 centre;                           ///< m
    std::vector<std::int32_t> neighbours;  ///< indices of patches
    int edges = 0;        ///< sides beyond which there is no patch, but slip is known to be zero
    double weight = 1.0;  ///< of its row
};

/// Laplacian of slip on patches of any arrangement [patch][patch], by distances e_pq of centres
/// (the scale-dependent umbrella operator; Desbrun and others 1999, equation 10), negated:
///   (L s)_p = weight_p 2 / E_p  sum_q (s_p - s_q) / e_pq,   E_p = sum_q e_pq
/// Beyond each edge stands a patch without slip at the mean distance of the others. A patch alone
/// has a row of zeros. Unit 1/m^2.
[[nodiscard]] Eigen::MatrixXd laplacian(std::span<const PatchNode> patches);

}  // namespace kaname::inversion
