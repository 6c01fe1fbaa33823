// SPDX-License-Identifier: BSD-3-Clause
#include "server/grpc/artifacts_service.hpp"

#include "server/grpc/file_part_wire.hpp"
#include "server/grpc/raw_request.hpp"
#include "server/grpc/waiting_call.hpp"

namespace kaname::rpc {

using auth::Role;

grpc::Status ArtifactsService::GetUpload(grpc::ServerContext* call,
                                         const v1::GetUploadRequest* request, v1::Upload* reply) {
    return handle(context_, *call, Role::User,
                  [&](const auth::Principal&) { artifacts_.get_upload(*request, *reply); });
}

grpc::Status ArtifactsService::Put(grpc::ServerContext* call,
                                   grpc::ServerReader<v1::PutRequest>* reader,
                                   v1::Artifact* reply) {
    return handle(
        context_, *call, Role::User,
        [&](const auth::Principal& caller, service::Limits::Place& place) {
            artifacts_.put(reads(*reader, place), caller, *reply);
        },
        &service::kUploads);
}

grpc::Status ArtifactsService::GetArtifact(grpc::ServerContext* call,
                                           const v1::GetArtifactRequest* request,
                                           v1::Artifact* reply) {
    return handle(context_, *call, Role::Viewer,
                  [&](const auth::Principal&) { artifacts_.get_artifact(*request, *reply); });
}

grpc::ServerWriteReactor<grpc::ByteBuffer>* ArtifactsService::ReadArtifact(
    grpc::CallbackServerContext* call, const grpc::ByteBuffer* request) {
    return stream<service::FilePart, grpc::ByteBuffer>(
        {host_, host_.files, *call, Role::Viewer, &service::kDownloads,
         [this, wanted = parsed<v1::ReadArtifactRequest>(*request)](const auth::Principal&) {
             return artifacts_.read_artifact(must(wanted));
         }});
}

grpc::ServerWriteReactor<v1::ReadSliceResponse>* ArtifactsService::ReadSlice(
    grpc::CallbackServerContext* call, const v1::ReadSliceRequest* request) {
    return stream<v1::ReadSliceResponse>(
        {host_, host_.slices, *call, Role::Viewer, &service::kDownloads,
         [=, this](const auth::Principal& caller) {
             return artifacts_.read_slice(*request, gone(*call, caller));
         }});
}

}  // namespace kaname::rpc
