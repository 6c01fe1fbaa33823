// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/meshing/cleaving/calm.hpp"
#include "solvers/meshing/cleaving/label.hpp"

namespace kaname::cleaving {

/// An edge whose ends are in conflict, and where the sheet between them crosses it.
struct Conflict {
    std::int32_t p = 0, q = 0;  ///< p < q
    std::int32_t sheet = 0;
    double t = 0.0;  ///< where on the edge, from p, 0..1
};

/// Conflicts in ascending order of (p, q). Left out are edges that no sheet crosses where two
/// volumes meet (the end of a layer that merges with another), and boundaries between volumes where
/// it is calm.
[[nodiscard]] std::vector<Conflict> find_conflicts(const Complex& complex, const Labeller& labeller,
                                                   const Calm& calm);

}  // namespace kaname::cleaving
