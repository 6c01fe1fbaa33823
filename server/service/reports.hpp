// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "proto/kaname/v1/workers_service.pb.h"
#include "server/service/context.hpp"
#include "server/service/logs.hpp"
#include "server/service/streams.hpp"

namespace kaname::service {

/// Takes the reports of agents about their tasks: results, failures, checkpoints and logs.
class Reports {
public:
    Reports(Context& context, Logs& logs) : context_(context), logs_(logs) {}

    /// Each result must have been put by this worker's token; its size is that of the file.
    void complete(const v1::CompleteRequest& request, const auth::Principal& caller,
                  v1::CompleteResponse& reply);
    void fail(const v1::FailRequest& request, const auth::Principal& caller);
    void return_tasks(const v1::ReturnTasksRequest& request, const auth::Principal& caller);
    void put_log(const v1::PutLogRequest& request, const auth::Principal& caller);
    /// A file that somebody else put is wanted from its beginning all the same.
    void get_result_upload(const v1::GetUploadRequest& request, const auth::Principal& caller,
                           v1::Upload& reply);
    void get_checkpoint_upload(const v1::GetUploadRequest& request, const auth::Principal& caller,
                               v1::Upload& reply);
    void put_result(const Read<v1::PutRequest>& read, const auth::Principal& caller,
                    v1::Artifact& reply);
    void put_results(const Read<v1::PutRequest>& read, const auth::Principal& caller,
                     v1::PutResultsResponse& reply);
    void put_checkpoint(const Read<v1::PutCheckpointRequest>& read, const auth::Principal& caller,
                        v1::Artifact& reply);

private:
    /// Reads a worker's bytes of a file that the store has already and compares their hash; keeps
    /// nothing.
    [[nodiscard]] v1::Artifact compare(const v1::PutRequest::Header& header,
                                       const Read<v1::PutRequest>& read);
    /// Content keys of the tasks that are this worker's.
    [[nodiscard]] std::vector<std::string> keys_of(const std::string& worker_id,
                                                   std::span<const store::Held> tasks);

    Context& context_;
    Logs& logs_;
};

}  // namespace kaname::service
