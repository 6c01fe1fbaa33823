// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

namespace kaname::assembly {

using Log = std::function<void(const std::string&)>;

/// What its main function tells a server of itself.
struct Program {
    std::string version, host;
    Log log;
};

}  // namespace kaname::assembly
