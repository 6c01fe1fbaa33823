// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/traceparent.hpp"

#include <algorithm>

#include "solvers/base/environment.hpp"
#include "solvers/base/uuid.hpp"

namespace kaname {
namespace {

constexpr std::size_t kLength = 55;  // 2 + 1 + 32 + 1 + 16 + 1 + 2
constexpr std::size_t kTrace = 3, kTraceDigits = 32, kParent = 36, kParentDigits = 16, kFlags = 53;

bool is_hex(std::string_view text) {
    return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_zero(std::string_view text) {
    return text.find_first_not_of('0') == std::string_view::npos;
}

/// 32 random hex digits.
std::string random_digits() {
    std::string digits = make_uuid();
    std::erase(digits, '-');
    return digits;
}

}  // namespace

std::string parse_traceparent(std::string_view header) {
    if (header.size() < kLength) {
        return "";
    }
    const std::string_view version = header.substr(0, 2),
                           trace = header.substr(kTrace, kTraceDigits),
                           parent = header.substr(kParent, kParentDigits),
                           flags = header.substr(kFlags, 2);
    const bool apart = header[2] == '-' && header[kParent - 1] == '-' && header[kFlags - 1] == '-';
    const bool ends = version == "00" ? header.size() == kLength
                                      : header.size() == kLength || header[kLength] == '-';
    if (!apart || !ends || !is_hex(version) || version == "ff" || !is_hex(trace) ||
        !is_hex(parent) || !is_hex(flags) || is_zero(trace) || is_zero(parent)) {
        return "";
    }
    return "00-" + std::string(trace) + '-' + std::string(parent) + '-' + std::string(flags);
}

std::string new_traceparent() {
    return "00-" + random_digits() + '-' + random_digits().substr(0, kParentDigits) + "-00";
}

std::string trace_id_of(std::string_view traceparent) {
    const std::string whole = parse_traceparent(traceparent);
    return whole.empty() ? "" : whole.substr(kTrace, kTraceDigits);
}

std::string span_id_of(std::string_view traceparent) {
    const std::string whole = parse_traceparent(traceparent);
    return whole.empty() ? "" : whole.substr(kParent, kParentDigits);
}

std::string traceparent_of_environment() {
    return parse_traceparent(environment(kTraceparentVariable));
}

}  // namespace kaname
