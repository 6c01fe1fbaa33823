// SPDX-License-Identifier: BSD-3-Clause
#include "worker/agent/lease/reporter.hpp"

#include <future>
#include <thread>

#include "solvers/base/text.hpp"
#include "tests/unit/worker/agent/lease/pack_of_two.hpp"

namespace kaname::agent::reporter_test {
namespace {

namespace fs = std::filesystem;

class ReporterTest : public CacheTest {
protected:
    ReporterTest() { held_.add(pack_of_two()); }
    Finished finished(const v1::TaskRef& ref, const std::string& text) {
        const fs::path file = folder_.path() / ("result" + std::to_string(ref.task_id()));
        write_file(file, text);
        return {ref, file, false};
    }

    [[nodiscard]] std::string log() {
        const std::lock_guard lock(log_mutex_);
        return log_;
    }

    HeldTasks held_;
    std::mutex log_mutex_;
    std::string log_;
    Reporter reporter_{client_,
                       cache_,
                       held_,
                       [] { return std::string("me"); },
                       [this](const std::string& line) {
                           const std::lock_guard lock(log_mutex_);
                           log_ += line + "\n";
                       },
                       std::chrono::milliseconds(300)};
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

TEST_F(ReporterTest, FailuresAreToldInValidTextCutBetweenCharacters) {
    const std::string broken = "bytes \xff\xfe of a program ";
    std::string tail;
    while (tail.size() < 17000) {
        tail += "\u5730\u9707";  // three bytes each: 16 KiB lie inside one
    }

    reporter_.fail(held_.refs()[0], "cra\xffshed", broken + tail, FailureKind::Crash);

    ASSERT_EQ(client_.failed.size(), 1U);
    const std::string& message = client_.failed[0].message();
    EXPECT_TRUE(is_utf8(message));
    EXPECT_EQ(message.find("bytes \uFFFD\uFFFD of a program \u5730"), 0U);
    EXPECT_GT(message.size(), (16U << 10U) - 3);
    EXPECT_LE(message.size(), 16U << 10U);
    EXPECT_EQ(client_.failed[0].error_class(), "cra\uFFFDshed");
}

TEST_F(ReporterTest, AFailureThatIsRefusedIsToldOnceMoreInAFewWords) {
    int n_refused = 0;
    client_.on_fail = [&](const v1::FailRequest& request) {
        if (request.message().size() > 200) {
            ++n_refused;
            throw Error(ErrorCode::InvalidArgument, "message: too long");
        }
    };

    reporter_.fail(held_.refs()[0], "crashed", std::string(300, 'x'), FailureKind::Crash);

    EXPECT_EQ(n_refused, 1);
    ASSERT_EQ(client_.failed.size(), 1U);
    EXPECT_EQ(client_.failed[0].error_class(), kReportRefused);
    EXPECT_TRUE(client_.failed[0].crashed());
    EXPECT_NE(log().find("message: too long"), std::string::npos);
    EXPECT_EQ(held_.refs().size(), 1U);
}

TEST_F(ReporterTest, AFailureThatIsRefusedTwiceIsInTheLogAndNotHeldForEver) {
    int n_calls = 0;
    client_.on_fail = [&](const v1::FailRequest&) {
        ++n_calls;
        throw Error(ErrorCode::Internal, "broken rule");
    };

    reporter_.fail(held_.refs()[0], "crashed", "x", FailureKind::Crash);

    EXPECT_EQ(n_calls, 2);
    EXPECT_NE(log().find("ERROR: task 1 ends without a report"), std::string::npos) << log();
    EXPECT_EQ(held_.refs().size(), 1U);
}

TEST_F(ReporterTest, ALostLeaseNeedsNoSecondReport) {
    int n_calls = 0;
    client_.on_fail = [&](const v1::FailRequest&) {
        ++n_calls;
        throw Error(ErrorCode::Aborted, "task 1 is not this worker's any more");
    };

    reporter_.fail(held_.refs()[0], "crashed", "x", FailureKind::Crash);

    EXPECT_EQ(n_calls, 1);
}

TEST_F(ReporterTest, ARefusedResultIsARetryableFailureWithTheServersReason) {
    client_.on_put = [](const std::string&) {
        throw Error(ErrorCode::InvalidArgument, "header.bytes: must be >= 0");
    };

    reporter_.complete({finished(held_.refs()[0], "displacement")});
    reporter_.flush();

    ASSERT_EQ(client_.failed.size(), 1U);
    EXPECT_EQ(client_.failed[0].error_class(), kReportRefused);
    EXPECT_EQ(client_.failed[0].message(),
              "the server refused the result: InvalidArgument: header.bytes: must be >= 0");
    EXPECT_TRUE(client_.failed[0].retryable());
    EXPECT_FALSE(client_.failed[0].crashed());
    EXPECT_TRUE(client_.completed.empty());
    EXPECT_EQ(held_.refs().size(), 1U);
}

TEST_F(ReporterTest, OneRefusedResultOfAPackDoesNotTakeTheOthersWithIt) {
    client_.on_put = [](const std::string& text) {
        if (text == "first") {
            throw Error(ErrorCode::InvalidArgument, "header.bytes: must be >= 0");
        }
    };

    reporter_.complete({finished(held_.refs()[0], "first"), finished(held_.refs()[1], "second")});
    reporter_.flush();

    ASSERT_EQ(client_.failed.size(), 1U);
    EXPECT_EQ(client_.failed[0].ref().task_id(), 1);
    ASSERT_EQ(client_.completed.size(), 1U);
    EXPECT_EQ(client_.completed[0].ref().task_id(), 2);
    EXPECT_EQ(client_.files.at(sha256_hex("second")), "second");
    EXPECT_TRUE(held_.empty());
}

class PacksTest : public ReporterTest {
protected:
    /// Reports three packs of one result each of `bytes` bytes, two of them while the first is
    /// uploaded: how many results each call told of.
    std::vector<int> calls_for_packs(std::size_t bytes) {
        std::vector<int> results_of_call;
        std::promise<void> rest_waits;
        client_.on_put = [&, first = true](const std::string&) mutable {
            if (std::exchange(first, false)) {
                rest_waits.get_future().wait();
            }
        };
        client_.on_complete = [&](const v1::CompleteRequest& request) {
            results_of_call.push_back(request.results_size());
        };
        for (std::int64_t id = 1; id <= 3; ++id) {
            v1::ClaimResponse pack;
            *pack.add_tasks() = task_of(id, "solve", std::to_string(id), true);
            held_.add(pack);
            reporter_.complete(
                {finished(pack.tasks(0).ref(), std::string(bytes, static_cast<char>('a' + id)))});
            if (id == 1) {  // until it is under way
                while (fs::exists(folder_.path() / "result1")) {
                    std::this_thread::yield();
                }
            }
        }
        rest_waits.set_value();
        reporter_.flush();
        EXPECT_EQ(client_.completed.size(), 3U);
        return results_of_call;
    }
};

TEST_F(PacksTest, SmallOnesThatWaitGoTogether) {
    EXPECT_EQ(calls_for_packs(100), (std::vector{1, 2}));
}

TEST_F(PacksTest, LargeOnesGoOneByOne) {
    EXPECT_EQ(calls_for_packs(3 << 20), (std::vector{1, 1, 1}));
}

TEST_F(ReporterTest, AResultOfAPackThatCannotBeReadFailsAlone) {
    reporter_.complete(
        {{held_.refs()[0], folder_.path() / "absent", false}, finished(held_.refs()[1], "second")});
    reporter_.flush();

    ASSERT_EQ(client_.failed.size(), 1U);
    EXPECT_EQ(client_.failed[0].error_class(), "lost");
    ASSERT_EQ(client_.completed.size(), 1U);
    EXPECT_EQ(client_.completed[0].sha256(), sha256_hex("second"));
}

TEST_F(ReporterTest, OneRefusedCompletionDoesNotTakeTheOthersWithIt) {
    client_.on_complete = [](const v1::CompleteRequest& request) {
        for (const auto& result : request.results()) {
            if (result.ref().task_id() == 1) {
                throw Error(ErrorCode::Internal, "the message cannot be parsed");
            }
        }
    };

    reporter_.complete({finished(held_.refs()[0], "first"), finished(held_.refs()[1], "second")});
    reporter_.flush();

    ASSERT_EQ(client_.failed.size(), 1U);
    EXPECT_EQ(client_.failed[0].ref().task_id(), 1);
    EXPECT_EQ(client_.failed[0].error_class(), kReportRefused);
    ASSERT_EQ(client_.completed.size(), 1U);
    EXPECT_EQ(client_.completed[0].ref().task_id(), 2);
    EXPECT_TRUE(held_.empty());
}

TEST_F(ReporterTest, AResultWaitsForRoomOnTheServerAndSaysSo) {
    int n_full = 1;
    std::string told;
    client_.on_put = [&](const std::string&) {
        v1::HeartbeatRequest beat;
        held_.describe(beat);
        if (n_full-- > 0) {
            throw Error(ErrorCode::Exhausted, "artifact store /srv is full");
        }
        told = beat.progress(0).text();
    };
    const v1::TaskRef ref = held_.refs()[0];

    reporter_.complete({finished(ref, "displacement")});
    reporter_.flush();

    EXPECT_EQ(told, "computed; waiting for room on the server: artifact store /srv is full");
    EXPECT_NE(log().find("waits for room on the server"), std::string::npos);
    EXPECT_EQ(client_.completed.size(), 1U);
    EXPECT_TRUE(client_.failed.empty());
}

TEST_F(ReporterTest, AStoreThatStaysFullFailsTheTask) {
    int n_puts = 0;
    client_.on_put = [&](const std::string&) {
        ++n_puts;
        throw Error(ErrorCode::Exhausted, "artifact store /srv is full");
    };

    reporter_.complete({finished(held_.refs()[0], "displacement")});
    reporter_.flush();

    EXPECT_GT(n_puts, 1);
    ASSERT_EQ(client_.failed.size(), 1U);
    EXPECT_EQ(client_.failed[0].error_class(), "Exhausted");
    EXPECT_TRUE(client_.failed[0].retryable());
    EXPECT_NE(client_.failed[0].message().find("/srv is full"), std::string::npos);
}

}  // namespace
}  // namespace kaname::agent::reporter_test
