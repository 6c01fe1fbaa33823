// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace kaname::cli {

[[nodiscard]] std::string format_bytes(double bytes);      ///< "1.5 GiB"
[[nodiscard]] std::string format_seconds(double seconds);  ///< "12.3 s", "4:05", "2:03:04"
[[nodiscard]] std::string format_count(long long count);   ///< "12,345"
[[nodiscard]] std::string format_number(double value);     ///< four significant digits

using Rows = std::vector<std::pair<std::string, std::string>>;
/// One row per line, the values in one column.
[[nodiscard]] std::string format_table(const Rows& rows);

}  // namespace kaname::cli
