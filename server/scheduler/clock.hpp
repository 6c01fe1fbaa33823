// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

namespace kaname::scheduler {

/// Seconds of a clock that never jumps; its zero means nothing. Injected, so that tests set it.
using Clock = std::function<double()>;

/// CLOCK_MONOTONIC.
[[nodiscard]] double monotonic_s();

}  // namespace kaname::scheduler
