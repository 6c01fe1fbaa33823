// SPDX-License-Identifier: BSD-3-Clause
// A disk that fills, and files that are made on demand or swept while users are at work.
#include <thread>

#include "server/service/admin/admin.hpp"
#include "server/service/admin/metrics.hpp"
#include "server/service/datasets/transfers.hpp"
#include "server/space/disk_space.hpp"
#include "server/space/garbage_collector.hpp"
#include "tests/unit/server/service/service_fixture.hpp"

namespace kaname::service::room_test {
namespace {

class RoomOfAService : public ServiceTest {
protected:
    RoomOfAService() { server_->context.options.room = &room_; }

    std::string refusal_of(const std::function<void()>& call) {
        try {
            call();
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::Exhausted) << error.what();
            return error.what();
        }
        return "";
    }
    void upload(std::int64_t bytes) {
        v1::GetUploadRequest request;
        request.set_sha256(std::string(64, 'a'));
        request.set_bytes(bytes);
        v1::Upload reply;
        Artifacts(server_->context, server_->datasets).get_upload(request, reply);
    }

    std::uint64_t free_ = std::uint64_t{1} << 40U;
    space::DiskSpace room_{{{space::kArtifacts, "/data"}},
                           {.watermark = {false, 0, 1000},
                            .measure =
                                [this](const auto&) {
                                    return space::Measure{free_, 1U << 20U};
                                },
                            .fresh = std::chrono::milliseconds(0)}};
};

TEST_F(RoomOfAService, LargeJobsOfAnOwnerAreSubmittedOneAfterAnother) {
    helpers::ShareQueue& turns = server_->context.sources;
    compute_.sources = 100'000;
    (void)submit(sketch("alone", {"a"}));
    EXPECT_FALSE(turns.is_full());

    std::int64_t another = 60'000;
    ASSERT_TRUE(turns.wait_for({"ann", [] { return false; }}, another));
    const helpers::ShareQueue::Share share(turns, "ann", another);
    const auto refusal_of_submit = [&](const char* name, const std::string& owner, bool gone) {
        v1::CreateJobRequest request;
        *request.mutable_batch() = sketch(name, {"a"});
        request.set_request_id(store::make_uuid());
        v1::Job job;
        try {
            server_->jobs.create_job(request, {owner, auth::Role::User}, job,
                                     {owner, [&] { return gone; }});
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(refusal_of_submit("waits", "ann", true), "the caller has gone");
    EXPECT_EQ(refusal_of_submit("others", "bob", false), "");
    compute_.sources = 1000;
    EXPECT_EQ(refusal_of_submit("small", "ann", false), "");
}

TEST_F(RoomOfAService, NothingIsHandedOutOnAFullDiskAndTheWorkerIsToldWhy) {
    (void)submit(sketch("coast", {"a"}));
    free_ = 999;
    const v1::ClaimResponse nothing = claim();
    EXPECT_EQ(nothing.tasks_size(), 0);
    EXPECT_NE(nothing.paused().find("/data"), std::string::npos) << nothing.paused();

    free_ = 1250;
    const v1::ClaimResponse pack = claim();
    EXPECT_EQ(pack.tasks_size(), 1);
    EXPECT_EQ(pack.paused(), "");
}

TEST_F(RoomOfAService, WhatRunsMayEndOnAFullDisk) {
    const std::string job = submit(sketch("coast", {"a"}));
    const v1::ClaimResponse pack = claim();
    ASSERT_EQ(pack.tasks_size(), 1);
    free_ = 10;
    complete(pack.tasks(0));
    EXPECT_EQ(claim().tasks_size(), 0);
}

TEST_F(RoomOfAService, SubmitsAndUploadsAreRefusedOnAFullDisk) {
    EXPECT_EQ(refusal_of([&] { upload(100); }), "");
    free_ = 999;
    const std::string told = refusal_of([&] { (void)submit(sketch("coast", {"a"})); });
    EXPECT_NE(told.find("999 bytes free"), std::string::npos) << told;
    EXPECT_NE(refusal_of([&] { upload(100); }), "");
    EXPECT_TRUE(store_.list_jobs({}, 10, "").rows.empty());
}

TEST_F(RoomOfAService, AnUploadThatWouldFillTheDiskIsRefused) {
    free_ = 3000;
    EXPECT_EQ(refusal_of([&] { upload(2000); }), "");
    const std::string told = refusal_of([&] { upload(2001); });
    EXPECT_NE(told.find("2001 needed"), std::string::npos) << told;
}

TEST_F(RoomOfAService, StatisticsAndMetricsTellIt) {
    const auto stats = [&] {
        v1::Stats reply;
        Admin(server_->context).get_stats(reply);
        return reply;
    };
    EXPECT_EQ(stats().paused(), "");
    EXPECT_NE(metrics_text(server_->context).find("kaname_paused 0"), std::string::npos);
    free_ = 7;
    EXPECT_NE(stats().paused().find("/data"), std::string::npos);
    ASSERT_EQ(stats().rooms_size(), 1);
    EXPECT_EQ(stats().rooms(0).free_bytes(), 7);
    EXPECT_TRUE(stats().rooms(0).paused());
    const std::string page = metrics_text(server_->context);
    EXPECT_NE(page.find("kaname_paused 1"), std::string::npos);
    EXPECT_NE(page.find("kaname_free_bytes{folder=\"artifacts\"} 7"), std::string::npos);
}

TEST_F(RoomOfAService, AJobKeepsItsSpecificationAndTheFilesThatItNames) {
    v1::GreensBatch wanted = sketch("coast", {"a"});
    const std::string file = put_text(artifacts_, "id,lon,lat");
    wanted.mutable_stations()->add_files()->set_sha256(file);
    const std::string job = submit(wanted);
    const std::string request = sha256_hex(store_.get_job(job).request);
    const std::string other = put_text(artifacts_, "nobody names this");
    space::GarbageCollector collector({store_, artifacts_, checkpoints_, {}},
                                      {.grace_s = 0, .unreferenced_s = 0, .history = {}});
    EXPECT_EQ(collector.sweep(false).n_removed, 1);
    EXPECT_FALSE(artifacts_.exists(other));
    EXPECT_TRUE(artifacts_.exists(file));
    EXPECT_TRUE(artifacts_.exists(request));
    EXPECT_EQ(claim().tasks_size(), 1);
}

class Partials : public ServiceTest {
protected:
    Partials()
        : collector_({store_, artifacts_, checkpoints_, {}}, {}),
          partials_(server_->context, {.bytes = 20,
                                       .unused = std::chrono::seconds(3600),
                                       .least = std::chrono::seconds(60),
                                       .now = [this] { return now_; }}) {
        server_->context.options.collector = &collector_;
    }
    std::string get(const std::string& job, const std::string& content) {
        return partials_.get(job, 1,
                             [&] {
                                 ++n_made_;
                                 return put_text(artifacts_, content);
                             },
                             {});
    }

    space::GarbageCollector collector_;
    std::chrono::steady_clock::time_point now_{};
    PartialDatasets partials_;
    int n_made_ = 0;
};

TEST_F(Partials, AreMadeOnceAndGoWhenNobodyAsks) {
    const std::string first = get("job 1", "ten bytes.");
    EXPECT_EQ(get("job 1", "ten bytes."), first);
    EXPECT_EQ(n_made_, 1);
    now_ += std::chrono::minutes(61);
    (void)get("job 2", "ten others");
    EXPECT_FALSE(artifacts_.exists(first));
    EXPECT_EQ(get("job 1", "ten bytes."), first) << "it is made again";
    EXPECT_EQ(n_made_, 3);
}

TEST_F(Partials, AreBoundedInBytesTheLongestUnaskedFirst) {
    const std::string first = get("job 1", "ten bytes.");
    const std::string second = get("job 2", "ten others");
    now_ += std::chrono::seconds(61);
    (void)get("job 1", "ten bytes.");
    const std::string third = get("job 3", "ten thirds");
    EXPECT_TRUE(artifacts_.exists(first));
    EXPECT_FALSE(artifacts_.exists(second));
    EXPECT_TRUE(artifacts_.exists(third));
}

TEST_F(Partials, WhatAJobRefersToStaysThoughAPartialDatasetIsTheSame) {
    (void)submit(sketch("coast", {"a"}));
    const v1::ClaimResponse pack = claim();
    ASSERT_EQ(pack.tasks_size(), 1);
    const std::string same = get("job 1", result_of(pack.tasks(0)));
    complete(pack.tasks(0));
    now_ += std::chrono::hours(2);
    (void)get("job 2", "another");
    EXPECT_TRUE(artifacts_.exists(same));
}

TEST_F(Partials, OneThatIsBeingMadeKeepsNobodyElseWaiting) {
    std::string other;
    const std::string slow = partials_.get(
        "job 1", 1,
        [&] {
            other = get("job 2", "quick");  // under one lock over all this would never end
            return put_text(artifacts_, "slow");
        },
        {});
    EXPECT_TRUE(artifacts_.exists(other));
    EXPECT_TRUE(artifacts_.exists(slow));
}

TEST_F(Partials, WhoLeavesWhileAnotherMakesItWaitsNoLonger) {
    (void)partials_.get(
        "job 1", 1,
        [&] {
            std::jthread([&] {
                EXPECT_THROW((void)partials_.get(
                                 "job 1", 1, [] { return std::string(); }, [] { return true; }),
                             Error);
            }).join();
            return put_text(artifacts_, "slow");
        },
        {});
}

}  // namespace
}  // namespace kaname::service::room_test
