// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

#include "worker/jobs/geometry/build_volumes.hpp"

namespace kaname::test {

/// Returns a job with the model of its volumes: in layers, of what it says now.
inline jobs::GreensJob built(jobs::GreensJob job) {
    if (!job.structure.layers.empty()) {
        job.volumes.reset();
        job.volume_model.reset();
    }
    if (!job.volume_model) {
        jobs::build_volumes(job);
    }
    return job;
}

}  // namespace kaname::test
