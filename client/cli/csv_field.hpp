// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace kaname::cli {

/// A field of a csv table, quoted where it must be.
[[nodiscard]] inline std::string csv_field(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) {
        return text;
    }
    std::string quoted = "\"";
    for (const char letter : text) {
        quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
    }
    return quoted + '"';
}

}  // namespace kaname::cli
