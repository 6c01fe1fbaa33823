// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/datasets_service.grpc.pb.h"
#include "server/service/datasets.hpp"

namespace kaname::rpc {

class DatasetsService final : public v1::Datasets::Service {
public:
    DatasetsService(service::Context& context, service::Datasets& datasets)
        : context_(context), datasets_(datasets) {}

    grpc::Status ListDatasets(grpc::ServerContext* call, const v1::ListDatasetsRequest* request,
                              v1::ListDatasetsResponse* reply) override;
    grpc::Status GetDataset(grpc::ServerContext* call, const v1::GetDatasetRequest* request,
                            v1::Dataset* reply) override;
    grpc::Status UpdateDataset(grpc::ServerContext* call, const v1::UpdateDatasetRequest* request,
                               v1::Dataset* reply) override;
    grpc::Status DeleteDataset(grpc::ServerContext* call, const v1::DeleteDatasetRequest* request,
                               v1::Dataset* reply) override;
    grpc::Status RetainDatasets(grpc::ServerContext* call, const v1::RetainDatasetsRequest* request,
                                v1::RetainDatasetsResponse* reply) override;

private:
    service::Context& context_;
    service::Datasets& datasets_;
};

}  // namespace kaname::rpc
