// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <numbers>

namespace kaname {

inline constexpr double kJulianYear_s = 31557600.0;  ///< 365.25 d
inline constexpr double kMetresPerKm = 1000.0;
inline constexpr double kDay_s = 86400.0;
inline constexpr double kDegree = std::numbers::pi / 180.0;  ///< radians per degree

}  // namespace kaname
