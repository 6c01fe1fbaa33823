// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/datasets.hpp"

#include "server/service/paging.hpp"

namespace kaname::service {

void Datasets::list_datasets(const v1::ListDatasetsRequest& request,
                             v1::ListDatasetsResponse& reply) {
    const int size = page_size_of(request.page_size(), 50);
    const auto page = context_.store.list_jobs({}, size, request.page_token());
    for (const store::Job& job : page.rows) {
        if (const auto dataset = dataset_of(context_, job)) {
            *reply.add_datasets() = *dataset;
        }
    }
    reply.set_next_page_token(page.next);
}

void Datasets::get_dataset(const v1::GetDatasetRequest& request, v1::Dataset& reply,
                           const helpers::Gone& gone) {
    reply = datasets_.get(id_of(request.name(), "datasets", "name"), request.allow_partial(), gone);
}

}  // namespace kaname::service
