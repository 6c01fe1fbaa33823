// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace kaname::cli {

/// `text` as one word of a shell.
[[nodiscard]] std::string shell_word(const std::string& text);

/// How people can type this program from where they are: "kaname" where PATH leads to this very
/// file, else as it was called (`argv0`), or its full path.
[[nodiscard]] std::string program_to_type(const std::string& argv0);

}  // namespace kaname::cli
