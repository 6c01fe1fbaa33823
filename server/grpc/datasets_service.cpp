// SPDX-License-Identifier: BSD-3-Clause
#include "server/grpc/datasets_service.hpp"

#include "server/grpc/call.hpp"

namespace kaname::rpc {

using auth::Role;

grpc::Status DatasetsService::ListDatasets(grpc::ServerContext* call,
                                           const v1::ListDatasetsRequest* request,
                                           v1::ListDatasetsResponse* reply) {
    return handle(context_, *call, Role::Viewer,
                  [&](const auth::Principal&) { datasets_.list_datasets(*request, *reply); });
}

grpc::Status DatasetsService::GetDataset(grpc::ServerContext* call,
                                         const v1::GetDatasetRequest* request, v1::Dataset* reply) {
    return handle(context_, *call, Role::Viewer, [&](const auth::Principal&) {
        datasets_.get_dataset(*request, *reply, gone(*call));
    });
}

}  // namespace kaname::rpc
