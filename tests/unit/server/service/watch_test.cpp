// SPDX-License-Identifier: BSD-3-Clause
// A job that is watched: its events once each and in order, from any place of them to its end.
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

}  // namespace
}  // namespace kaname::service::watch_test
