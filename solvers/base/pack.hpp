// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace kaname {

/// Sources that are solved for at once, in the time of one: a pack, the lanes of one register
/// (docs/decisions/0004-lanes-are-sources.md).
inline constexpr int kSourcesPerPack = 4;

}  // namespace kaname
