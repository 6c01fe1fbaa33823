// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "worker/jobs/stage/stage.hpp"

namespace kaname::jobs {

/// The verbs of the kind of request that a job is: kaname-compute's only door to the solvers.
[[nodiscard]] const Stages& stages_of(const GreensJob& job);

}  // namespace kaname::jobs
