// SPDX-License-Identifier: BSD-3-Clause
#include "server/space/watermark.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include "solvers/base/error.hpp"

namespace kaname::space {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30U;
constexpr double kLargest = 1e18;  // bytes; beyond it a double no longer fits their number

std::uint64_t part_of(std::uint64_t total, double percent) {
    return static_cast<std::uint64_t>(static_cast<double>(total) * percent / 100.0);
}

}  // namespace

Watermark parse_watermark(const std::string& option, const std::string& text) {
    static const std::map<std::string, double> kUnits = {
        {"kB", 1e3},     {"MB", 1e6},        {"GB", 1e9},           {"TB", 1e12},
        {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}, {"TiB", 1099511627776.0}};
    if (text == "auto") {
        return {};
    }
    double value = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string unit(end, text.data() + text.size());
    if (failed == std::errc() && value >= 0) {
        if (unit == "%" && value < 100) {
            return {false, value, 0};
        }
        if (const auto known = kUnits.find(unit);
            known != kUnits.end() && value * known->second <= kLargest) {
            return {false, 0, static_cast<std::uint64_t>(value * known->second)};
        }
    }
    throw Error(ErrorCode::InvalidArgument,
                option +
                    " must be auto, a part below 100% or a size in kB, MB, GB, TB, KiB, MiB, "
                    "GiB or TiB, as in 5% or 20GB, got \"" +
                    text.substr(0, 40) + '"');
}

std::uint64_t low_bytes(const Watermark& mark, std::uint64_t total) {
    if (mark.automatic) {
        return std::min(std::max(part_of(total, 2), kGiB), part_of(total, 10));
    }
    return mark.percent > 0 ? part_of(total, mark.percent) : mark.bytes;
}

std::uint64_t high_bytes(const Watermark& mark, std::uint64_t total) {
    const std::uint64_t low = low_bytes(mark, total);
    return low + low / 4;
}

}  // namespace kaname::space
