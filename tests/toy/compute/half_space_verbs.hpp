// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "worker/jobs/frame/kind.hpp"

namespace kaname::toy {

/// preflight, displace (one rectangle), collect (the dataset), read (a finished rectangle).
[[nodiscard]] const compute::Kind& half_space_verbs();

}  // namespace kaname::toy
