// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace kaname::cli {

/// "90d" in seconds: a number and s, m (minutes), h, d or w. Throws InvalidArgument naming
/// `option`.
[[nodiscard]] double parse_age(const std::string& option, const std::string& text);
/// "500GB" in bytes: a number and B, kB, MB, GB or TB (powers of 1000) or KiB, MiB, GiB or TiB.
/// Throws InvalidArgument naming `option`.
[[nodiscard]] std::int64_t parse_bytes(const std::string& option, const std::string& text);

}  // namespace kaname::cli
