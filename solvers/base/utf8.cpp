// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/utf8.hpp"

#include <cstdint>

namespace kaname {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

}  // namespace

std::size_t character_bytes(std::string_view text) {
    constexpr std::uint32_t kSmallest[] = {0, 0x80, 0x800, 0x10000};  // by continuation bytes
    const auto lead = static_cast<unsigned char>(text.front());
    if (lead < 0x80) {
        return 1;
    }
    const std::size_t more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
    if (lead < 0xC2 || lead > 0xF4 || text.size() <= more) {
        return 0;
    }
    std::uint32_t code = lead & (0x3FU >> more);
    for (std::size_t at = 1; at <= more; ++at) {
        const auto next = static_cast<unsigned char>(text[at]);
        if ((next & 0xC0) != 0x80) {
            return 0;
        }
        code = code << 6 | (next & 0x3F);
    }
    const bool surrogate = code >= 0xD800 && code < 0xE000;
    return code < kSmallest[more] || code > 0x10FFFF || surrogate ? 0 : more + 1;
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const std::size_t bytes = character_bytes(text);
        if (bytes == 0) {
            return false;
        }
        text.remove_prefix(bytes);
    }
    return true;
}

std::string to_utf8(std::string_view text, std::size_t max_bytes) {
    std::string valid;
    while (!text.empty()) {
        const std::size_t bytes = character_bytes(text);
        const std::string_view piece =
            bytes == 0 || text.front() == '\0' ? kReplacement : text.substr(0, bytes);
        if (valid.size() + piece.size() > max_bytes) {
            break;
        }
        valid += piece;
        text.remove_prefix(bytes == 0 ? 1 : bytes);
    }
    return valid;
}

}  // namespace kaname
