// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <string_view>

namespace kaname::request {

/// Returns why a text is no YAML, in words of what was typed: a tab at the beginning of a line, a
/// quote or bracket that is not closed or closed by another, a comma, colon or blank that is
/// missing, a text that stands in quotes, an entry or key that is indented otherwise than those
/// above it. `line` is where the parser gave up, from 1. Empty where none of these is found.
[[nodiscard]] std::string yaml_fault(std::string_view text, int line);

/// Returns which quote is open at the end of a text, which yaml-cpp takes for one to that end.
/// Empty where none is.
[[nodiscard]] std::string unclosed_quote(std::string_view text);

}  // namespace kaname::request
