// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/log_line.hpp"

#include <utility>

#include "solvers/base/json.hpp"
#include "solvers/base/shown.hpp"
#include "solvers/base/traceparent.hpp"
#include "solvers/base/utc_now.hpp"
#include "solvers/base/utf8.hpp"

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

}  // namespace kaname
