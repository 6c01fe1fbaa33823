// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

#include "solvers/base/vec3.hpp"

namespace kaname {

/// One number by a printf format of at most 63 characters.
[[nodiscard]] inline std::string formatted(const char* format, double value) {
    char text[64];
    std::snprintf(text, sizeof text, format, value);
    return text;
}
/// A number with six significant digits, as messages have them.
[[nodiscard]] inline std::string number(double value) {
    return formatted("%.6g", value);
}
/// A size in memory as text: "1.25 GiB".
[[nodiscard]] inline std::string gib(double bytes) {
    return formatted("%.2f GiB", bytes / 1073741824.0);
}
/// A place as text: "(1.000, 2.000, -3.000) m".
[[nodiscard]] inline std::string place_text(const Vec3& x) {
    char text[96];
    std::snprintf(text, sizeof text, "(%.3f, %.3f, %.3f) m", x.x, x.y, x.z);
    return text;
}

/// Returns true if `text` is well-formed UTF-8 (RFC 3629).
[[nodiscard]] bool is_utf8(std::string_view text);

/// Returns how many bytes the character has that `text` begins with; 0 when it begins with none.
/// `text` is not empty.
[[nodiscard]] std::size_t character_bytes(std::string_view text);

/// `text` as protobuf's string fields and PostgreSQL take it: every byte that belongs to no
/// character, and NUL, becomes U+FFFD; what exceeds `max_bytes` is cut off before the character
/// that would not fit.
[[nodiscard]] std::string to_utf8(std::string_view text,
                                  std::size_t max_bytes = std::string_view::npos);

/// Returns text of others as it may go to a terminal: control characters but newline and tab (ESC
/// and CSI among them), and characters that turn the direction of text or are not seen, become
/// \uXXXX, bytes that are no UTF-8 U+FFFD. JSON stays the same JSON.
[[nodiscard]] std::string shown(std::string_view text);

/// Returns the text as shown() does on one line, as in a list or a log: newline and tab become \n
/// and \t, too.
[[nodiscard]] std::string shown_on_a_line(std::string_view text);

/// Returns how many bytes at the end of `text` begin a character that more bytes may complete.
[[nodiscard]] std::size_t unfinished_bytes(std::string_view text);

/// Returns a name that somebody else gave as the name of a file, never as a path: slashes, control
/// characters and what shown() changes become '_', as does a dot, minus or tilde at its beginning.
/// A name that had to be changed, or has more than 180 bytes, is cut and ends in 16 digits of its
/// hash, so that different names stay different. `ending`, as ".h5", is added as it is.
[[nodiscard]] std::string file_name_of(std::string_view name, std::string_view ending = "");

/// Returns the time [s] that has passed since a time of the steady clock.
[[nodiscard]] inline double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The current time: "2026-01-31T23:59:59Z".
[[nodiscard]] std::string utc_now();

}  // namespace kaname
