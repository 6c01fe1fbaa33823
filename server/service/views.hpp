// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "proto/kaname/v1/admin_service.pb.h"
#include "proto/kaname/v1/job.pb.h"
#include "server/service/context.hpp"

/// Rows of the store as messages.
namespace kaname::service {

[[nodiscard]] v1::Item to_message(const store::JobItem& item);
/// A job without the request's hash, dataset and progress.
[[nodiscard]] v1::Job to_message(const store::Job& job);

/// A worker with what it said last about its tasks and GPUs.
[[nodiscard]] v1::Worker to_message(const Context& context, const store::WorkerInfo& info);
/// "busy", "not_ready", ...
[[nodiscard]] std::string state_name(v1::Worker::State state);

/// Calls `use` with a thousand items of a job at a time, in order: all of them may be many.
void for_pages_of_items(store::Store& store, const std::string& job_id,
                        const std::function<void(std::vector<store::JobItem>&)>& use);
/// One item of a job. Throws NotFound when the job is gone.
[[nodiscard]] store::JobItem item_at(store::Store& store, const std::string& job_id,
                                     std::int64_t ordinal);
/// A dataset of this job: its file, and of how many sources that lacks the result.
[[nodiscard]] v1::Dataset dataset_message(const store::Job& job, const std::string& sha256,
                                          std::int64_t bytes, std::int64_t n_missing);
/// The job's dataset, when it has one that is stored.
[[nodiscard]] std::optional<v1::Dataset> dataset_of(Context& context, const store::Job& job);
/// A job with everything but the submit report. `request_sha256`: of its request, which `job`
/// need not have.
[[nodiscard]] v1::Job full_message(Context& context, const store::Job& job,
                                   const std::string& request_sha256);

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
