// SPDX-License-Identifier: BSD-3-Clause
// Datasets: what every Store does.
#include <algorithm>

#include "server/store/campaign_rules.hpp"
#include "server/store/rules.hpp"
#include "solvers/base/error.hpp"
#include "tests/conformance/store/campaign_jobs.hpp"
#include "tests/conformance/store/dataset_model.hpp"
#include "tests/conformance/store/store_suite.hpp"

namespace kaname::conformance::store_datasets_suite {
namespace {

using store::DatasetChange;
using store::DatasetFilter;
using Ids = std::vector<std::string>;

const std::string kPackage = "package ";

class Datasets : public StoreConformance {
protected:
    std::string submit_one(const std::string& request, const store::DatasetDescription& about,
                           const std::string& owner = "ann") {
        store::Submission wanted = batch_of(request, {"source " + request});
        wanted.owner = owner;
        wanted.dataset = about;
        return store_.submit(wanted).job_id;
    }
    /// Claims once and completes what comes; packages are of `bytes`.
    void work(const std::string& file = "file", std::int64_t bytes = 7, bool partial = false) {
        for (const store::ClaimedTask& task : claim("w")) {
            const bool package = task.verb == "package";
            const store::Completion done{task.held(), sha256_hex(package ? file : task.label), "",
                                         package ? bytes : 1, package && partial};
            ASSERT_EQ(store_.complete("w", {&done, 1}).front(), store::LeaseResult::Ok);
        }
    }
    std::string make(const std::string& request, const store::DatasetDescription& about = {},
                     const std::string& file = "file", std::int64_t bytes = 7) {
        const std::string job = submit_one(request, about);
        for (int turn = 0; turn < 3; ++turn) {  // mesh, source, package
            work(file, bytes);
        }
        EXPECT_EQ(store_.get_job(job).state, store::JobState::Done);
        return job;
    }
    Ids found(const DatasetFilter& filter, int page_size = 100) {
        Ids jobs;
        std::string token;
        do {
            const auto page = store_.list_datasets(filter, page_size, token);
            EXPECT_LE(std::ssize(page.rows), page_size);
            for (const store::Dataset& one : page.rows) {
                jobs.push_back(one.job_id);
            }
            token = page.next;
        } while (!token.empty());
        return jobs;
    }
    static ErrorCode code_of(const std::function<void()>& call) {
        try {
            call();
        } catch (const Error& error) {
            return error.code();
        }
        return ErrorCode::Internal;  // none of these is expected
    }
};

TEST_P(Datasets, ADatasetIsThereOnceItsJobsLastItemIsDone) {
    const store::DatasetDescription about{
        "elastic", {"plane", "south, east"}, "abc", {"A", "B"}, GeoBox{135, 32, 137, 34}};
    const std::string job = submit_one("one", about);
    EXPECT_EQ(found({}), Ids{});
    EXPECT_EQ(store_.get_dataset(job).made_s, 0);
    EXPECT_EQ(store_.get_dataset(job).state, store::JobState::Active);
    for (int turn = 0; turn < 3; ++turn) {
        work("result", 12);
    }

    EXPECT_EQ(found({}), Ids{job});
    const store::Dataset one = store_.get_dataset(job);
    EXPECT_EQ(one.title, "one");
    EXPECT_EQ(one.owner, "ann");
    EXPECT_EQ(one.about.physics, "elastic");
    EXPECT_EQ(one.about.faults, (Ids{"plane", "south, east"}));
    EXPECT_EQ(one.about.structure_sha256, "abc");
    EXPECT_EQ(one.about.place, about.place);
    EXPECT_EQ(one.n_stations, 2);
    EXPECT_EQ(one.n_sources, 1);
    EXPECT_EQ(one.sha256, sha256_hex("result"));
    EXPECT_EQ(one.bytes, 12);
    EXPECT_EQ(one.n_missing, 0);
    EXPECT_NEAR(one.made_s, store_.now_s(), 5);
    EXPECT_EQ(one.etag, etag_of(store_.get_job(job)));
    EXPECT_EQ(code_of([&] { (void)store_.get_dataset(store::make_uuid()); }), ErrorCode::NotFound);
}

TEST_P(Datasets, WhatIsMadeAnewIsNotThereMeanwhile) {
    const std::string job = submit_one("one", {});
    work();
    const auto source = claim("w").at(0);
    (void)store_.fail("w", {source.held(), "diverged", "no", false});
    EXPECT_EQ(store_.get_job(job).state, store::JobState::Failed);
    EXPECT_EQ(found({}), Ids{});
    (void)store_.retry_job(job);
    work();
    work();
    EXPECT_EQ(found({}), Ids{job});
}

TEST_P(Datasets, ADatasetThatLacksASourceIsPartialAndGoesWhenItIsTriedAgain) {
    const std::string job = store_.submit(batch_of("two", {"a", "b"})).job_id;
    work();
    const auto sources = claim("w");
    ASSERT_EQ(sources.size(), 2U);
    (void)complete("w", sources[0].held());
    (void)store_.fail("w", {sources[1].held(), "diverged", "no", false});
    work("lacks b", 5, true);
    DatasetFilter partial;
    partial.complete = false;
    EXPECT_EQ(found(partial), Ids{job});
    EXPECT_EQ(store_.get_dataset(job).n_missing, 1);

    (void)store_.retry_job(job);

    EXPECT_EQ(found({}), Ids{});
    EXPECT_EQ(store_.get_dataset(job).bytes, 0);
    work();
    work("whole", 6);
    EXPECT_EQ(found(partial), Ids{});
    EXPECT_EQ(found({}), Ids{job});
}

TEST_P(Datasets, AJobThatGetsWhatIsThereHasItsDatasetAtOnce) {
    (void)make("one", {}, "file", 9);
    store::Submission same = batch_of("one", {"source one"});
    same.request_id = "again";
    const std::string job = store_.submit(same).job_id;
    EXPECT_EQ(store_.get_job(job).state, store::JobState::Done);
    EXPECT_EQ(store_.get_dataset(job).bytes, 9);
    EXPECT_EQ(found({}).size(), 2U);
}

TEST_P(Datasets, FiltersTakeLettersAsTheyAre) {
    const std::string job = make("a_%\\b\"'");
    (void)make("axyb");
    DatasetFilter filter;
    for (const char* prefix : {"a_", "a_%", "a_%\\", "a_%\\b\"'"}) {
        filter.title_prefix = prefix;
        EXPECT_EQ(found(filter), Ids{job}) << prefix;
    }
    filter.title_prefix = "a%";
    EXPECT_EQ(found(filter), Ids{});
}

TEST_P(Datasets, TimesBoundWhatIsListed) {
    const std::string first = make("first");
    const double between = store_.now_s() + 50;
    advance(100);
    const std::string second = make("second");
    DatasetFilter filter;
    filter.made_after_s = between;
    EXPECT_EQ(found(filter), Ids{second});
    filter = {};
    filter.made_before_s = between;
    EXPECT_EQ(found(filter), Ids{first});
}

TEST_P(Datasets, TokensOfAnotherFilterAreRefused) {
    (void)make("first");
    (void)make("second");
    const auto page = store_.list_datasets({}, 1, "");
    ASSERT_FALSE(page.next.empty());
    DatasetFilter filter;
    filter.owner = "ann";
    EXPECT_EQ(code_of([&] { (void)store_.list_datasets(filter, 1, page.next); }),
              ErrorCode::InvalidArgument);
}

TEST_P(Datasets, DescribesThoseOfEarlierVersionsOnce) {
    const std::string job = make("one", {"elastic", {}, "", {"A"}, {}});
    EXPECT_TRUE(store_.undescribed_datasets(10).empty());
    store_.describe_dataset(job, {"viscoelastic", {}, "", {"B"}, {}});  // it is described
    store_.describe_dataset(store::make_uuid(), {});
    EXPECT_EQ(store_.get_dataset(job).about.physics, "elastic");
}

TEST_P(Datasets, MembersOfACampaignAreNeededWhileItExists) {
    const std::string campaign = store_.create_campaign(campaign_of("c", 1)).campaign_id;
    const std::string job = submit_member(store_, campaign, 0, {"a"}).job_id;
    for (int turn = 0; turn < 3; ++turn) {
        work();
    }
    DatasetFilter filter;
    filter.campaign_id = campaign;
    EXPECT_EQ(found(filter), Ids{job});
    EXPECT_EQ(store_.get_dataset(job).member, "k=0");
    EXPECT_EQ(store_.plan_retention({0, 0}, 10).n, 0);
    (void)store_.settle_campaign(campaign);
    EXPECT_EQ(code_of([&] { store_.delete_dataset(job, ""); }), ErrorCode::NotReady);

    store_.delete_campaign(campaign, "");

    EXPECT_EQ(found(filter), Ids{});
    EXPECT_EQ(store_.get_dataset(job).campaign_id, "");
    EXPECT_EQ(store_.plan_retention({0, 0}, 10).n, 1);
    EXPECT_EQ(code_of([&] { store_.delete_dataset(job, "another"); }), ErrorCode::Aborted);
    store_.delete_dataset(job, store_.get_dataset(job).etag, {"ann", "user"});
    EXPECT_EQ(found({}), Ids{});
    EXPECT_EQ(store_.list_audit(1, "").rows.at(0).outcome, "ok, of \"ann\", 7 bytes");
}

/// Users, workers, operators and sweeps, one after another at random, and what must come of it.
class DatasetTown : public Datasets {
protected:
    int draw(int most) { return std::uniform_int_distribution(0, most)(random_); }
    DatasetModel::One* any() {
        return model_.all.empty()
                   ? nullptr
                   : &model_.all[static_cast<std::size_t>(draw(int(model_.all.size()) - 1))];
    }
    void pass(double seconds) {
        advance(seconds);
        now_s_ += seconds;
    }

