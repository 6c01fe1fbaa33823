// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kaname::cli {

[[nodiscard]] std::string format_bytes(double bytes);      ///< "1.5 GiB"
[[nodiscard]] std::string format_seconds(double seconds);  ///< "12.3 s", "4:05", "2:03:04"
[[nodiscard]] std::string format_count(long long count);   ///< "12,345"
[[nodiscard]] std::string format_number(double value);     ///< four significant digits
/// "1 source", "1,234 sources"
[[nodiscard]] std::string counted(long long count, const std::string& what);

using Rows = std::vector<std::pair<std::string, std::string>>;
/// One row per line, the values in one column.
[[nodiscard]] std::string format_table(const Rows& rows);

/// A field of a csv table, quoted where it must be.
[[nodiscard]] inline std::string csv_field(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) {
        return text;
    }
    std::string quoted = "\"";
    for (const char letter : text) {
        quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
    }
    return quoted + '"';
}

/// "90d" in seconds: a number and s, m (minutes), h, d or w. Throws InvalidArgument naming
/// `option`.
[[nodiscard]] double parse_age(const std::string& option, const std::string& text);
/// "500GB" in bytes: a number and B, kB, MB, GB or TB (powers of 1000) or KiB, MiB, GiB or TiB.
/// Throws InvalidArgument naming `option`.
[[nodiscard]] std::int64_t parse_bytes(const std::string& option, const std::string& text);

/// `text` as one word of a shell.
[[nodiscard]] std::string shell_word(const std::string& text);

/// How people can type this program from where they are: "kaname" where PATH leads to this very
/// file, else as it was called (`argv0`), or its full path.
[[nodiscard]] std::string program_to_type(const std::string& argv0);

}  // namespace kaname::cli
