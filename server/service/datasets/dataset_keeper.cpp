// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/datasets/dataset_keeper.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "proto/reason/reasoned_error.hpp"
#include "server/service/jobs/resolved_request.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"

namespace kaname::service {
namespace {

constexpr int kPiece = 200;  ///< that are planned at once, and then deleted one by one

/// Somebody needs it by now, or it is gone.
bool is_left_alone(ErrorCode code) {
    return code == ErrorCode::NotReady || code == ErrorCode::Aborted || code == ErrorCode::NotFound;
}

}  // namespace

v1::Dataset to_message(const store::Dataset& dataset) {
    v1::Dataset message;
    message.set_name("datasets/" + dataset.job_id);
    message.set_job("jobs/" + dataset.job_id);
    message.set_title(dataset.title);
    message.set_sha256(dataset.sha256);
    message.set_bytes(dataset.bytes);
    message.set_complete(dataset.n_missing == 0 && !dataset.sha256.empty());
    message.set_sources(dataset.n_sources);
    message.set_sources_done(dataset.sha256.empty() ? 0 : dataset.n_sources - dataset.n_missing);
    message.set_created_s(dataset.made_s);
    add_description(dataset, message);
    return message;
}

void add_description(const store::Dataset& dataset, v1::Dataset& message) {
    message.set_owner(dataset.owner);
    if (!dataset.campaign_id.empty()) {
        message.set_campaign("campaigns/" + dataset.campaign_id);
        message.set_member(dataset.member);
    }
    message.set_physics(dataset.about.physics);
    message.mutable_faults()->Assign(dataset.about.faults.begin(), dataset.about.faults.end());
    message.set_structure_sha256(dataset.about.structure_sha256);
    message.set_stations(dataset.n_stations);
    if (const auto& place = dataset.about.place) {
        v1::GeoBox& box = *message.mutable_place();
        box.set_west_deg(place->west_deg);
        box.set_south_deg(place->south_deg);
        box.set_east_deg(place->east_deg);
        box.set_north_deg(place->north_deg);
    }
    message.mutable_tags()->Assign(dataset.tags.begin(), dataset.tags.end());
    message.set_pinned(dataset.pinned);
    message.set_etag(dataset.etag);
}

store::DatasetDescription to_store(const request::Description& description) {
    return {description.physics, description.faults, description.structure_sha256,
            description.stations, description.place};
}

Retained DatasetKeeper::would_go(const store::DatasetRetention& retention, int most) {
    store::RetentionPlan plan = context_.store.plan_retention(retention, most);
    Retained found{std::move(plan.first), plan.freed_bytes, 0};
    found.more = plan.n - std::ssize(found.datasets);
    return found;
}

Retained DatasetKeeper::remove(const store::DatasetRetention& retention, int most,
                               const store::Actor& actor, const std::function<bool()>& stop) {
    Retained done;
    while (true) {
        const int room = most - static_cast<int>(done.datasets.size());
        // Planned anew for each piece: others delete, pin and make datasets meanwhile.
        const auto plan = context_.store.plan_retention(retention, std::min(room, kPiece));
        done.more = plan.n;
        if (plan.n == 0 || room == 0) {
            return done;
        }
        const std::size_t before = done.datasets.size();
        for (const store::Dataset& dataset : plan.first) {
            if (stop()) {
                return done;
            }
            try {
                context_.store.delete_dataset(dataset.job_id, dataset.etag, actor,
                                              "RetainDatasets");
            } catch (const Error& error) {
                if (is_left_alone(error.code())) {
                    continue;
                }
                throw;
            }
            done.datasets.push_back(dataset);
        }
        if (done.datasets.size() == before) {
            return done;
        }
    }
}

void DatasetKeeper::keep(const store::DatasetRetention& retention,
                         const std::function<bool()>& stop) {
    if (retention.older_than_s <= 0 && retention.keep_bytes < 0) {
        return;
    }
    constexpr int kMost = 100000;
    const Retained done = remove(retention, kMost, {"server", "server"}, stop);
    if (!done.datasets.empty() && context_.options.log) {
        context_.options.log("deleted " + std::to_string(done.datasets.size()) +
                             " datasets that the configuration does not keep");
    }
}

store::DatasetDescription DatasetKeeper::describe(const std::string& request) const {
    try {
        const request::Kinds& kinds = *context_.options.kinds;
        const auto message = kinds.parse(request, "request");
        (void)locate_files(context_, *message);
        return to_store(kinds.of(*message).check(*message)->describe());
    } catch (const Error&) {
        return {};  // its files are lost, or it breaks a rule of this version
    }
}

void DatasetKeeper::describe_old(int most) {
    if (all_described_) {
        return;
    }
    try {
        const auto jobs = context_.store.undescribed_datasets(most);
        for (const auto& [job_id, request] : jobs) {
            context_.store.describe_dataset(job_id, describe(request));
        }
        all_described_ = jobs.empty();
    } catch (const std::exception& error) {
        log_trouble(context_, error);
    }
}

namespace {

constexpr std::chrono::milliseconds kLook{100};

}  // namespace

std::string PartialDatasets::get(const std::string& job_id, std::int64_t n_done,
                                 const std::function<std::string()>& make,
                                 const helpers::Caller& gone) {
    std::shared_ptr<One> one;
    {
        const std::lock_guard lock(mutex_);
        std::shared_ptr<One>& known = all_[{job_id, n_done}];
        if (!known) {
            known = std::make_shared<One>();
        }
        known->asked_at = limits_.now();
        one = known;
    }
    std::unique_lock making(one->making, std::defer_lock);
    while (!making.try_lock_for(kLook)) {
        if (gone.gone()) {
            throw Error(ErrorCode::Unavailable, "the caller has left");
        }
    }
    auto size = one->sha256.empty() ? std::nullopt : context_.artifacts.size(one->sha256);
    if (size) {
        (void)context_.artifacts.look_up(one->sha256, *size);  // asked for just now
        return one->sha256;
    }
    check_room(context_, 0);
    const std::string sha256 = make();
    size = context_.artifacts.size(sha256);
    {
        const std::lock_guard lock(mutex_);
        one->sha256 = sha256;
        one->bytes = static_cast<std::int64_t>(size.value_or(0));
        one->asked_at = limits_.now();
    }
    making.unlock();
    trim();
    return sha256;
}

// The longest unasked first.
void PartialDatasets::trim() {
    std::vector<std::string> dropped;
    {
        const std::lock_guard lock(mutex_);
        const auto now = limits_.now();
        std::vector<std::pair<std::chrono::steady_clock::time_point, Key>> by_age;
        std::int64_t bytes = 0;
        for (const auto& [key, one] : all_) {
            bytes += one->bytes;
            if (one.use_count() == 1) {  // nobody makes it or waits for it
                by_age.emplace_back(one->asked_at, key);
            }
        }
        std::ranges::sort(by_age);
        for (const auto& [asked_at, key] : by_age) {
            const bool too_many = bytes > limits_.bytes && now - asked_at >= limits_.least;
            if (now - asked_at < limits_.unused && !too_many) {
                continue;
            }
            const auto found = all_.find(key);
            bytes -= found->second->bytes;
            dropped.push_back(found->second->sha256);
            all_.erase(found);
        }
        // Two jobs may have the same.
        for (const auto& [key, one] : all_) {
            std::erase(dropped, one->sha256);
        }
    }
    for (const std::string& sha256 : dropped) {
        if (!sha256.empty() && context_.options.collector != nullptr) {
            (void)context_.options.collector->discard(sha256);
        }
    }
}

namespace fs = std::filesystem;
namespace {

/// A file that goes when it is no longer needed.
class ScratchFile {
public:
    explicit ScratchFile(fs::path path) : path_(std::move(path)) {
        fs::create_directories(path_.parent_path());
    }
    ~ScratchFile() {
        std::error_code ignored;
        fs::remove(path_, ignored);
    }
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;
    [[nodiscard]] const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

/// Adds the content hash and the file name that the request of a job gives its dataset.
void describe(const request::Kinds& kinds, const store::Job& job, v1::Dataset& dataset) {
    const auto message = kinds.parse(job.request, "request of job " + job.job_id);
    const request::Kind& kind = kinds.of(*message);
    dataset.set_content_hash(kind.content_hash(*message));
    dataset.set_file(kind.result_file());
}

}  // namespace

std::shared_ptr<const ResolvedRequest> DatasetMaker::resolve(const store::Job& job) {
    return requests_.get(put_text(context_.artifacts, job.request));
}

std::vector<helpers::NamedFile> DatasetMaker::files_of(
    const std::vector<store::JobItem>& sources) const {
    std::vector<std::string> keys;
    for (const store::JobItem& source : sources) {
        keys.push_back(source.content_key);
    }
    std::vector<helpers::NamedFile> files;
    const auto found = context_.store.find_artifacts(keys);
    for (std::size_t k = 0; k < sources.size(); ++k) {
        if (found[k] && context_.artifacts.exists(found[k]->sha256)) {
            files.push_back({sources[k].label, context_.artifacts.local_file(found[k]->sha256)});
        }
    }
    return files;
}

std::vector<helpers::NamedFile> DatasetMaker::needs_of(const ResolvedRequest& resolved) const {
    std::vector<helpers::NamedFile> files;
    for (const std::string& key : resolved.graph.tasks.back().needs) {
        const std::string& label = resolved.find(key)->label;
        const auto found = context_.store.find_artifact(key);
        if (!found || !context_.artifacts.exists(found->sha256)) {
            throw rpc::ReasonedError(ErrorCode::NotReady, rpc::kResultNotReady,
                                     "the " + label + " of this job is not there yet");
        }
        files.push_back({label, context_.artifacts.local_file(found->sha256)});
    }
    return files;
}

std::string DatasetMaker::make_partial(const store::Job& job, const helpers::Caller& gone) {
    std::vector<store::JobItem> done;
    for_pages_of_items(context_.store, job.job_id, [&](std::vector<store::JobItem>& items) {
        for (store::JobItem& item : items) {
            if (item.source && item.state == store::ItemState::Done) {
                done.push_back(std::move(item));
            }
        }
    });
    const auto resolved = resolve(job);
    const ScratchFile file(context_.options.scratch /
                           ("partial" + std::to_string(++n_made_) + ".h5"));
    std::vector<helpers::NamedFile> inputs = needs_of(*resolved);
    std::ranges::move(files_of(done), std::back_inserter(inputs));
    context_.compute.gather(resolved->graph.tasks.back().verb, resolved->json, inputs, file.path(),
                            gone);
    return put_file(context_.artifacts, file.path());
}

v1::Dataset DatasetMaker::get(const std::string& job_id, bool allow_partial,
                              const helpers::Caller& gone) {
    const store::Job job = context_.store.get_job(job_id);
    if (auto dataset = dataset_of(context_, job)) {
        describe(*context_.options.kinds, job, *dataset);
        return *dataset;
    }
    const std::string state(to_string(job.state));
    if (job.n_sources == 0) {
        throw Error(ErrorCode::NotReady, "job " + job_id + " is " + state + " and has no result");
    }
    if (!allow_partial) {
        throw rpc::ReasonedError(ErrorCode::NotReady, rpc::kResultNotReady,
                                 "job " + job_id + " is " + state + " with " +
                                     std::to_string(job.n_sources_done) + " of " +
                                     std::to_string(job.n_sources) +
                                     " sources done and has no dataset yet; ask for a "
                                     "partial one (download --partial) to get those");
    }
    if (job.n_sources_done == 0) {
        throw rpc::ReasonedError(
            ErrorCode::NotReady, rpc::kResultNotReady,
            "job " + job_id + " is " + state + " and none of its sources is done yet");
    }
    const std::string sha256 = partial_.get(
        job_id, job.n_sources_done, [&] { return make_partial(job, gone); }, gone);
    const auto bytes = context_.artifacts.size(sha256);
    if (!bytes) {
        throw Error(ErrorCode::Unavailable, "the partial dataset was removed; ask again");
    }
    v1::Dataset dataset;
    dataset.set_name("datasets/" + job_id);
    dataset.set_job("jobs/" + job_id);
    dataset.set_title(job.name);
    dataset.set_sha256(sha256);
    dataset.set_bytes(static_cast<std::int64_t>(*bytes));
    dataset.set_sources(job.n_sources);
    dataset.set_sources_done(job.n_sources_done);
    dataset.set_created_s(context_.store.now_s());
    describe(*context_.options.kinds, job, dataset);
    return dataset;
}

helpers::Block DatasetMaker::read(const store::Job& job,
                                  const std::vector<store::JobItem>& sources) {
    const auto files = files_of(sources);
    if (files.empty()) {
        return {};
    }
    const auto resolved = resolve(job);
    return context_.compute.read(resolved->json, needs_of(*resolved), files);
}

}  // namespace kaname::service
