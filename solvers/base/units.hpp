// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <numbers>

namespace kaname {

inline constexpr double kJulianYear_s = 31557600.0;  ///< 365.25 d
inline constexpr double kMetresPerKm = 1000.0;
inline constexpr double kDay_s = 86400.0;
inline constexpr double kDegree = std::numbers::pi / 180.0;  ///< radians per degree
inline constexpr double kEarthRadius_m = 6371e3;             ///< mean, of a sphere
inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();  ///< a missing value

}  // namespace kaname
