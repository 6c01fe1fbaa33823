// SPDX-License-Identifier: BSD-3-Clause
#include "tests/conformance/store/collection_town.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "server/store/rules.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"

namespace kaname::conformance {
namespace {

constexpr int kMeshes = 4, kSources = 12, kInputs = 8;
constexpr std::size_t kJobs = 6;  ///< of one user at a time

int pick(std::mt19937& random, int n) {
    return static_cast<int>(random() % static_cast<unsigned>(n));
}

}  // namespace

std::string CollectionTown::put(const std::string& text) {
    const auto upload = artifacts.begin_put(sha256_hex(text), text.size());
    const auto bytes = std::as_bytes(std::span(text));
    upload->write(upload->offset(), bytes.subspan(upload->offset()));
    upload->commit();
    return sha256_hex(text);
}

void CollectionTown::missing(const std::string& what) {
    ++n_missing;
    ADD_FAILURE() << what << " is referred to and not there";
}

CollectionUser::CollectionUser(CollectionTown& town, unsigned seed)
    : town_(town), random_(seed), name_("user " + std::to_string(seed)) {}

void CollectionUser::submit() {
    // Few of each, so that most are wanted by several jobs and come again after they were removed.
    const int mesh = pick(random_, kMeshes), first = pick(random_, kSources);
    store::Submission wanted;
    wanted.principal = wanted.owner = name_;
    wanted.request_id = store::make_uuid();
    wanted.body_sha256 = sha256_hex(wanted.request_id);
    wanted.name = "job";
    wanted.request = "{}";
    const std::string variant = std::to_string(pick(random_, 3));
    for (int k = 0; k < 2; ++k) {
        wanted.files.push_back(town_.put("input " + std::to_string(pick(random_, kInputs))));
    }
    std::string request = "specification " + variant + std::to_string(mesh) + std::to_string(first);
    for (const std::string& file : wanted.files) {
        request += ' ' + file;
    }
    {
        const std::lock_guard lock(town_.mutex);
        town_.files_of_request[sha256_hex(request)] = wanted.files;
    }
    const std::string payload = town_.put(request);
    wanted.files.push_back(payload);
    const std::string mesh_key = sha256_hex("mesh " + std::to_string(mesh));
    wanted.items = {{mesh_key, "mesh", "", "cpu", {}, "mesh", payload}};
    store::WantedItem package{"", "package", "", "cpu", {mesh_key}, "package", payload};
    std::string all;
    for (int k = first; k < first + 3; ++k) {
        const std::string key =
            sha256_hex("source " + std::to_string(mesh) + ' ' + std::to_string(k % kSources));
        wanted.items.push_back({key, "solve", "m", "cpu", {mesh_key}, "s", payload, {}, true});
        package.gathers.push_back(key);
        all += key;
    }
    package.content_key = sha256_hex(all);
    wanted.items.push_back(package);
    wanted.check_files = [&] {
        for (const std::string& file : wanted.files) {
            if (!town_.artifacts.exists(file)) {
                throw Error(ErrorCode::Unavailable, "removed meanwhile");
            }
        }
    };
    try {
        jobs_.push_back({town_.store.submit(wanted).job_id, wanted.files});
        ++town_.n_submits;
        check(jobs_.back());
    } catch (const Error& error) {
        if (error.code() != ErrorCode::Unavailable) {
            throw;
        }
        ++town_.n_refused;  // the caller uploads and submits again
    }
}

void CollectionUser::check(const Job& job) {
    for (const std::string& file : job.files) {
        if (!town_.artifacts.exists(file)) {
            town_.missing("file of job " + job.id);
        }
    }
    for (const store::JobItem& item : town_.store.list_items(job.id, 100, "").rows) {
        if (item.state == store::ItemState::Done && !town_.artifacts.exists(item.sha256)) {
            town_.missing("result " + item.label + " of job " + job.id);
        }
    }
}

void CollectionUser::remove(std::size_t at) {
    const Job job = jobs_[at];
    (void)town_.store.cancel_job(job.id);
    check(job);
    town_.store.delete_job(job.id, "");
    jobs_.erase(jobs_.begin() + static_cast<std::ptrdiff_t>(at));
    ++town_.n_deletions;
}

void CollectionUser::step() {
    if (jobs_.empty()) {
        submit();
        return;
    }
    const auto at = static_cast<std::size_t>(pick(random_, static_cast<int>(jobs_.size())));
    switch (pick(random_, 8)) {
        case 0:
            (void)town_.store.cancel_job(jobs_[at].id);
            break;
        case 1:
            try {
                (void)town_.store.retry_job(jobs_[at].id);
            } catch (const Error& error) {
                EXPECT_EQ(error.code(), ErrorCode::NotReady) << error.what();
            }
            break;
        case 2:
        case 3:
            remove(at);
            return;
        case 4:
            break;
        default:
            jobs_.size() < kJobs ? submit() : remove(at);
            return;
    }
    check(jobs_[at]);
}

void CollectionUser::check_all() {
    std::ranges::for_each(jobs_, [this](const Job& job) { check(job); });
}

void CollectionUser::leave(std::size_t n_left) {
    while (jobs_.size() > n_left) {
        remove(jobs_.size() - 1);
    }
    for (const Job& job : jobs_) {  // a task would keep the files of who submitted it first
        (void)town_.store.cancel_job(job.id);
    }
}

std::set<std::string> CollectionUser::files() {
    std::set<std::string> all;
    for (const Job& job : jobs_) {
        all.insert(job.files.begin(), job.files.end());
        for (const store::JobItem& item : town_.store.list_items(job.id, 100, "").rows) {
            if (!item.sha256.empty()) {
                all.insert(item.sha256);
            }
        }
    }
    return all;
}

CollectionWorker::CollectionWorker(CollectionTown& town, unsigned seed)
    : town_(town), random_(seed), id_(store::make_uuid()) {
    town_.store.register_worker({id_, "worker"});
}

bool CollectionWorker::inputs_are_there(const store::ClaimedTask& task) {
    std::vector<std::string> files = {task.payload};
    {
        const std::lock_guard lock(town_.mutex);
        const auto& inputs = town_.files_of_request.at(task.payload);
        files.insert(files.end(), inputs.begin(), inputs.end());
    }
    return std::ranges::all_of(
        files, [&](const std::string& file) { return town_.artifacts.exists(file); });
}

void CollectionWorker::end(const store::ClaimedTask& task) {
    const store::Held held = task.held();
    const int luck = pick(random_, 20);
    if (luck == 0) {
        (void)town_.store.fail(id_, {held, "diverged", "by chance"});
        return;
    }
    if (luck == 1) {
        (void)town_.store.return_tasks(id_, {&held, 1});
        return;
    }
    std::string result = "result of " + task.content_key;
    for (const std::string& key : task.missing) {
        result += " without " + key;
    }
    const std::string sha256 = sha256_hex(result);
    do {
        (void)town_.put(result);
        town_.store.note_result_uploads(id_, {&sha256, 1});
    } while (!town_.artifacts.exists(sha256));
    const store::Completion done{held, sha256, "", static_cast<std::int64_t>(result.size()),
                                 !task.missing.empty()};
    if (town_.store.complete(id_, {&done, 1}).at(0) == store::LeaseResult::Ok) {
        ++town_.n_results;
    }
    town_.let_age(id_, sha256);
}

void CollectionWorker::step() {
    for (const auto& task : town_.store.claim({id_, {"cpu"}, store::make_uuid(), "m", ""})) {
        const store::Held held = task.held();
        // A task that nobody wants any more may lack files: then it is not held either.
        if (!inputs_are_there(task) && !town_.store.held_keys(id_, {&held, 1}).empty()) {
            town_.missing("input of a running task");
        }
        end(task);
    }
}

}  // namespace kaname::conformance
