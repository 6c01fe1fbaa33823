// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "solvers/lanes/blas1.hpp"
#include "solvers/viscoelastic/spectrum/spectrum_solver.hpp"

namespace kaname::viscoelastic {

/// W c, the motion since the slip; c of the solver's reduced model.
inline device::Buffer<double> motion_of(const SpectrumSolver& solver,
                                        const ReducedModel::LaneRows& c, const Model& model,
                                        device::Queue& queue) {
    device::Buffer<double> u(model.vector_size());
    for (std::size_t k = 0; k < solver.basis().size(); ++k) {
        lanes::LaneGram weight;
        std::copy_n(c.begin() + std::ptrdiff_t(k) * lanes::kLanes, lanes::kLanes, weight.begin());
        lanes::add_mixed(weight, solver.basis()[k], u, queue);
    }
    return u;
}

}  // namespace kaname::viscoelastic
