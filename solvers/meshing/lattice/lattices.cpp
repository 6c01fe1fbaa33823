// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/lattice/lattices.hpp"

#include "solvers/meshing/require.hpp"

namespace kaname::meshing {

void check_sizes(const Sizes& sizes) {
    require_length("sizes.at_fault_m", sizes.at_fault_m);
    require_length("sizes.far_m", sizes.far_m);
    require(sizes.far_m >= sizes.at_fault_m, "sizes.far_m", ">= sizes.at_fault_m", sizes.far_m);
    require(sizes.growth > 0.0 && sizes.growth <= 2.0, "sizes.growth", "in (0, 2]", sizes.growth);
}

}  // namespace kaname::meshing
