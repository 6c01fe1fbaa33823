// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/datasets_service.pb.h"
#include "server/service/dataset_maker.hpp"
#include "server/service/streams.hpp"

namespace kaname::service {

/// Datasets of jobs.
class Datasets {
public:
    Datasets(Context& context, DatasetMaker& datasets) : context_(context), datasets_(datasets) {}

    void list_datasets(const v1::ListDatasetsRequest& request, v1::ListDatasetsResponse& reply);
    void get_dataset(const v1::GetDatasetRequest& request, v1::Dataset& reply,
                     const helpers::Gone& gone = {});

private:
    Context& context_;
    DatasetMaker& datasets_;
};

}  // namespace kaname::service
