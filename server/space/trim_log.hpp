// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>

namespace kaname::space {

/// The largest that a log of a program grows before it begins anew.
inline constexpr std::uint64_t kLogBytes = 16U << 20U;

/// Moves what a log holds to <log>.old, in place of what was there, when it is larger than `limit`:
/// whoever appends to it goes on in the same file and need not know. Lines that are written at that
/// moment may be lost. Nothing when there is no such file, or no room for the copy.
void trim_log(const std::filesystem::path& log, std::uint64_t limit = kLogBytes);

/// All logs of programs in the state folder: the server's, its agents', PostgreSQL's.
void trim_logs(const std::filesystem::path& state, std::uint64_t limit = kLogBytes);

}  // namespace kaname::space
