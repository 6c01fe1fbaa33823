// SPDX-License-Identifier: BSD-3-Clause
// Datasets: found, tagged, deleted.
#include "client/lib/calls.hpp"

namespace kaname::client {
namespace {

using std::chrono::seconds;
using DatasetsStub = v1::Datasets::Stub;

constexpr seconds kRetain{600};

}  // namespace

v1::ListDatasetsResponse Client::list_datasets(const v1::ListDatasetsRequest& request) {
    v1::ListDatasetsResponse reply;
    parts_->unary("ListDatasets", *parts_->datasets, &DatasetsStub::ListDatasets, request, reply);
    return reply;
}

v1::Dataset Client::update_dataset(const v1::UpdateDatasetRequest& request) {
    v1::Dataset reply;
    parts_->unary("UpdateDataset", *parts_->datasets, &DatasetsStub::UpdateDataset, request, reply);
    return reply;
}

v1::Dataset Client::delete_dataset(const v1::DeleteDatasetRequest& request) {
    v1::Dataset reply;
    parts_->unary("DeleteDataset", *parts_->datasets, &DatasetsStub::DeleteDataset, request, reply);
    return reply;
}

v1::RetainDatasetsResponse Client::retain_datasets(const v1::RetainDatasetsRequest& request) {
    Parts::Call call(*parts_, kRetain);
    v1::RetainDatasetsResponse reply;
    parts_->check(parts_->datasets->RetainDatasets(&call, request, &reply), "RetainDatasets");
    return reply;
}

}  // namespace kaname::client
