// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

namespace kaname {

/// Where this user's programs keep what they can make again: $KANAME_CACHE, else
/// $XDG_CACHE_HOME/kaname, else ~/.cache/kaname; empty where none of these is known.
[[nodiscard]] std::filesystem::path cache_folder();

}  // namespace kaname
