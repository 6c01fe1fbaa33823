// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

namespace kaname {

/// Names of the components of a displacement or traction, in their order everywhere.
inline constexpr std::array<const char*, 3> kDirections = {"east", "north", "up"};

/// Sides of the model box.
enum class Side : std::uint8_t { West, East, South, North, Bottom, Top };
inline constexpr int kSideCount = 6;
inline constexpr std::array<const char*, kSideCount> kSideNames = {"west",  "east",   "south",
                                                                   "north", "bottom", "top"};

}  // namespace kaname
