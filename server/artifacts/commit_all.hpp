// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>

#include "server/artifacts/artifact_store.hpp"

namespace kaname::artifacts {

/// Commits all of them, several at a time: each waits for the disk twice, and a disk takes many
/// such waits at once. Throws what the first that failed threw, when all have ended.
void commit_all(std::span<const std::unique_ptr<Upload>> uploads);

}  // namespace kaname::artifacts
