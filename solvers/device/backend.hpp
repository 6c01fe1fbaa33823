// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace kaname::device {

enum class Backend { Cpu, Cuda };

[[nodiscard]] std::string_view to_string(Backend backend);

}  // namespace kaname::device
