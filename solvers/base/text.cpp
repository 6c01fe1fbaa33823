// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/text.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>

#include "solvers/base/checksums.hpp"

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

namespace {

constexpr std::string_view kNoCharacter = "\xEF\xBF\xBD";  // U+FFFD

/// Returns the code point of a character of 1 to 4 bytes.
std::uint32_t code_of(std::string_view character) {
    const auto lead = static_cast<unsigned char>(character.front());
    if (character.size() == 1) {
        return lead;
    }
    std::uint32_t code = lead & (0x7FU >> character.size());
    for (const char next : character.substr(1)) {
        code = code << 6U | (static_cast<unsigned char>(next) & 0x3FU);
    }
    return code;
}

/// Returns whether a terminal does something else with a character than to print it.
bool is_harmful(std::uint32_t code) {
    const auto within = [&](std::uint32_t first, std::uint32_t last) {
        return code >= first && code <= last;
    };
    return code < 0x20 || within(0x7F, 0x9F) ||  // C0, DEL, C1
           code == 0xAD || code == 0x61C ||      // soft hyphen, Arabic mark
           within(0x200B, 0x200F) || within(0x2028, 0x202E) || within(0x2060, 0x206F) ||
           code == 0xFEFF || within(0xFFF9, 0xFFFB) || within(0xE0000, 0xE007F);
}

std::string escaped(std::uint32_t code) {
    char text[16];
    if (code > 0xFFFF) {  // as JSON spells it: a pair
        code -= 0x10000;
        std::snprintf(text, sizeof text, "\\u%04x\\u%04x",
                      static_cast<unsigned>(0xD800U + (code >> 10U)),
                      static_cast<unsigned>(0xDC00U + (code & 0x3FFU)));
    } else {
        std::snprintf(text, sizeof text, "\\u%04x", static_cast<unsigned>(code));
    }
    return text;
}

/// Calls `each` with every character and its code point; with nothing for a byte that is none.
template <class Each>
void for_characters(std::string_view text, const Each& each) {
    while (!text.empty()) {
        const std::size_t bytes = character_bytes(text);
        const std::string_view one = text.substr(0, bytes);
        each(one, bytes == 0 ? 0 : code_of(one));
        text.remove_prefix(std::max<std::size_t>(bytes, 1));
    }
}

bool is_plain(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

std::string shown_with(std::string_view text, std::string_view newline, std::string_view tab) {
    if (is_plain(text)) {
        return std::string(text);
    }
    std::string result;
    for_characters(text, [&](std::string_view one, std::uint32_t code) {
        if (one.empty()) {
            result += kNoCharacter;
        } else if (code == '\n' || code == '\t') {
            result += code == '\n' ? newline : tab;
        } else if (is_harmful(code)) {
            result += escaped(code);
        } else {
            result += one;
        }
    });
    return result;
}

}  // namespace

std::string shown(std::string_view text) {
    return shown_with(text, "\n", "\t");
}

std::string shown_on_a_line(std::string_view text) {
    return shown_with(text, "\\n", "\\t");
}

std::size_t unfinished_bytes(std::string_view text) {
    for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
        const auto byte = static_cast<unsigned char>(text[text.size() - back]);
        if (byte >= 0xC2 && byte <= 0xF4) {
            const std::size_t needed = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
            return needed > back ? back : 0;
        }
        if ((byte & 0xC0U) != 0x80) {
            return 0;
        }
    }
    return 0;
}

std::string file_name_of(std::string_view name, std::string_view ending) {
    constexpr std::size_t kLongest = 180, kHash = 16;
    std::string result;
    for_characters(name, [&](std::string_view one, std::uint32_t code) {
        const bool leads = result.empty() && (code == '.' || code == '-' || code == '~');
        const bool bad = one.empty() || code == '/' || code == '\\' || is_harmful(code) || leads;
        result += bad ? std::string_view("_") : one;
    });
    if (result != name || result.empty() || result.size() > kLongest) {
        result = result.empty() ? "_" : result;
        result = to_utf8(result, kLongest - kHash) + '-' +
                 sha256_hex(std::string(name)).substr(0, kHash);
    }
    return result + std::string(ending);
}

std::string utc_now() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text;
}

}  // namespace kaname
