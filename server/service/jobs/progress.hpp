// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/job.pb.h"
#include "server/service/context.hpp"

namespace kaname::service {

/// Items from which on a job is large: whoever watches it is told of its progress by ProgressLooks,
/// and of a cancel by the job alone.
inline constexpr std::int64_t kLargeJob = 2000;

/// How far an active job is. Its time to go is of its own work: unknown while nothing of it is
/// computed because there is no worker, or all are busy with other jobs. The cost does not grow
/// with the number of its sources.
[[nodiscard]] v1::JobProgress progress_of(Context& context, const store::Job& job);
/// For whoever watches: of a large job half a second old at most.
[[nodiscard]] v1::JobProgress shared_progress_of(Context& context, const store::Job& job);

}  // namespace kaname::service
