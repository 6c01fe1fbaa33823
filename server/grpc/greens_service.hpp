// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/greens_service.grpc.pb.h"
#include "server/grpc/host.hpp"
#include "server/service/greens.hpp"

namespace kaname::rpc {

class GreensService final : public v1::Greens::WithCallbackMethod_StreamResults<
                                v1::Greens::WithCallbackMethod_Answer<v1::Greens::Service>> {
public:
    GreensService(Host& host, service::Greens& greens)
        : host_(host), context_(host.context), greens_(greens) {}

    grpc::Status SubmitBatch(grpc::ServerContext* call,
                             grpc::ServerReader<v1::SubmitBatchRequest>* reader,
                             v1::Job* reply) override;
    grpc::ServerWriteReactor<v1::GreensResult>* StreamResults(
        grpc::CallbackServerContext* call, const v1::StreamResultsRequest* request) override;
    grpc::ServerWriteReactor<v1::AnswerResult>* Answer(grpc::CallbackServerContext* call,
                                                       const v1::AnswerRequest* request) override;

private:
    Host& host_;
    service::Context& context_;
    service::Greens& greens_;
};

}  // namespace kaname::rpc
