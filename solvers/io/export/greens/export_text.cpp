// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/export/greens/export_text.hpp"

#include <cctype>
#include <charconv>

namespace kaname::io {

std::string exact(double value) {
    char text[32];
    const auto [end, error] = std::to_chars(text, text + sizeof text, value + 0.0);  // no -0
    return {text, end};
}

std::string csv_cell(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) {
        return text;
    }
    std::string cell = "\"";
    for (const char c : text) {
        cell += c == '"' ? "\"\"" : std::string(1, c);
    }
    return cell + "\"";
}

std::string plain_name(const std::string& text) {
    std::string name;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        name += byte >= 0x80 || std::isalnum(byte) != 0 || c == '_' || c == '-' ? c : '_';
    }
    return name;
}

}  // namespace kaname::io
