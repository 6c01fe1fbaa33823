// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>

namespace kaname::conformance {

/// Usable on any rank and without a test framework, unlike EXPECT.
inline void expect(bool holds, const std::string& fact,
                   std::source_location where = std::source_location::current()) {
    if (!holds) {
        throw std::runtime_error(std::string(where.file_name()) + ":" +
                                 std::to_string(where.line()) + ": expected " + fact);
    }
}

}  // namespace kaname::conformance
