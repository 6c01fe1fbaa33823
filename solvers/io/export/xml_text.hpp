// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace kaname::io {

/// The text with what XML reserves replaced.
[[nodiscard]] inline std::string xml_escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            default:
                out += c;
        }
    }
    return out;
}

}  // namespace kaname::io
