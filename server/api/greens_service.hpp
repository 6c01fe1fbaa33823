// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/greens_service.grpc.pb.h"
#include "server/api/datasets.hpp"
#include "server/api/submit.hpp"

namespace kaname::api {

class GreensService final : public v1::Greens::Service {
public:
    GreensService(Context& context, Submitter& submitter, DatasetMaker& datasets)
        : context_(context), submitter_(submitter), datasets_(datasets) {}

    grpc::Status SubmitBatch(grpc::ServerContext* call,
                             grpc::ServerReader<v1::SubmitBatchRequest>* reader,
                             v1::Job* reply) override;
    grpc::Status StreamResults(grpc::ServerContext* call, const v1::StreamResultsRequest* request,
                               grpc::ServerWriter<v1::GreensResult>* writer) override;

private:
    Context& context_;
    Submitter& submitter_;
    DatasetMaker& datasets_;
};

}  // namespace kaname::api
