// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/log_line.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>
#include <utility>

#include "solvers/base/json.hpp"
#include "solvers/base/text.hpp"
#include "solvers/base/user_folders.hpp"

namespace kaname {
namespace {

/// A log is written through functions that get a line alone, from deep inside of calls.
thread_local LogAbout t_about;

}  // namespace

LogScope::LogScope(LogAbout about) : outer_(t_about) {
    const auto take = [](std::string& mine, std::string& said) {
        if (!said.empty()) {
            mine = std::move(said);
        }
    };
    take(t_about.job, about.job);
    take(t_about.task, about.task);
    take(t_about.traceparent, about.traceparent);
}

LogScope::~LogScope() {
    t_about = std::move(outer_);
}

std::string log_line(LogFormat format, std::string_view program, std::string_view line) {
    if (format == LogFormat::Text) {
        return utc_now() + " " + shown_on_a_line(line);
    }
    JsonWriter json;
    json.begin_object().member("time", utc_now());
    const auto add = [&](const char* key, std::string_view value) {
        if (!value.empty()) {
            json.member(key, to_utf8(value));
        }
    };
    add("program", program);
    add("message", line);
    add("job", t_about.job);
    add("task", t_about.task);
    add("trace_id", trace_id_of(t_about.traceparent));
    add("span_id", span_id_of(t_about.traceparent));
    return shown(json.end_object().text());
}

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

std::string make_uuid() {
    thread_local std::mt19937_64 random{[] {
        std::random_device device;
        std::seed_seq seed{device(), device(), device(), device(), device(), device()};
        return std::mt19937_64(seed);
    }()};
    // RFC 4122: version 4 in the high half, variant 10 in the low half.
    const std::uint64_t high = (random() & ~0xf000ULL) | 0x4000ULL;
    const std::uint64_t low = (random() & ~(3ULL << 62)) | (2ULL << 62);
    char text[37];
    std::snprintf(text, sizeof text, "%08x-%04x-%04x-%04x-%012llx",
                  static_cast<unsigned>(high >> 32), static_cast<unsigned>(high >> 16 & 0xffff),
                  static_cast<unsigned>(high & 0xffff), static_cast<unsigned>(low >> 48),
                  static_cast<unsigned long long>(low & 0xffffffffffffULL));
    return text;
}

}  // namespace kaname
