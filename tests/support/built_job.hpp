// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

#include "solvers/jobs/geometry/build_volumes.hpp"

namespace kaname::test {

/// A job in layers with the model of its volumes, of what it says now.
inline jobs::GreensJob built(jobs::GreensJob job) {
    job.volumes.reset();
    job.volume_model.reset();
    jobs::build_volumes(job);
    return job;
}

}  // namespace kaname::test
