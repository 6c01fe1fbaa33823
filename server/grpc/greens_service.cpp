// SPDX-License-Identifier: BSD-3-Clause
#include "server/grpc/greens_service.hpp"

#include "server/grpc/call.hpp"

namespace kaname::rpc {

using auth::Role;

grpc::Status GreensService::SubmitBatch(grpc::ServerContext* call,
                                        grpc::ServerReader<v1::SubmitBatchRequest>* reader,
                                        v1::Job* reply) {
    return handle(context_, *call, Role::User, [&](const auth::Principal& principal) {
        greens_.submit_batch(reads(*reader), principal, *reply);
    });
}

grpc::Status GreensService::StreamResults(grpc::ServerContext* call,
                                          const v1::StreamResultsRequest* request,
                                          grpc::ServerWriter<v1::GreensResult>* writer) {
    return handle(context_, *call, Role::Viewer, [&](const auth::Principal&) {
        greens_.stream_results(*request, cancelled(*call), writes(*writer));
    });
}

}  // namespace kaname::rpc
