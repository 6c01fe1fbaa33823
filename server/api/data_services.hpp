// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/artifacts_service.grpc.pb.h"
#include "proto/kaname/v1/datasets_service.grpc.pb.h"
#include "server/api/datasets.hpp"

namespace kaname::api {

class ArtifactsService final : public v1::Artifacts::Service {
public:
    ArtifactsService(Context& context, DatasetMaker& datasets)
        : context_(context), datasets_(datasets) {}

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
    Context& context_;
    DatasetMaker& datasets_;
};

class DatasetsService final : public v1::Datasets::Service {
public:
    DatasetsService(Context& context, DatasetMaker& datasets)
        : context_(context), datasets_(datasets) {}

    grpc::Status ListDatasets(grpc::ServerContext* call, const v1::ListDatasetsRequest* request,
                              v1::ListDatasetsResponse* reply) override;
    grpc::Status GetDataset(grpc::ServerContext* call, const v1::GetDatasetRequest* request,
                            v1::Dataset* reply) override;

private:
    Context& context_;
    DatasetMaker& datasets_;
};

}  // namespace kaname::api