    void submit_any() {
        const std::string request = "r" + std::to_string(n_++);
        DatasetModel::One one;
        store::Submission wanted = batch_of(request, {"source " + request});
        const Ids titles = {"a_1", "ax1", "b%2", "bz2"};
        wanted.name = one.title = titles[static_cast<std::size_t>(draw(3))];
        wanted.owner = one.owner = draw(1) == 0 ? "ann" : "bob";
        one.physics = draw(1) == 0 ? "elastic" : "viscoelastic";
        for (int k = 0; k < 10; ++k) {
            if (draw(1) == 0) {
                one.stations.push_back("S" + std::to_string(k));
            }
        }
        one.place = random_place(random_);
        wanted.dataset = {one.physics, {"plane"}, "structure", one.stations, one.place};
        if (!campaign_.empty() && member_ < kMembers && draw(2) == 0) {
            wanted.campaign = one.campaign = campaign_;
            wanted.member = member_++;
        }
        one.job = store_.submit(wanted).job_id;
        job_of_[kPackage + request] = one.job;
        model_.all.push_back(one);
    }
    void work_any() {
        for (const store::ClaimedTask& task : claim("w")) {
            const bool package = task.verb == "package";
            const std::string file = package ? "file " + std::to_string(draw(15)) : task.label;
            const auto bytes = static_cast<std::int64_t>(10 + std::hash<std::string>{}(file) % 90);
            const store::Completion done{task.held(), sha256_hex(file), "", bytes, false};
            ASSERT_EQ(store_.complete("w", {&done, 1}).front(), store::LeaseResult::Ok);
            if (package) {
                DatasetModel::One& one = model_.of(job_of_.at(task.label));
                one.made = true;
                one.active = false;
                one.file = sha256_hex(file);
                one.bytes = bytes;
                one.made_s = now_s_;
                files_.insert(one.file);
                pass(100);  // no two are made at one time
            }
        }
    }
    void change_any() {
        DatasetModel::One* one = any();
        if (one == nullptr) {
            return;
        }
        DatasetChange change;
        const std::string tag = "t" + std::to_string(draw(3));
        if (draw(1) == 0) {
            change.add_tags = {tag};
            one->tags.insert(tag);
        } else {
            change.remove_tags = {tag};
            one->tags.erase(tag);
        }
        if (draw(2) == 0) {
            change.pinned = one->pinned = draw(2) == 0;
        }
        store_.update_dataset(one->job, change, {"ann", "user"});
    }
    void delete_any() {
        const DatasetModel::One* one = any();
        if (one == nullptr) {
            return;
        }
        const bool as_job = draw(1) == 0;
        const bool kept =
            one->active || one->pinned ||
            (as_job ? one->campaign == campaign_ && !campaign_.empty() : !one->campaign.empty());
        const std::string job = one->job;
        const auto call = [&] {
            as_job ? store_.delete_job(job, "") : store_.delete_dataset(job, "");
        };
        if (kept) {
            EXPECT_EQ(code_of(call), ErrorCode::NotReady);
        } else {
            call();
            model_.forget(job);
        }
    }
    void end_any() {
        DatasetModel::One* one = any();
        if (one == nullptr) {
            return;
        }
        if (one->active) {
            (void)store_.cancel_job(one->job);
            one->active = false;
        } else if (!one->made) {
            (void)store_.retry_job(one->job);
            one->active = true;
        }
    }
    void change_campaign() {
        if (campaign_.empty()) {
            campaign_ = store_.create_campaign(campaign_of("c" + std::to_string(n_++), kMembers))
                            .campaign_id;
            member_ = 0;
            return;
        }
        store_.cancel_campaign(campaign_);
        for (DatasetModel::One& one : model_.all) {
            one.active &= one.campaign != campaign_;
        }
        ended_.push_back(std::exchange(campaign_, ""));
    }
    void forget_campaign() {
        if (ended_.empty()) {
            return;
        }
        // A job of it that was tried again may be active: it becomes anybody's.
        store_.delete_campaign(ended_.back(), "");
        for (DatasetModel::One& one : model_.all) {
            if (one.campaign == ended_.back()) {
                one.campaign.clear();
            }
        }
        ended_.pop_back();
    }
    void retain_any() {
        store::DatasetRetention retention;
        if (draw(1) == 0) {
            retention.older_than_s = 50 + 100.0 * draw(30);
        }
        if (draw(1) == 0) {
            retention.keep_bytes = draw(600);
        }
        const Ids going = model_.going(retention, now_s_);
        const auto plan = store_.plan_retention(retention, 3);
        EXPECT_EQ(plan.n, std::ssize(going));
        Ids first;
        for (const store::Dataset& one : plan.first) {
            first.push_back(one.job_id);
        }
        EXPECT_EQ(first, Ids(going.begin(),
                             going.begin() + std::min<std::ptrdiff_t>(3, std::ssize(going))));
        for (const store::Dataset& one : plan.first) {
            store_.delete_dataset(one.job_id, one.etag, {"server", "server"}, "RetainDatasets");
            model_.forget(one.job_id);
        }
    }
    void sweep() {
        std::set<std::string> used, loose;
        for (const DatasetModel::One& one : model_.all) {
            if (one.made) {
                used.insert(one.file);
            }
        }
        std::vector<store::Removable> all;
        for (const auto& one : store_.note_loose_files(Ids(files_.begin(), files_.end()))) {
            loose.insert(one.sha256);
            all.push_back({one.sha256, 0});
        }
        for (const std::string& file : files_) {
            EXPECT_EQ(loose.contains(file), !used.contains(file));
        }
        (void)store_.forget_files(all, [&](const std::string& file) {
            EXPECT_FALSE(used.contains(file));
            return true;
        });
    }
    void look() {
        const DatasetFilter filter = random_filter(random_, model_);
        ASSERT_EQ(found(filter, 1 + draw(9)), model_.found(filter)) << store::listing_name(filter);
    }

