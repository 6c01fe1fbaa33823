// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "worker/jobs/stage/stage.hpp"

namespace kaname::jobs {

/// Returns the verbs of the kind of request that a job is; kaname-compute calls the solvers by them
/// alone.
[[nodiscard]] const Stages& stages_of(const GreensJob& job);

}  // namespace kaname::jobs
