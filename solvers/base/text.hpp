// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <string>

#include "solvers/base/vec3.hpp"

namespace kaname {

/// One number by a printf format of at most 63 characters.
[[nodiscard]] inline std::string formatted(const char* format, double value) {
    char text[64];
    std::snprintf(text, sizeof text, format, value);
    return text;
}
/// A number with six significant digits, as messages have them.
[[nodiscard]] inline std::string number(double value) {
    return formatted("%.6g", value);
}
/// A size in memory as text: "1.25 GiB".
[[nodiscard]] inline std::string gib(double bytes) {
    return formatted("%.2f GiB", bytes / 1073741824.0);
}
/// A place as text: "(1.000, 2.000, -3.000) m".
[[nodiscard]] inline std::string place_text(const Vec3& x) {
    char text[96];
    std::snprintf(text, sizeof text, "(%.3f, %.3f, %.3f) m", x.x, x.y, x.z);
    return text;
}

}  // namespace kaname
