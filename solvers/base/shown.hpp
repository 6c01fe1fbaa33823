// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kaname {

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

}  // namespace kaname
