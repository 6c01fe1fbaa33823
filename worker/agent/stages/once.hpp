// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "worker/agent/stages/callbacks.hpp"
#include "worker/agent/stages/pack.hpp"

namespace kaname::agent {

struct StageOptions;

/// Runs the verb of the pack's task as a process of its own. Throws Broken when it crashes or
/// hangs, Dropped when nobody wants it any more, and what the verb reports; InvalidArgument when
/// the task is not alone.
[[nodiscard]] Made run_once(const Pack& pack, const StageOptions& options,
                            const Callbacks& callbacks);

}  // namespace kaname::agent
