// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "solvers/meshing/cleaving/complex.hpp"

namespace kaname::cleaving {

/// Moves vertices between two volumes that lie on no sheet between these (warping took them back,
/// or no cut could be made) onto it, or as far towards it as leaves all tets around with a shape of
/// `least_deg`, or with the one that they have. For a mesh that is cut and improved. Returns how
/// many moved.
std::int64_t settle(Complex& complex, const Sheets& sheets, double least_deg);

}  // namespace kaname::cleaving
