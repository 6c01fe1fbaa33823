// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "solvers/meshing/cleaving/volume_request.hpp"

namespace kaname::test {

/// A layered model drawn by its seed: 2 to 8 wavy surfaces that cross and pinch out below level
/// ground or relief, half of the models with a slab that cuts through them, some with a fault, on
/// the slab's top or on a plane. `far_cells`: elements of the far size along the longer side.
/// The model is the same on every machine but for the rounding of sines.
[[nodiscard]] cleaving::VolumeMeshParams random_model(std::uint64_t seed, double far_cells);

}  // namespace kaname::test
