// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/datasets/datasets.hpp"

#include <cmath>

#include "server/service/datasets/filter.hpp"
#include "server/service/jobs/jobs.hpp"
#include "server/service/stream/paging.hpp"
#include "server/store/campaign_rules.hpp"

namespace kaname::service {
namespace {

constexpr int kDefaultDatasets = 50, kMostDatasets = 1000;

void check_tags(const google::protobuf::RepeatedPtrField<std::string>& tags, const char* field,
                std::vector<Violation>& broken) {
    for (int k = 0; k < tags.size(); ++k) {
        if (std::string trouble = trouble_of_tag(tags[k]); !trouble.empty()) {
            broken.push_back(
                {std::string(field) + '[' + std::to_string(k) + ']', std::move(trouble)});
        }
    }
}

}  // namespace

void Datasets::list_datasets(const v1::ListDatasetsRequest& request,
                             v1::ListDatasetsResponse& reply) {
    const auto filter = dataset_filter(request);
    const int size = page_size_of(request.page_size(), kDefaultDatasets);
    const auto page = context_.store.list_datasets(filter, size, request.page_token());
    for (const store::Dataset& dataset : page.rows) {
        if (context_.artifacts.exists(
                dataset.sha256)) {  // else it is lost, see forget_lost_results
            *reply.add_datasets() = to_message(dataset);
        }
    }
    reply.set_next_page_token(page.next);
}

void Datasets::get_dataset(const v1::GetDatasetRequest& request, v1::Dataset& reply,
                           const helpers::Caller& gone) {
    const std::string id = id_of(request.name(), "datasets", "name");
    reply = datasets_.get(id, request.allow_partial(), gone);
    add_description(context_.store.get_dataset(id), reply);
}

void Datasets::update_dataset(const v1::UpdateDatasetRequest& request,
                              const auth::Principal& caller, v1::Dataset& reply) {
    const std::string id = id_of(request.name(), "datasets", "name");
    check_owner(context_, caller, id, auth::Role::Operator, "tag or pin the dataset of");
    std::vector<Violation> broken;
    check_tags(request.add_tags(), "add_tags", broken);
    check_tags(request.remove_tags(), "remove_tags", broken);
    if (!broken.empty()) {
        throw ValidationError(std::move(broken));
    }
    store::DatasetChange change{{request.add_tags().begin(), request.add_tags().end()},
                                {request.remove_tags().begin(), request.remove_tags().end()},
                                {}};
    if (request.has_pinned()) {
        change.pinned = request.pinned();
    }
    context_.store.update_dataset(id, change, actor_of(caller));
    reply = to_message(context_.store.get_dataset(id));
}

void Datasets::delete_dataset(const v1::DeleteDatasetRequest& request,
                              const auth::Principal& caller, v1::Dataset& reply) {
    const std::string id = id_of(request.name(), "datasets", "name");
    check_owner(context_, caller, id, auth::Role::Admin, "delete the dataset of");
    const store::Dataset dataset = context_.store.get_dataset(id);
    check_deletable(dataset, request.etag());
    if (!request.dry_run()) {
        context_.store.delete_dataset(id, request.etag(), actor_of(caller));
    }
    reply = to_message(dataset);
}

void Datasets::retain_datasets(const v1::RetainDatasetsRequest& request,
                               const auth::Principal& caller, v1::RetainDatasetsResponse& reply,
                               const helpers::Caller& gone) {
    std::vector<Violation> broken;
    if (!(request.older_than_s() >= 0.0) || std::isinf(request.older_than_s())) {
        broken.push_back(
            {"older_than_s", "must be >= 0, got " + std::to_string(request.older_than_s())});
    }
    if (request.has_keep_bytes() && request.keep_bytes() < 0) {
        broken.push_back(
            {"keep_bytes", "must be >= 0, got " + std::to_string(request.keep_bytes())});
    }
    if (request.older_than_s() == 0.0 && !request.has_keep_bytes()) {
        broken.push_back({"older_than_s", "must be > 0 where keep_bytes is not given"});
    }
    if (!broken.empty()) {
        throw ValidationError(std::move(broken));
    }
    store::DatasetRetention retention{request.older_than_s(), -1};
    if (request.has_keep_bytes()) {
        retention.keep_bytes = request.keep_bytes();
    }
    const Retained done = request.dry_run()
                              ? keeper_.would_go(retention, kMostDatasets)
                              : keeper_.remove(retention, kMostDatasets, actor_of(caller),
                                               [&] { return gone.gone(); });
    for (const store::Dataset& dataset : done.datasets) {
        *reply.add_datasets() = to_message(dataset);
    }
    reply.set_bytes(done.bytes);
    reply.set_more(done.more);
}

}  // namespace kaname::service
