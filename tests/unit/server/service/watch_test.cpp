// SPDX-License-Identifier: BSD-3-Clause
// A job that is watched: its events once each and in order, from any place of them to its end.
#include <map>

#include "tests/unit/server/service/service_fixture.hpp"

namespace kaname::service::watch_test {
namespace {

class Watch : public ServiceTest {
protected:
    struct Told {
        std::vector<std::string> events;  ///< "ITEM_DONE a"
        std::vector<std::string> tokens;  ///< of each event
        v1::Job last;
    };
    /// Watches from `token` on; `act` is told of each event, says whether to go on.
    Told watch(
        const std::string& job, const std::string& token,
        const std::function<bool(const std::string&)>& act = [](const std::string&) {
            return true;
        }) {
        v1::WatchJobRequest request;
        request.set_name("jobs/" + job);
        request.set_resume_token(token);
        Told told;
        drive<v1::JobUpdate>(server_->jobs.watch_job(request), [&](const v1::JobUpdate& update) {
            if (update.has_job()) {
                told.last = update.job();
            }
            if (update.event() == v1::JobUpdate::EVENT_UNSPECIFIED) {
                return true;
            }
            std::string event = v1::JobUpdate::Event_Name(update.event());
            if (update.has_item()) {
                event += ' ' + update.item().label();
            }
            told.events.push_back(event);
            told.tokens.push_back(update.resume_token());
            return act(event);
        });
        return told;
    }
    /// The next task as soon as the one before it is told of.
    std::function<bool(const std::string&)> works() {
        return [this](const std::string& event) {
            if (event == "SUBMITTED") {
                samples_ = claim();
                EXPECT_EQ(samples_.tasks_size(), 2);
            }
            if (samples_.tasks_size() < 2) {
                return false;
            }
            if (event == "SUBMITTED") {
                complete(samples_.tasks(0));
            } else if (event == "ITEM_DONE a") {
                complete(samples_.tasks(1));
            } else if (event == "ITEM_DONE b") {
                work();
            }
            return true;
        };
    }

    const std::vector<std::string> all_ = {"SUBMITTED", "ITEM_DONE a", "ITEM_DONE b",
                                           "ITEM_DONE book", "JOB_ENDED"};
    v1::ClaimResponse samples_;
};

TEST_F(Watch, TellsEachEventOnceInOrderAndEndsWithTheJob) {
    const std::string job = submit(sketch("coast", {"a", "b"}));

    const Told told = watch(job, "", works());

    EXPECT_EQ(told.events, all_);
    EXPECT_EQ(told.last.state(), v1::Job::DONE);
}

TEST_F(Watch, GoesOnAfterAToken) {
    const std::string job = submit(sketch("coast", {"a", "b"}));
    const Told whole = watch(job, "", works());
    ASSERT_EQ(whole.events, all_);

    for (std::size_t k = 0; k < all_.size(); ++k) {
        const Told rest = watch(job, whole.tokens[k]);
        EXPECT_EQ(rest.events,
                  std::vector(all_.begin() + static_cast<std::ptrdiff_t>(k) + 1, all_.end()));
    }
    EXPECT_THROW(watch(job, store::make_uuid() + ".1"), ValidationError);
}

TEST_F(Watch, StopsWhenNobodyReads) {
    const std::string job = submit(sketch("coast", {"a", "b"}));

    const Told told = watch(job, "", [](const std::string&) { return false; });

    EXPECT_EQ(told.events, std::vector<std::string>{"SUBMITTED"});
}

TEST_F(Watch, OfALiveJobIsRefusedByAServerThatShutsDown) {
    const std::string job = submit(sketch("coast", {"a"}));
    server_->context.draining = true;

    try {
        (void)watch(job, "");
        FAIL() << "goes on";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::Unavailable);
    }
}

TEST_F(Watch, TellsWhyAnItemFailed) {
    const std::string job = submit(sketch("coast", {"a", "b"}));
    samples_ = claim();
    fail(samples_.tasks(0), "no convergence");
    complete(samples_.tasks(1));
    const v1::ClaimResponse book = claim();
    ASSERT_EQ(book.inputs_size(), 1);  // without the one that failed
    EXPECT_EQ(book.inputs(0).label(), "b");
    complete(book.tasks(0));

    const Told told = watch(job, "");

    EXPECT_EQ(told.events, (std::vector<std::string>{"SUBMITTED", "ITEM_FAILED a", "ITEM_DONE b",
                                                     "ITEM_DONE book", "JOB_ENDED"}));
    EXPECT_NE(error_of(job, "a").find("no convergence"), std::string::npos);
}

/// Counts what watches read of the items of jobs.
class CountingStore final : public store::memory::MemoryStore {
public:
    using MemoryStore::MemoryStore;
    std::vector<store::JobItem> items_at(const std::string& job_id,
                                         std::span<const std::int64_t> ordinals) override {
        n_items += ordinals.size();
        most = std::max(most, ordinals.size());
        return MemoryStore::items_at(job_id, ordinals);
    }
    store::Page<store::JobItem> list_items(const std::string& job_id, int limit,
                                           const std::string& token) override {
        ++n_lists;
        return MemoryStore::list_items(job_id, limit, token);
    }
    std::size_t n_items = 0, most = 0, n_lists = 0;
};

TEST_F(Watch, OfALargeJobHoldsLittleAndIsToldOfACancelByItsCounts) {
    CountingStore store({}, [] { return 1000.0; });
    UseCases server(1, server_->context.options,
                    Backends{store, artifacts_, checkpoints_, compute_, tokens_, running_});
    store::Submission large;
    large.principal = large.owner = "ann";
    large.request_id = large.body_sha256 = sha256_hex("large");
    large.name = large.request = "large";
    for (int k = 0; k < 2500; ++k) {
        large.items.push_back({sha256_hex(std::to_string(k)),
                               "sample",
                               "m",
                               "cpu",
                               {},
                               "source " + std::to_string(k),
                               "",
                               {},
                               true});
    }
    const std::string job = store.submit(large).job_id;
    store.register_worker({worker_, "w"});
    for (int pack = 0; pack < 100; ++pack) {
        for (const store::ClaimedTask& task :
             store.claim({worker_, {"cpu"}, std::to_string(pack), "", ""})) {
            const store::Completion completion{task.held(), sha256_hex("r"), "", 1};
            (void)store.complete(worker_, {&completion, 1});
        }
    }
    (void)store.cancel_job(job);
    v1::WatchJobRequest request;
    request.set_name("jobs/" + job);
    std::map<v1::JobUpdate::Event, int> told;
    v1::Job last;

    drive<v1::JobUpdate>(server.jobs.watch_job(request), [&](const v1::JobUpdate& update) {
        ++told[update.event()];
        last = update.has_job() ? update.job() : last;
        return true;
    });

    EXPECT_EQ(told[v1::JobUpdate::ITEM_DONE], 400);
    EXPECT_EQ(told[v1::JobUpdate::ITEM_CANCELLED], 0);
    EXPECT_EQ(told[v1::JobUpdate::JOB_ENDED], 1);
    EXPECT_EQ(last.state(), v1::Job::CANCELLED);
    EXPECT_EQ(last.counts().cancelled(), 2100);
    EXPECT_EQ(store.n_items, 400U);
    EXPECT_LE(store.most, 200U);
    EXPECT_EQ(store.n_lists, 0U) << "no list of all items";
}

}  // namespace
}  // namespace kaname::service::watch_test
