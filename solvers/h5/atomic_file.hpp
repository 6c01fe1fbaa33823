// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include "solvers/h5/file.hpp"

namespace kaname::h5 {

/// Lets `fill` write `path`.part, then flushes it to disk, renames it to `path` and flushes the
/// folder: a reader sees the old file, the new file, or none, never half a file. When `fill` throws
/// the part file is removed. Throws Unavailable naming the path when the system refuses.
void write_atomically(const std::string& path, const std::function<void(File&)>& fill);

}  // namespace kaname::h5
