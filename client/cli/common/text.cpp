// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/common/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include <unistd.h>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"

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

std::string counted(long long count, const std::string& what) {
    return format_count(count) + " " + what + (count == 1 ? "" : "s");
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

namespace {

double parse_amount(const std::string& option, const std::string& text,
                    const std::map<std::string, double>& units, const char* rule) {
    double number = 0.0;
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, number);
    const auto unit = units.find(std::string(at, end));
    if (error != std::errc() || unit == units.end() || !(number >= 0.0) ||
        number * unit->second > 9e18) {
        throw Error(ErrorCode::InvalidArgument,
                    option + ": must be like " + rule + ", got \"" + text + '"');
    }
    return number * unit->second;
}

}  // namespace

double parse_age(const std::string& option, const std::string& text) {
    return parse_amount(option, text,
                        {{"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}, {"w", 7 * 86400}},
                        "90d (a number and s, m, h, d or w)");
}

std::int64_t parse_bytes(const std::string& option, const std::string& text) {
    return static_cast<std::int64_t>(parse_amount(option, text,
                                                  {{"B", 1},
                                                   {"kB", 1e3},
                                                   {"MB", 1e6},
                                                   {"GB", 1e9},
                                                   {"TB", 1e12},
                                                   {"KiB", std::exp2(10)},
                                                   {"MiB", std::exp2(20)},
                                                   {"GiB", std::exp2(30)},
                                                   {"TiB", std::exp2(40)}},
                                                  "500GB (a number and B, kB, MB, GB, TB or KiB, "
                                                  "MiB, GiB, TiB)"));
}

namespace fs = std::filesystem;

std::string shell_word(const std::string& text) {
    constexpr const char* kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./_-";
    if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) {
        return text;
    }
    std::string word = "'";
    for (const char c : text) {
        word += c == '\'' ? "'\\''" : std::string(1, c);
    }
    return word + "'";
}

std::string program_to_type(const std::string& argv0) {
    std::error_code failed;
    const fs::path self = fs::read_symlink("/proc/self/exe", failed);
    const char* path = std::getenv("PATH");
    std::istringstream folders(path != nullptr ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');) {
        const fs::path program = fs::path(folder) / "kaname";
        if (::access(program.c_str(), X_OK) == 0 && !fs::is_directory(program, failed)) {
            // The first one is what a shell takes.
            if (fs::equivalent(program, self, failed)) {
                return "kaname";
            }
            break;
        }
    }
    return shell_word(argv0.find('/') != std::string::npos ? argv0 : self.string());
}

}  // namespace kaname::cli
