// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/greens_service.grpc.pb.h"
#include "server/service/greens.hpp"

namespace kaname::rpc {

class GreensService final : public v1::Greens::Service {
public:
    GreensService(service::Context& context, service::Greens& greens)
        : context_(context), greens_(greens) {}

    grpc::Status SubmitBatch(grpc::ServerContext* call,
                             grpc::ServerReader<v1::SubmitBatchRequest>* reader,
                             v1::Job* reply) override;
    grpc::Status StreamResults(grpc::ServerContext* call, const v1::StreamResultsRequest* request,
                               grpc::ServerWriter<v1::GreensResult>* writer) override;

private:
    service::Context& context_;
    service::Greens& greens_;
};

}  // namespace kaname::rpc
