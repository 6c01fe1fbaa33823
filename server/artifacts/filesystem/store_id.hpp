// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

namespace kaname::artifacts {

/// The UUID of an artifact folder, kept in <root>/store_id and moved with it: how a database knows
/// the folder that its results lie in. Made where there is none, once however many come at the same
/// time. Throws DataLoss when the file holds anything else, Unavailable when it cannot be read or
/// made.
[[nodiscard]] std::string store_id_of(const std::filesystem::path& root);

}  // namespace kaname::artifacts
