// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tests/bench/lattice.hpp"

namespace kaname::bench {

/// The lattices' body, meshed as users' layered models are: an octree-graded lattice cleaved along
/// the surfaces, "cleaved-50k". The size asked for is everywhere that of the smallest mesh times
/// one factor, so that cells keep their shape and place from one size to the next.
[[nodiscard]] Lattice make_cleaved(Size size);

}  // namespace kaname::bench
