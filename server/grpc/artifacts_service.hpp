// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/artifacts_service.grpc.pb.h"
#include "server/service/artifacts.hpp"

namespace kaname::rpc {

class ArtifactsService final : public v1::Artifacts::Service {
public:
    ArtifactsService(service::Context& context, service::Artifacts& artifacts)
        : context_(context), artifacts_(artifacts) {}

    grpc::Status GetUpload(grpc::ServerContext* call, const v1::GetUploadRequest* request,
                           v1::Upload* reply) override;
    grpc::Status Put(grpc::ServerContext* call, grpc::ServerReader<v1::PutRequest>* reader,
                     v1::Artifact* reply) override;
    grpc::Status GetArtifact(grpc::ServerContext* call, const v1::GetArtifactRequest* request,
                             v1::Artifact* reply) override;
    grpc::Status ReadArtifact(grpc::ServerContext* call, const v1::ReadArtifactRequest* request,
                              grpc::ServerWriter<v1::ReadArtifactResponse>* writer) override;
    grpc::Status ReadSlice(grpc::ServerContext* call, const v1::ReadSliceRequest* request,
                           grpc::ServerWriter<v1::ReadSliceResponse>* writer) override;

private:
    service::Context& context_;
    service::Artifacts& artifacts_;
};

}  // namespace kaname::rpc
