// SPDX-License-Identifier: BSD-3-Clause
// Held tasks, the watch over hanging computations, the cache, the reporter.
#include <gtest/gtest.h>

#include "solvers/base/files.hpp"
#include "tests/unit/worker/agent/fake_client.hpp"
#include "worker/agent/held_tasks.hpp"
#include "worker/agent/input_cache.hpp"
#include "worker/agent/reporter.hpp"
#include "worker/agent/watch.hpp"

namespace kaname::agent {
namespace {

namespace fs = std::filesystem;

v1::ClaimResponse pack_of_two() {
    v1::ClaimResponse pack;
    *pack.add_tasks() = task_of(1, v1::Item::SOLVE, "a");
    *pack.add_tasks() = task_of(2, v1::Item::SOLVE, "b");
    return pack;
}

TEST(HeldTasks, HeartbeatsTellWhatIsHeldAndHowFarItIs) {
    HeldTasks held;
    const v1::ClaimResponse pack = pack_of_two();
    held.add(pack);
    held.set_progress({pack.tasks(0)}, 0.5, 3.0, "step 2/4");
    held.drop(2);

    v1::HeartbeatRequest beat;
    held.describe(beat);

    ASSERT_EQ(beat.held_size(), 1);
    ASSERT_EQ(beat.progress_size(), 1);
    EXPECT_EQ(beat.progress(0).content_key(), "key of a");
    EXPECT_EQ(beat.progress(0).fraction(), 0.5);
    EXPECT_EQ(held.refs().size(), 1U);
    EXPECT_FALSE(held.all_dropped({pack.tasks(0), pack.tasks(1)}));
    held.drop_all();
    EXPECT_TRUE(held.all_dropped({pack.tasks(0), pack.tasks(1)}));
}

TEST(HeldTasks, WhatIsNotHeldCountsAsDropped) {
    EXPECT_TRUE(HeldTasks().dropped(7));
}

TEST(HangWatch, SilenceBeyondThePatienceIsAHang) {
    HangWatch patient(std::chrono::seconds(600));
    EXPECT_NO_THROW(patient.check());

    HangWatch impatient(std::chrono::seconds(0));
    try {
        while (true) {
            impatient.check();
        }
    } catch (const Broken& broken) {
        EXPECT_EQ(broken.error_class, "hung");
    }
}

class CacheTest : public testing::Test {
protected:
    TemporaryFolder folder_;
    FakeClient client_;
    InputCache cache_{folder_.path() / "cache", 1000, client_};
};

TEST_F(CacheTest, AFileIsFetchedOnce) {
    const std::string hash = client_.add_file("slab");

    EXPECT_EQ(read_file_if_any(cache_.get(hash)), "slab");
    EXPECT_EQ(read_file_if_any(cache_.get(hash)), "slab");

    EXPECT_EQ(client_.n_fetches, 1);
}

TEST_F(CacheTest, APartIsContinuedAndADamagedOneFetchedAnew) {
    const std::string hash = client_.add_file("slab geometry");
    write_file(folder_.path() / "cache" / (hash + ".part"), "slab");
    EXPECT_EQ(read_file_if_any(cache_.get(hash)), "slab geometry");
    EXPECT_EQ(client_.n_fetches, 1);

    const std::string other = client_.add_file("other geometry");
    write_file(folder_.path() / "cache" / (other + ".part"), "OTHER");
    EXPECT_EQ(read_file_if_any(cache_.get(other)), "other geometry");
    EXPECT_EQ(client_.n_fetches, 3);
}

TEST_F(CacheTest, BytesOfAnotherHashAreRefused) {
    const std::string hash = client_.add_file("slab");
    client_.files[hash] = "Slab";

    try {
        (void)cache_.get(hash);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::DataLoss);
    }
}

TEST_F(CacheTest, TheLeastRecentlyUsedGoFirst) {
    const std::string old = client_.add_file(std::string(600, 'o'));
    const std::string used = client_.add_file(std::string(300, 'u'));
    const std::string fresh = client_.add_file(std::string(300, 'f'));
    const auto back = [&](const std::string& hash, int hours) {
        fs::last_write_time(cache_.path_of(hash),
                            fs::file_time_type::clock::now() - std::chrono::hours(hours));
    };
    for (const std::string& hash : {old, used, fresh}) {
        (void)cache_.get(hash);
        back(hash, 3);
    }
    (void)cache_.get(used);

    cache_.trim();

    EXPECT_TRUE(fs::exists(cache_.path_of(used)));
    EXPECT_EQ(fs::exists(cache_.path_of(old)) + fs::exists(cache_.path_of(fresh)), 1);
}

class ReporterTest : public CacheTest {
protected:
    ReporterTest() { held_.add(pack_of_two()); }
    Finished finished(const v1::TaskRef& ref, const std::string& text) {
        const fs::path file = folder_.path() / ("result" + std::to_string(ref.task_id()));
        write_file(file, text);
        return {ref, file, false};
    }

    HeldTasks held_;
    Reporter reporter_{client_, cache_, held_, [] { return std::string("me"); },
                       [](const std::string&) {}};
};

TEST_F(ReporterTest, AServerThatIsAwayIsToldWhenItIsBack) {
    client_.n_refusals = 2;

    reporter_.complete({finished(held_.refs()[0], "displacement")});
    reporter_.flush();

    ASSERT_EQ(client_.completed.size(), 1U);
    EXPECT_EQ(client_.completed[0].sha256(), sha256_hex("displacement"));
    EXPECT_EQ(client_.completed[0].ref().fence(), 1);
    EXPECT_EQ(client_.files.at(sha256_hex("displacement")), "displacement");
    EXPECT_EQ(held_.refs().size(), 1U);
}

TEST_F(ReporterTest, DroppedTasksAreNotReported) {
    const v1::TaskRef ref = held_.refs()[0];
    held_.drop(ref.task_id());

    reporter_.complete({finished(ref, "unwanted")});
    reporter_.flush();

    EXPECT_TRUE(client_.completed.empty());
    EXPECT_EQ(held_.refs().size(), 1U);
}

TEST_F(ReporterTest, FailuresAreToldAndNoLongerHeld) {
    reporter_.fail(held_.refs()[0], "NotConverged", "too slow", FailureKind::Final);

    ASSERT_EQ(client_.failed.size(), 1U);
    EXPECT_EQ(client_.failed[0].error_class(), "NotConverged");
    EXPECT_FALSE(client_.failed[0].retryable());
    EXPECT_FALSE(client_.failed[0].crashed());
    EXPECT_EQ(held_.refs().size(), 1U);
}

}  // namespace
}  // namespace kaname::agent
