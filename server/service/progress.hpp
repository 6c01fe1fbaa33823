// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "proto/kaname/v1/job.pb.h"
#include "server/service/context.hpp"

namespace kaname::service {

/// How far an active job is; `items` are its items. Its time to go is of its own work: unknown
/// while nothing of it is computed because there is no worker, or all are busy with other jobs.
[[nodiscard]] v1::JobProgress progress_of(Context& context, const store::Job& job,
                                          const std::vector<store::JobItem>& items);

}  // namespace kaname::service
