// SPDX-License-Identifier: BSD-3-Clause
#include "server/grpc/greens_service.hpp"

#include "server/grpc/waiting_call.hpp"

namespace kaname::rpc {

using auth::Role;

grpc::Status GreensService::SubmitBatch(grpc::ServerContext* call,
                                        grpc::ServerReader<v1::SubmitBatchRequest>* reader,
                                        v1::Job* reply) {
    return handle(
        context_, *call, Role::User,
        [&](const auth::Principal& principal, service::Limits::Place& place) {
            greens_.submit_batch(reads(*reader, place), principal, *reply, gone(*call, principal),
                                 traceparent_of(*call));
        },
        &service::kUploads);
}

grpc::ServerWriteReactor<v1::GreensResult>* GreensService::StreamResults(
    grpc::CallbackServerContext* call, const v1::StreamResultsRequest* request) {
    return stream<v1::GreensResult>(
        {host_, host_.results, *call, Role::Viewer, &service::kResultStreams,
         [this, request](const auth::Principal&) { return greens_.stream_results(*request); }});
}

grpc::ServerWriteReactor<v1::AnswerResult>* GreensService::Answer(
    grpc::CallbackServerContext* call, const v1::AnswerRequest* request) {
    return stream<v1::AnswerResult>({host_, host_.slices, *call, Role::Viewer, &service::kAnswers,
                                     [=, this](const auth::Principal& caller) {
                                         return greens_.answer(*request, gone(*call, caller));
                                     }});
}

}  // namespace kaname::rpc
