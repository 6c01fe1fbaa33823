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
    return handle(context_, *call, Role::Viewer, [&](const auth::Principal& caller) {
        datasets_.get_dataset(*request, *reply, gone(*call, caller));
    });
}

grpc::Status DatasetsService::UpdateDataset(grpc::ServerContext* call,
                                            const v1::UpdateDatasetRequest* request,
                                            v1::Dataset* reply) {
    return handle(context_, *call, Role::User, [&](const auth::Principal& caller) {
        datasets_.update_dataset(*request, caller, *reply);
    });
}

grpc::Status DatasetsService::DeleteDataset(grpc::ServerContext* call,
                                            const v1::DeleteDatasetRequest* request,
                                            v1::Dataset* reply) {
    return handle(context_, *call, Role::User, [&](const auth::Principal& caller) {
        datasets_.delete_dataset(*request, caller, *reply);
    });
}

grpc::Status DatasetsService::RetainDatasets(grpc::ServerContext* call,
                                             const v1::RetainDatasetsRequest* request,
                                             v1::RetainDatasetsResponse* reply) {
    return handle(context_, *call, Role::Operator, [&](const auth::Principal& caller) {
        datasets_.retain_datasets(*request, caller, *reply, gone(*call, caller));
    });
}

}  // namespace kaname::rpc
