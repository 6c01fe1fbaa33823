// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>

#include "solvers/base/fd.hpp"
#include "worker/run/process_id.hpp"

namespace kaname::embedded {

/// One server per state folder: a lock on <state>/server.lock that the kernel frees when its holder
/// dies, however it dies. The file tells who holds it.
class StateLock {
public:
    /// Throws Conflict naming the holder's pid, Unavailable when the file cannot be opened.
    explicit StateLock(const std::filesystem::path& state);

    /// Who holds the folder's lock; nothing when it is free. Throws Unavailable.
    [[nodiscard]] static std::optional<run::ProcessId> holder(const std::filesystem::path& state);

private:
    Fd file_;
};

}  // namespace kaname::embedded
