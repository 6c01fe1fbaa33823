// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/admin/meters.hpp"

#include <algorithm>

namespace kaname::service {
namespace {

const std::string kOther = "other";

/// Classes of failures that agents and this server name (worker/agent/agent.cpp, ErrorCode).
constexpr std::array kReasons = {"InvalidArgument",
                                 "NotFound",
                                 "Conflict",
                                 "Unavailable",
                                 "NotConverged",
                                 "DeviceFault",
                                 "Internal",
                                 "NotReady",
                                 "Aborted",
                                 "Exhausted",
                                 "DataLoss",
                                 "OutOfRange",
                                 "PermissionDenied",
                                 "Unauthenticated",
                                 "crashed",
                                 "hung",
                                 "lost",
                                 "input_missing",
                                 "report_refused",
                                 "cancelled"};

constexpr std::array kCodes = {
    "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
    "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
    "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
    "DATA_LOSS", "UNAUTHENTICATED"};

}  // namespace

const char* code_name(int code) {
    return code >= 0 && code < static_cast<int>(kCodes.size())
               ? kCodes[static_cast<std::size_t>(code)]
               : "UNKNOWN";
}

void Histogram::observe(std::span<const double> bounds, double value) {
    at_most.resize(bounds.size());
    for (std::size_t k = 0; k < bounds.size(); ++k) {
        at_most[k] += value <= bounds[k] ? 1 : 0;
    }
    sum += value;
    ++n;
}

void Meters::called(const std::string& method, int code, double seconds) {
    const std::lock_guard lock(calls_mutex_);
    const bool known = readings_.call_s.contains(method) || readings_.call_s.size() < kMostMethods;
    const std::string& name = known ? method : kOther;
    Histogram& times = readings_.call_s[name];
    ++readings_.calls[{name, code_name(code)}];
    if (seconds >= 0) {
        times.observe(kRpcBounds_s, seconds);
    }
}

const std::string& Meters::known_verb(const std::string& verb) {
    const auto found = verbs_.find(verb);
    if (found != verbs_.end()) {
        return found->first;
    }
    return verbs_.size() < kMostVerbs ? verbs_.emplace(verb, true).first->first : kOther;
}

void Meters::claimed(const std::string& verb, std::span<const double> waited_s, std::size_t most) {
    if (std::ranges::any_of(waited_s, [](double waited) { return waited < 0; })) {
        return;  // an answer that was lost, and is told again
    }
    const std::lock_guard lock(mutex_);
    Histogram& waits = readings_.wait_s[known_verb(verb)];
    for (const double waited : waited_s) {
        waits.observe(kTaskBounds_s, waited);
    }
    if (most > 1) {
        readings_.fill.observe(kFillBounds,
                               static_cast<double>(waited_s.size()) / static_cast<double>(most));
    }
}

void Meters::ended(const std::string& outcome, const std::string& reason, const std::string& verb,
                   double seconds, bool source) {
    const bool known = reason.empty() || std::ranges::count(kReasons, reason) > 0;
    const std::lock_guard lock(mutex_);
    ++readings_.attempts[{outcome, known ? reason : kOther}];
    if (outcome != "done") {
        return;
    }
    if (seconds >= 0) {
        readings_.stage_s[known_verb(verb)].observe(kTaskBounds_s, seconds);
    }
    if (source) {
        ++readings_.sources;
        const std::int64_t at =
            std::chrono::duration_cast<std::chrono::seconds>(now_() - started_).count();
        Second& second = seconds_[static_cast<std::size_t>(at % kWindow_s)];
        second = second.at == at ? Second{at, second.n + 1} : Second{at, 1};
    }
}

void Meters::lost(std::int64_t tasks) {
    if (tasks > 0) {
        const std::lock_guard lock(mutex_);
        readings_.attempts[{"lost", ""}] += tasks;
    }
}

double Meters::sources_per_minute() const {
    const std::lock_guard lock(mutex_);
    const double up_s = std::chrono::duration<double>(now_() - started_).count();
    const auto at = static_cast<std::int64_t>(up_s);
    std::int64_t n = 0;
    for (const Second& second : seconds_) {
        n += second.at >= 0 && second.at > at - kWindow_s ? second.n : 0;
    }
    return 60.0 * static_cast<double>(n) / std::clamp(up_s, 1.0, static_cast<double>(kWindow_s));
}

Meters::Readings Meters::read() const {
    const std::scoped_lock lock(calls_mutex_, mutex_);
    return readings_;
}

}  // namespace kaname::service
