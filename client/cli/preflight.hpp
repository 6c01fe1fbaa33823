// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "client/cli/commands.hpp"
#include "proto/spec/load.hpp"

namespace kaname::cli {

/// Everything about a specification that can be known before it is computed, as the JSON object
/// of kaname-compute's verb preflight. Throws ValidationError with every broken rule that needs
/// geometry, memory or time. `threads` is what the time estimate is for; 0: all cores.
[[nodiscard]] std::string preflight(
    const spec::LoadedSpec& spec, int threads, const Context& context,
    const std::function<void(const channel::Progress&)>& on_progress = {});

}  // namespace kaname::cli
