// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "worker/command/command.hpp"

namespace kaname::cli {

/// Refuses the first word of a command line (without the program's name) that is no command or
/// option where it stands, with the nearest known one: "unknown command 'sumbit'; did you mean
/// submit?". Nothing is said when there is none.
[[nodiscard]] command::Refusal mistyped(const command::CommandText& program,
                                        const std::vector<std::string>& words);

}  // namespace kaname::cli
