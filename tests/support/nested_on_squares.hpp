// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "solvers/p2/multigrid/nested_cg.hpp"

namespace kaname::test {

/// The default's numbers on ||e||^2 / ||r||^2, as Algorithm 2b of Murakami et al. (2023) prints the
/// test.
inline multigrid::NestedCgParams nested_on_squares() {
    multigrid::NestedCgParams params;
    for (linalg::InnerCgParams* loop : {&params.loop0, &params.loop1, &*params.loop2}) {
        loop->tolerance = std::sqrt(loop->tolerance);
    }
    return params;
}

}  // namespace kaname::test
