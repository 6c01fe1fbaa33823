// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/workers_service.pb.h"
#include "server/service/logs.hpp"
#include "server/service/specs.hpp"
#include "server/service/streams.hpp"

namespace kaname::service {

/// What agents ask: tasks, inputs, results, signs of life.
class Workers {
public:
    Workers(Context& context, Specs& specs, Logs& logs)
        : context_(context), specs_(specs), logs_(logs) {}

    void register_worker(const v1::RegisterRequest& request, v1::RegisterResponse& reply);
    void leave(const v1::LeaveRequest& request);
    void claim(const v1::ClaimRequest& request, v1::ClaimResponse& reply,
               const Cancelled& cancelled);
    void heartbeat(const v1::HeartbeatRequest& request, v1::HeartbeatResponse& reply);
    void complete(const v1::CompleteRequest& request, v1::CompleteResponse& reply);
    void fail(const v1::FailRequest& request);
    void return_tasks(const v1::ReturnTasksRequest& request);
    void get_input(const v1::ReadArtifactRequest& request,
                   const Write<v1::ReadArtifactResponse>& write);
    void get_result_upload(const v1::GetUploadRequest& request, v1::Upload& reply);
    void get_checkpoint_upload(const v1::GetUploadRequest& request, v1::Upload& reply);
    void put_result(const Read<v1::PutRequest>& read, v1::Artifact& reply);
    void put_checkpoint(const Read<v1::PutCheckpointRequest>& read, v1::Artifact& reply);
    void put_log(const v1::PutLogRequest& request);

private:
    std::vector<store::ClaimedTask> claim_for_somebody(const v1::ClaimRequest& request);
    /// Fails the tasks, and returns false, when something that they need is lost: the file is
    /// named, and forgotten where a retry can make it again.
    bool describe_or_fail(const std::string& worker_id,
                          const std::vector<store::ClaimedTask>& tasks, v1::ClaimResponse& reply);
    /// Throws NotFound or InvalidArgument naming what is lost.
    void describe(const std::string& worker_id, const std::vector<store::ClaimedTask>& tasks,
                  v1::ClaimResponse& reply);
    void offer_checkpoints(const std::vector<store::ClaimedTask>& tasks, v1::ClaimResponse& reply);
    /// An attempt ended: its owner is charged, and its progress is told no more.
    void end(store::Held task);

    Context& context_;
    Specs& specs_;
    Logs& logs_;
};

}  // namespace kaname::service
