// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace kaname::embedded {

/// Name of the network file system with this number (statfs::f_type); nothing for others.
[[nodiscard]] std::optional<std::string_view> network_filesystem(long type);

/// Throws InvalidArgument when the existing folder is on a network file system: PostgreSQL's files
/// and locks are not safe there. Those that come through FUSE (sshfs) are not recognised.
void require_local_disk(const std::filesystem::path& folder);

}  // namespace kaname::embedded
