// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/artifacts_service.grpc.pb.h"
#include "server/grpc/host.hpp"
#include "server/service/artifacts.hpp"

namespace kaname::rpc {

using ArtifactsBase = v1::Artifacts::WithRawCallbackMethod_ReadArtifact<
    v1::Artifacts::WithCallbackMethod_ReadSlice<v1::Artifacts::Service>>;

class ArtifactsService final : public ArtifactsBase {
public:
    ArtifactsService(Host& host, service::Artifacts& artifacts)
        : host_(host), context_(host.context), artifacts_(artifacts) {}

    grpc::Status GetUpload(grpc::ServerContext* call, const v1::GetUploadRequest* request,
                           v1::Upload* reply) override;
    grpc::Status Put(grpc::ServerContext* call, grpc::ServerReader<v1::PutRequest>* reader,
                     v1::Artifact* reply) override;
    grpc::Status GetArtifact(grpc::ServerContext* call, const v1::GetArtifactRequest* request,
                             v1::Artifact* reply) override;
    grpc::ServerWriteReactor<grpc::ByteBuffer>* ReadArtifact(
        grpc::CallbackServerContext* call, const grpc::ByteBuffer* request) override;
    grpc::ServerWriteReactor<v1::ReadSliceResponse>* ReadSlice(
        grpc::CallbackServerContext* call, const v1::ReadSliceRequest* request) override;

private:
    Host& host_;
    service::Context& context_;
    service::Artifacts& artifacts_;
};

}  // namespace kaname::rpc
