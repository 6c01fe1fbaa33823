// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/format.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "solvers/base/shown.hpp"

namespace kaname::cli {
namespace {

template <class... Values>
std::string printed(const char* format, Values... values) {
    std::array<char, 64> text;
    std::snprintf(text.data(), text.size(), format, values...);
    return text.data();
}

}  // namespace

std::string format_bytes(double bytes) {
    constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    std::size_t unit = 0;
    while (bytes >= 1024.0 && unit + 1 < kUnits.size()) {
        bytes /= 1024.0;
        ++unit;
    }
    return printed(unit == 0 ? "%.0f %s" : "%.1f %s", bytes, kUnits[unit]);
}

std::string format_seconds(double seconds) {
    if (!(seconds >= 60.0)) {
        return printed("%.1f s", seconds);
    }
    const auto total = static_cast<long long>(std::llround(seconds));
    if (total < 3600) {
        return printed("%lld:%02lld", total / 60, total % 60);
    }
    return printed("%lld:%02lld:%02lld", total / 3600, total / 60 % 60, total % 60);
}

std::string format_count(long long count) {
    std::string text = std::to_string(std::abs(count));
    for (int at = static_cast<int>(text.size()) - 3; at > 0; at -= 3) {
        text.insert(static_cast<std::size_t>(at), ",");
    }
    return count < 0 ? "-" + text : text;
}

std::string format_number(double value) {
    return printed("%.4g", value);
}

std::string format_table(const Rows& rows) {
    std::size_t width = 0;
    for (const auto& [name, value] : rows) {
        width = std::max(width, name.size());
    }
    std::string text;
    for (const auto& [name, value] : rows) {
        text += shown_on_a_line(name) + std::string(width - name.size() + 2, ' ') +
                shown_on_a_line(value) + "\n";
    }
    return text;
}

}  // namespace kaname::cli
