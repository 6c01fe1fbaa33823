// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace kaname {

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

}  // namespace kaname
