// SPDX-License-Identifier: BSD-3-Clause
#include "tests/conformance/store/package_players.hpp"

#include <algorithm>

#include "server/store/rules.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"

namespace kaname::conformance {

using store::ItemState;
using store::JobState;
using store::WantedItem;

namespace {

constexpr std::size_t kMaxJobs = 7;
const std::vector<std::string> kPools = {"gpu"};

}  // namespace

std::string PackageTable::key(const std::string& name) const {
    return sha256_hex(prefix_ + '/' + name);
}

std::vector<WantedItem> PackageTable::items(int batch) const {
    const std::vector<std::string> names = batch == 0 ? std::vector<std::string>{"a", "b", "c"}
                                                      : std::vector<std::string>{"b", "c", "d"};
    const std::string mesh = key("mesh");
    const std::string label = "package " + std::to_string(batch);
    WantedItem package{key(label), "package", "", "gpu", {mesh}, label};
    std::vector<WantedItem> items;
    for (const std::string& name : names) {
        items.push_back({key(name), "solve", prefix_, "gpu", {mesh}, name, "", {}, true});
        package.gathers.push_back(key(name));
    }
    items.push_back({mesh, "mesh", "", "gpu", {}, "mesh"});
    items.push_back(package);
    return items;
}

std::vector<std::string> PackageTable::jobs() const {
    const std::lock_guard lock(mutex_);
    return jobs_;
}

void PackageTable::expect_right() {
    for (const std::string& id : jobs()) {
        const store::Job job = store_.get_job(id);
        EXPECT_NE(job.state, JobState::Active) << id;
        const auto rows = store_.list_items(id, 10, "").rows;
        const store::JobItem& package = rows.back();
        if (package.state != ItemState::Done) {
            EXPECT_NE(job.state, JobState::Done) << id;
            continue;
        }
        const std::set<std::string>& there = files_.at(package.sha256);
        std::int64_t n_missing = 0;
        for (const store::JobItem& item : rows) {
            if (item.source && !there.contains(item.content_key)) {
                ++n_missing;
                EXPECT_TRUE(item.state == ItemState::Failed || item.state == ItemState::Cancelled)
                    << id << " has " << item.label << ", its dataset has not";
            }
        }
        EXPECT_EQ(package.n_missing, n_missing) << id;
        EXPECT_TRUE(job.state != JobState::Done || n_missing == 0) << id;
    }
    const store::TaskCounts left = store_.count_tasks();
    EXPECT_EQ(left.blocked + left.ready + left.running, 0);
}

PackagePlayer::PackagePlayer(PackageTable& table, unsigned seed)
    : table_(table), store_(table.store_), random_(seed), worker_(store::make_uuid()) {
    store_.register_worker({worker_, "player"});
}

std::string PackagePlayer::a_job() {
    const std::vector<std::string> jobs = table_.jobs();
    return jobs.empty() ? "" : jobs[random_() % jobs.size()];
}

void PackagePlayer::submit() {
    store::Submission submission;
    submission.principal = submission.owner = "ann";
    submission.request_id = store::make_uuid();
    submission.name = "batch";
    submission.items = table_.items(static_cast<int>(random_() % 3 / 2));
    const std::string job = store_.submit(submission).job_id;
    const std::lock_guard lock(table_.mutex_);
    table_.jobs_.push_back(job);
}

bool PackagePlayer::claim() {
    const auto tasks = store_.claim({worker_, kPools, store::make_uuid(), "", ""});
    for (const store::ClaimedTask& task : tasks) {
        HeldTask held{task, {}};
        if (task.verb == "package") {
            for (const WantedItem& item : table_.items(task.label.back() - '0')) {
                if (item.source && !std::ranges::count(task.missing, item.content_key)) {
                    held.sources.insert(item.content_key);
                }
            }
        }
        held_.push_back(std::move(held));
    }
    return !tasks.empty();
}

void PackagePlayer::end(bool may_fail) {
    const auto at = held_.begin() + static_cast<std::ptrdiff_t>(random_() % held_.size());
    const HeldTask held = *at;
    held_.erase(at);
    const store::Held ref = held.task.held();
    const unsigned fate = may_fail ? random_() % 8 : 7;
    if (fate < 2 && held.task.verb != "mesh") {
        store_.fail(worker_, {ref, "NotConverged", "too slow", false});
        return;
    }
    if (fate == 2) {
        store_.return_tasks(worker_, {&ref, 1});
        return;
    }
    const bool package = held.task.verb == "package";
    // A file of its own for each attempt: what it holds can be looked up.
    const std::string file = sha256_hex(store::make_uuid());
    if (package) {
        const std::lock_guard lock(table_.mutex_);
        table_.files_[file] = held.sources;
    }
    const store::Completion completion{ref, file, "file", 1, package && held.sources.size() < 3};
    store_.complete(worker_, {&completion, 1});
}

void PackagePlayer::step() {
    const unsigned what = random_() % 16;
    try {
        if (what < 3 && table_.jobs().size() < kMaxJobs) {
            submit();
        } else if (what < 9) {
            claim();
        } else if (what < 14) {
            if (!held_.empty()) {
                end(true);
            }
        } else if (const std::string job = a_job(); !job.empty()) {
            const unsigned which = random_() % 8;
            if (which == 0) {
                store_.forget_artifact(table_.key(std::string(1, "abcd"[random_() % 4])));
            } else {
                which < 5 ? store_.retry_job(job) : store_.cancel_job(job);
            }
        }
    } catch (const Error& error) {
        // A job that cannot be retried; all else is a failure.
        if (error.code() != ErrorCode::NotReady) {
            throw;
        }
    }
}

void PackagePlayer::end_all() {
    do {
        while (!held_.empty()) {
            end(false);
        }
    } while (claim());
}

}  // namespace kaname::conformance
