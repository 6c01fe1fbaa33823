// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/workers_service.pb.h"
#include "server/service/context.hpp"
#include "server/service/logs.hpp"
#include "server/service/streams.hpp"

namespace kaname::service {

/// What agents say of their tasks: how they ended, with results, checkpoints and logs.
class Reports {
public:
    Reports(Context& context, Logs& logs) : context_(context), logs_(logs) {}

    void complete(const v1::CompleteRequest& request, v1::CompleteResponse& reply);
    void fail(const v1::FailRequest& request);
    void return_tasks(const v1::ReturnTasksRequest& request);
    void put_log(const v1::PutLogRequest& request);
    void get_result_upload(const v1::GetUploadRequest& request, v1::Upload& reply);
    void get_checkpoint_upload(const v1::GetUploadRequest& request, v1::Upload& reply);
    void put_result(const Read<v1::PutRequest>& read, v1::Artifact& reply);
    void put_checkpoint(const Read<v1::PutCheckpointRequest>& read, v1::Artifact& reply);

private:
    Context& context_;
    Logs& logs_;
};

}  // namespace kaname::service
