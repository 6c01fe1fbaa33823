// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <vector>

#include "solvers/base/fd.hpp"

namespace kaname::run {

/// The part of the file system that a child, and each of its own, may touch, whoever it runs as. It
/// may besides read what all programs of this machine need, write to /dev/null, and, where the
/// kernel can tell (Linux 6.7), neither connect to a TCP port nor listen on one.
struct Confinement {
    std::vector<std::filesystem::path> read;   ///< folders and files; run programs there too
    std::vector<std::filesystem::path> write;  ///< folders: anything below them
};

/// Version of Landlock of this kernel; 0: it has none, and nobody is confined.
[[nodiscard]] int landlock_version();
/// What `confine_self` takes, not open without Landlock. A path that does not exist is left out.
/// Throws Unavailable when the kernel refuses.
[[nodiscard]] Fd make_ruleset(const Confinement& confinement);
/// For good, and no program that it runs gains rights (no_new_privs). Async-signal-safe; -1 for
/// the latter alone. False with errno when the kernel refuses.
[[nodiscard]] bool confine_self(int ruleset);

}  // namespace kaname::run
