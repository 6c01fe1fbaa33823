// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace kaname {

enum class LogFormat { Text, Json };

/// Names the subject of log lines; an empty member means that the lines have no such subject.
struct LogAbout {
    std::string job = {}, task = {};
    std::string traceparent = {};  ///< W3C Trace Context, of which the log has the ids
};

/// LogScope sets the subject of the lines that its thread logs while it lives. Empty members keep
/// the outer scope's, which holds again at its end.
class LogScope {
public:
    explicit LogScope(LogAbout about);
    ~LogScope();
    LogScope(const LogScope&) = delete;
    LogScope& operator=(const LogScope&) = delete;

private:
    LogAbout outer_;
};

/// "2026-01-31T23:59:59Z line" with the line as shown_on_a_line, so that no text of others looks
/// like a line of its own, or one JSON object with "time", "program", "message" and what there
/// is of "job", "task", "trace_id" and "span_id" (LogScope of this thread); without a newline at
/// its end. Bytes that are no UTF-8 are replaced in JSON.
[[nodiscard]] std::string log_line(LogFormat format, std::string_view program,
                                   std::string_view line);

/// Passes on one line of a kind per interval and counts those that it holds back: what fails again
/// and again must not fill a log. For any number of threads.
class LogThrottle {
public:
    using Clock = std::chrono::steady_clock;

    explicit LogThrottle(std::function<void(const std::string&)> log,
                         std::chrono::seconds interval = std::chrono::minutes(1))
        : log_(std::move(log)), interval_(interval) {}

    /// `kind` is from a small set: it is kept for as long as this is.
    void operator()(const std::string& kind, const std::string& line,
                    Clock::time_point now = Clock::now()) {
        std::string said = line;
        {
            const std::lock_guard lock(mutex_);
            const auto [found, is_new] = kinds_.try_emplace(kind);
            Kind& known = found->second;
            if (!is_new && now - known.last < interval_) {
                ++known.n_held_back;
                return;
            }
            if (known.n_held_back > 0) {
                said += " (and " + std::to_string(known.n_held_back) + " more like it before)";
            }
            known = {now, 0};
        }
        if (log_) {
            log_(said);
        }
    }

private:
    struct Kind {
        Clock::time_point last;
        int n_held_back = 0;
    };
    std::function<void(const std::string&)> log_;
    std::chrono::seconds interval_;
    std::mutex mutex_;
    std::map<std::string, Kind> kinds_;
};

/// The environment variable that hands a trace to programs.
inline constexpr const char* kTraceparentVariable = "TRACEPARENT";

/// W3C Trace Context, level 1: "00-<32 hex digits>-<16>-<2>", lower case, neither id all zero. The
/// text of version 00 for it; of a later version its first four fields, as the standard asks.
/// Empty: it is malformed, and ignored.
[[nodiscard]] std::string parse_traceparent(std::string_view header);
/// A new trace of which nobody records spans.
[[nodiscard]] std::string new_traceparent();
/// Returns the 32 digits of a traceparent's trace; empty for any other text.
[[nodiscard]] std::string trace_id_of(std::string_view traceparent);
/// Returns the 16 digits of its parent, the span of the caller.
[[nodiscard]] std::string span_id_of(std::string_view traceparent);
/// Returns the traceparent in this process' environment; empty if it is missing or malformed.
[[nodiscard]] std::string traceparent_of_environment();

/// Random UUID, version 4 (RFC 4122), lower case.
[[nodiscard]] std::string make_uuid();

}  // namespace kaname
