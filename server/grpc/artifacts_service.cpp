// SPDX-License-Identifier: BSD-3-Clause
#include "server/grpc/artifacts_service.hpp"

#include "server/grpc/call.hpp"

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
    return handle(context_, *call, Role::User,
                  [&](const auth::Principal&) { artifacts_.put(reads(*reader), *reply); });
}

grpc::Status ArtifactsService::GetArtifact(grpc::ServerContext* call,
                                           const v1::GetArtifactRequest* request,
                                           v1::Artifact* reply) {
    return handle(context_, *call, Role::Viewer,
                  [&](const auth::Principal&) { artifacts_.get_artifact(*request, *reply); });
}

grpc::Status ArtifactsService::ReadArtifact(grpc::ServerContext* call,
                                            const v1::ReadArtifactRequest* request,
                                            grpc::ServerWriter<v1::ReadArtifactResponse>* writer) {
    return handle(context_, *call, Role::Viewer, [&](const auth::Principal&) {
        artifacts_.read_artifact(*request, writes(*writer));
    });
}

grpc::Status ArtifactsService::ReadSlice(grpc::ServerContext* call,
                                         const v1::ReadSliceRequest* request,
                                         grpc::ServerWriter<v1::ReadSliceResponse>* writer) {
    return handle(context_, *call, Role::Viewer, [&](const auth::Principal&) {
        artifacts_.read_slice(*request, writes(*writer));
    });
}

}  // namespace kaname::rpc
