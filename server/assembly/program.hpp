// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

namespace kaname::assembly {

using Log = std::function<void(const std::string&)>;

/// Describes the program that runs a server: its version, the name of its machine and its log.
struct Program {
    std::string version, host;
    Log log;
};

}  // namespace kaname::assembly
