// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "worker/run/spawn.hpp"

namespace kaname::run {

/// Makes this process the parent of what its children leave behind, processes that left their group
/// too. From now on every Process marks the environment of its child, and when that ends, whatever
/// has its mark, or none that a living child has, is killed. For programs all of whose children are
/// of class Process.
void adopt_orphans();

/// Spawns a child and remembers it until it is forgotten; `mark` is empty where orphans are not
/// adopted. Throws as spawn does.
[[nodiscard]] SpawnedChild spawn_marked(const SpawnOptions& options, std::string& mark);

/// Forgets a child that was reaped; where orphans are adopted, kills and reaps what it left.
void forget(pid_t pid, const std::string& mark);

}  // namespace kaname::run
