// SPDX-License-Identifier: BSD-3-Clause
#include "server/web/http/ranges.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <optional>

#include "solvers/base/text.hpp"

namespace kaname::http {
namespace {

std::string_view trimmed(std::string_view text) {
    const auto begin = text.find_first_not_of(" \t");
    const auto end = text.find_last_not_of(" \t");
    return begin == std::string_view::npos ? "" : text.substr(begin, end - begin + 1);
}

/// Digits alone; what exceeds 64 bits is the largest number, which lies behind every file.
std::optional<std::uint64_t> number(std::string_view digits) {
    constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
    if (digits.empty()) {
        return std::nullopt;
    }
    std::uint64_t value = 0;
    for (const char c : digits) {
        if (c < '0' || c > '9') {
            return std::nullopt;
        }
        const auto digit = static_cast<std::uint64_t>(c - '0');
        value = value > (kMost - digit) / 10 ? kMost : value * 10 + digit;
    }
    return value;
}

/// The one element of a list, of which empty ones do not count.
std::optional<std::string_view> only_element(std::string_view list) {
    std::optional<std::string_view> only;
    while (!list.empty()) {
        const std::size_t comma = std::min(list.find(','), list.size());
        if (const auto element = trimmed(list.substr(0, comma)); !element.empty()) {
            if (only) {
                return std::nullopt;
            }
            only = element;
        }
        list.remove_prefix(std::min(comma + 1, list.size()));
    }
    return only;
}

bool is_bytes(std::string_view unit) {
    return std::ranges::equal(unit, std::string_view("bytes"), {},
                              [](unsigned char c) { return std::tolower(c); });
}

bool is_token(unsigned char c) {
    return c < 128 &&
           (std::isalnum(c) != 0 ||
            std::string_view("!#$&+-.^_`|~").find(static_cast<char>(c)) != std::string_view::npos);
}

}  // namespace

Selection select_range(std::string_view range, std::uint64_t size) {
    const Selection whole{Selection::Kind::Whole, 0, size}, none{Selection::Kind::None, 0, 0};
    const std::size_t equals = range.find('=');
    if (equals == std::string_view::npos || !is_bytes(trimmed(range.substr(0, equals)))) {
        return whole;
    }
    const auto element = only_element(range.substr(equals + 1));
    const std::size_t dash = element ? element->find('-') : std::string_view::npos;
    if (dash == std::string_view::npos) {
        return whole;
    }
    const std::string_view before = element->substr(0, dash), behind = element->substr(dash + 1);
    const auto first = number(before), last = number(behind);
    if (before.empty() && last) {
        const std::uint64_t bytes = std::min(*last, size);
        return *last == 0  ? none
               : size == 0 ? whole
                           : Selection{Selection::Kind::Part, size - bytes, bytes};
    }
    if (!first || (!last && !behind.empty()) || (last && *last < *first)) {
        return whole;
    }
    if (*first >= size) {
        return none;
    }
    const std::uint64_t end = last ? std::min(*last, size - 1) : size - 1;
    return {Selection::Kind::Part, *first, end - *first + 1};
}

bool has_tag(std::string_view list, std::string_view tag, bool weak) {
    list = trimmed(list);
    if (list == "*") {
        return true;
    }
    while (!list.empty()) {
        const bool is_weak = list.starts_with("W/");
        list.remove_prefix(is_weak ? 2 : 0);
        const std::size_t end = list.starts_with('"') ? list.find('"', 1) : std::string_view::npos;
        if (end == std::string_view::npos) {
            return false;
        }
        if (list.substr(1, end - 1) == tag && (weak || !is_weak)) {
            return true;
        }
        list = trimmed(list.substr(end + 1));
        if (!list.empty() && !list.starts_with(',')) {
            return false;
        }
        while (list.starts_with(',')) {
            list = trimmed(list.substr(1));
        }
    }
    return false;
}

std::string attachment(const std::string& name) {
    constexpr const char* kHex = "0123456789ABCDEF";
    const std::string whole = to_utf8(name);
    std::string simple, encoded;
    for (const char letter : whole) {
        const auto byte = static_cast<unsigned char>(letter);
        if (is_token(byte)) {
            encoded += letter;
        } else {
            encoded += {'%', kHex[byte >> 4U], kHex[byte & 15U]};
        }
        simple += is_token(byte) || byte == ' ' ? letter : '_';
    }
    const std::string value = "attachment; filename=\"" + simple + '"';
    return simple == whole ? value : value + "; filename*=UTF-8''" + encoded;
}

}  // namespace kaname::http
