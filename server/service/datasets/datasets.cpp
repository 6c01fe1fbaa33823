// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/datasets/datasets.hpp"

#include <algorithm>
#include <cmath>

#include <fcntl.h>
#include <sys/stat.h>

#include "proto/kaname/v1/dataset_map.pb.h"
#include "proto/reason/reasoned_error.hpp"
#include "proto/report/report.hpp"
#include "server/service/datasets/filter.hpp"
#include "server/service/jobs/jobs.hpp"
#include "server/service/stream/paging.hpp"
#include "server/service/views.hpp"
#include "server/store/campaign_rules.hpp"
#include "server/store/rules.hpp"

namespace kaname::service {
namespace {

template <class Body>
Download logging_trouble(Context& context, const Body& body) {
    try {
        return body();
    } catch (const std::exception& error) {
        log_trouble(context, error);
        throw;
    }
}

}  // namespace

Download Downloads::open(const std::string& sha256, bool verify) {
    if (verify) {
        context_.artifacts.verify_or_set_aside(sha256);
    }
    const std::filesystem::path path = context_.artifacts.local_file(sha256);
    Download download{.file = Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC)),
                      .bytes = 0,
                      .sha256 = sha256,
                      .name = sha256,
                      .is_final = true,
                      .place = {}};
    struct stat info {};
    if (!download.file.open() || ::fstat(download.file.get(), &info) != 0) {
        throw Error(ErrorCode::Unavailable, "artifact " + sha256 + " cannot be opened; call again");
    }
    download.bytes = static_cast<std::uint64_t>(info.st_size);
    return download;
}

Download Downloads::artifact(const std::string& sha256, bool verify, const Caller& caller) {
    return logging_trouble(context_, [&] {
        auto place = context_.limits.take(kDownloads, caller.principal.name, caller.connection);
        Download download = open(sha256, verify);
        download.place = std::move(place);
        return download;
    });
}

Download Downloads::dataset(const std::string& job_id, bool allow_partial, bool verify,
                            const Caller& caller) {
    return logging_trouble(context_, [&] {
        auto place = context_.limits.take(kDownloads, caller.principal.name, caller.connection);
        const std::string id = id_of("datasets/" + job_id, "datasets", "dataset");
        const v1::Dataset dataset =
            datasets_.get(id, allow_partial, caller.gone.of(caller.principal.name));
        Download download = open(dataset.sha256(), verify);
        if (download.bytes != static_cast<std::uint64_t>(dataset.bytes())) {
            throw Error(ErrorCode::DataLoss, "the dataset of job " + id + " must have " +
                                                 std::to_string(dataset.bytes()) +
                                                 " bytes, its file has " +
                                                 std::to_string(download.bytes));
        }
        download.name = dataset.file();
        // A retry or a later source may change the dataset, which the next request then gets.
        download.is_final = false;
        download.place = std::move(place);
        return download;
    });
}

namespace {

constexpr std::size_t kMostBytes = 64U << 20U, kMostOfOne = 32U << 20U;

}  // namespace

std::string Descriptions::describe(const std::vector<std::string>& arguments,
                                   const std::string& sha256, const Downloads::Caller& caller) {
    std::string key = sha256;
    for (const std::string& argument : arguments) {
        key += '\n' + argument;
    }
    {
        const std::lock_guard lock(mutex_);
        const auto found = std::ranges::find(kept_, key, &Kept::key);
        if (found != kept_.end()) {
            kept_.splice(kept_.begin(), kept_, found);
            return kept_.front().json;
        }
    }
    std::vector<std::string> all = arguments;
    const bool of_mesh = arguments.front() == "mesh-show";
    all.insert(all.begin() + 1,
               {of_mesh ? "--mesh" : "--dataset", artifacts_.local_file(sha256).string()});
    std::string json = describer_.describe(all, caller.gone.of(caller.principal.name));
    if (json.size() > kMostOfOne) {
        throw Error(ErrorCode::Exhausted, "what is to be told of the file has " +
                                              std::to_string(json.size()) + " bytes, at most " +
                                              std::to_string(kMostOfOne) +
                                              " are sent; download the file");
    }
    const std::lock_guard lock(mutex_);
    bytes_ += json.size();
    kept_.push_front({std::move(key), json});
    while (bytes_ > kMostBytes) {
        bytes_ -= kept_.back().json.size();
        kept_.pop_back();
    }
    return json;
}

Description Descriptions::dataset(const std::string& verb,
                                  const std::vector<std::string>& arguments,
                                  const std::string& job_id, bool allow_partial,
                                  const Downloads::Caller& caller) {
    const Download file = downloads_.dataset(job_id, allow_partial, false, caller);
    std::vector<std::string> all = {verb};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return {describe(all, file.sha256, caller), file.sha256, file.is_final};
}

Description Descriptions::map(const std::string& job_id, bool allow_partial,
                              const Downloads::Caller& caller) {
    Description of = dataset("map", {}, job_id, allow_partial, caller);
    auto map = report::parse<v1::DatasetMap>(of.json, "kaname-compute map");
    map.set_sha256(of.sha256);
    const v1::StatusCounts& counts = map.status_counts();
    map.set_complete(counts.failed() + counts.missing() + counts.unknown() == 0);
    of.json = report::to_json(map);
    return of;
}

Description Descriptions::mesh(const std::string& job_id, const Downloads::Caller& caller) {
    const std::string id = id_of("jobs/" + job_id, "jobs", "job");
    // Sources, of which there may be very many, come first.
    constexpr int kOthers = 100;
    const auto items =
        store_
            .list_items(id, kOthers, store::make_token("items/" + id, store_.get_job(id).n_sources))
            .rows;
    const auto mesh = std::ranges::find(items, "mesh", &store::JobItem::verb);
    if (mesh == items.end()) {
        throw Error(ErrorCode::NotFound, "job " + id + " has no mesh");
    }
    if (mesh->state != store::ItemState::Done) {
        throw rpc::ReasonedError(ErrorCode::NotReady, rpc::kResultNotReady,
                                 "the mesh of job " + id + " is not made yet");
    }
    if (!artifacts_.exists(mesh->sha256)) {
        throw Error(ErrorCode::NotFound, "the mesh of job " + id + " is not kept any more");
    }
    return {describe({"mesh-show"}, mesh->sha256, caller), mesh->sha256, true};
}

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
