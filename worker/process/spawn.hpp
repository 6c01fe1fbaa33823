// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "worker/process/process.hpp"

namespace kaname::process {

struct SpawnedChild {
    pid_t pid = -1;
    Fd in, out, err;  ///< the parent's ends
};

/// Fork and exec, with the errors that Process documents. A failed exec is seen here and not as a
/// strange exit code: the child reports errno through a pipe that a successful exec closes.
[[nodiscard]] SpawnedChild spawn(const SpawnOptions& options);

}  // namespace kaname::process
