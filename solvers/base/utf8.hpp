// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kaname {

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

}  // namespace kaname
