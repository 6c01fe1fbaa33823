// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/base/pack.hpp"

namespace kaname::lanes {

/// Sources solved together. Every nodal array is [node][component][lane]: the lanes are adjacent,
/// so one SIMD register holds the same number of all sources and no gather is needed. Interfaces
/// have this many; bodies, packs and for_each take theirs as a template parameter.
#ifdef KANAME_LANES
inline constexpr int kLanes = KANAME_LANES;  // 1: the build that measures one source at a time
#else
inline constexpr int kLanes = kSourcesPerPack;
#endif
static_assert(kLanes > 0 && kLanes <= 32 && (kLanes & (kLanes - 1)) == 0,
              "a warp takes whole numbers, a SIMD register a power of two");

/// Width of a nodal array of vectors in space: numbers of a node, [3][kLanes].
inline constexpr int kVectorWidth = 3 * kLanes;

}  // namespace kaname::lanes
