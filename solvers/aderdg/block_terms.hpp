// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "solvers/aderdg/engine.hpp"

namespace kaname::aderdg {

/// Terms (kernels/element_terms.hpp) of one element, Terms::size(mechanisms) numbers: of a solid,
/// a shape, the solids beyond its faces and the step of its cluster.
[[nodiscard]] std::vector<double> element_terms(const EngineSetup& setup, std::int64_t tet,
                                                int cluster);

/// Means of x^i over a step, over its first half, and x^i at its end, times binom(order - 1, i).
struct TaylorWeights {
    std::vector<double> mean, first_half, end;
    explicit TaylorWeights(int order);
};

}  // namespace kaname::aderdg