    static constexpr int kMembers = 6;
    std::mt19937 random_;
    DatasetModel model_;
    std::map<std::string, std::string> job_of_;  ///< by the label of its package
    std::set<std::string> files_;
    std::string campaign_;  ///< the one that is active
    Ids ended_;
    std::int64_t member_ = 0;
    int n_ = 0;
    double now_s_ = 1000;
};

TEST_P(DatasetTown, FindsKeepsAndDeletesAsTheModelUnderRandomOperations) {
    const char* given = std::getenv("KANAME_SEED");
    const unsigned seed = given != nullptr ? static_cast<unsigned>(std::atoi(given)) : 20261124;
    SCOPED_TRACE("KANAME_SEED=" + std::to_string(seed));
    random_.seed(seed);
    const int steps = GetParam().name == "Memory" ? 3000 : 250;
    for (int step = 0; step < steps && !HasFailure(); ++step) {
        SCOPED_TRACE("step " + std::to_string(step));
        const int what = draw(99);
        what < 25   ? submit_any()
        : what < 55 ? work_any()
        : what < 68 ? change_any()
        : what < 76 ? delete_any()
        : what < 83 ? end_any()
        : what < 86 ? change_campaign()
        : what < 88 ? forget_campaign()
        : what < 92 ? retain_any()
        : what < 94 ? sweep()
                    : look();
    }
    EXPECT_FALSE(model_.found({}).empty()) << "the town has nothing to look at";
    EXPECT_EQ(found({}), model_.found({}));
}

std::string name_of(const testing::TestParamInfo<StoreBackend>& info) {
    return info.param.name;
}

/// How a job's tasks are created is nothing to its dataset; the town has that too.
std::vector<StoreBackend> whole_backends() {
    std::vector<StoreBackend> backends = store_backends();
    std::erase_if(backends, [](const StoreBackend& one) { return one.name == "PostgresInPieces"; });
    return backends;
}

INSTANTIATE_TEST_SUITE_P(Store, Datasets, testing::ValuesIn(whole_backends()), name_of);
INSTANTIATE_TEST_SUITE_P(Store, DatasetTown, testing::ValuesIn(store_backends()), name_of);

}  // namespace
}  // namespace kaname::conformance::store_datasets_suite
