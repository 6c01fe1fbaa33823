// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace kaname::lanes {

/// Sources solved together. Every nodal array is [node][component][lane]: the lanes are adjacent,
/// so one SIMD register holds the same number of all sources and no gather is needed.
#ifdef KANAME_LANES
inline constexpr int kLanes = KANAME_LANES;  // 1: the build that measures one source at a time
#else
inline constexpr int kLanes = 4;
#endif
static_assert(kLanes == 1 || kLanes == 4);

}  // namespace kaname::lanes
