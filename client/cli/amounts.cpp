// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/amounts.hpp"

#include <charconv>
#include <cmath>
#include <map>

#include "solvers/base/error.hpp"

namespace kaname::cli {
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

}  // namespace kaname::cli
