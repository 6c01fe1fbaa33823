// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/datasets_service.pb.h"
#include "server/service/datasets/dataset_keeper.hpp"
#include "server/service/stream/calls.hpp"

namespace kaname::service {

/// Datasets of jobs.
class Datasets {
public:
    Datasets(Context& context, DatasetMaker& datasets, DatasetKeeper& keeper)
        : context_(context), datasets_(datasets), keeper_(keeper) {}

    void list_datasets(const v1::ListDatasetsRequest& request, v1::ListDatasetsResponse& reply);
    void get_dataset(const v1::GetDatasetRequest& request, v1::Dataset& reply,
                     const helpers::Caller& gone = {});
    void update_dataset(const v1::UpdateDatasetRequest& request, const auth::Principal& caller,
                        v1::Dataset& reply);
    void delete_dataset(const v1::DeleteDatasetRequest& request, const auth::Principal& caller,
                        v1::Dataset& reply);
    /// Ends early, between two datasets, when the caller is gone.
    void retain_datasets(const v1::RetainDatasetsRequest& request, const auth::Principal& caller,
                         v1::RetainDatasetsResponse& reply, const helpers::Caller& gone = {});

private:
    Context& context_;
    DatasetMaker& datasets_;
    DatasetKeeper& keeper_;
};

}  // namespace kaname::service
