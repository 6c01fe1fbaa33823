// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/lattice/lattices.hpp"

#include <cmath>

#include "solvers/meshing/mesh_source.hpp"

namespace kaname::meshing {

void check_window(const FaultWindow& window) {
    const double strike = window.s_max - window.s_min;
    const double dip = window.d_max - window.d_min;
    require(std::isfinite(strike) && strike > 0.0, "window.s_max - window.s_min", "> 0", strike);
    require(std::isfinite(dip) && dip > 0.0, "window.d_max - window.d_min", "> 0", dip);
}

void check_sizes(const Sizes& sizes) {
    require_length("sizes.at_fault_m", sizes.at_fault_m);
    require_length("sizes.far_m", sizes.far_m);
    require(sizes.far_m >= sizes.at_fault_m, "sizes.far_m", ">= sizes.at_fault_m", sizes.far_m);
    require(sizes.growth > 0.0 && sizes.growth <= 2.0, "sizes.growth", "in (0, 2]", sizes.growth);
}

}  // namespace kaname::meshing
