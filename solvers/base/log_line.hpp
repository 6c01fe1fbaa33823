// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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

}  // namespace kaname
