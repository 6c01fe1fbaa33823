// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

namespace kaname::daemon {

/// write_file for secrets: mode 0600 before the file holds anything. Throws Unavailable.
void write_private(const std::filesystem::path& path, const std::string& text);

}  // namespace kaname::daemon
