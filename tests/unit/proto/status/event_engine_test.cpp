// SPDX-License-Identifier: BSD-3-Clause
// The engine that programs which stay give to gRPC: closures run in their time, and its threads
// sleep until one is due.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <grpc/event_engine/event_engine.h>
#include <grpcpp/version_info.h>
#include <gtest/gtest.h>

#include "proto/status/channel.hpp"

namespace kaname::rpc::event_engine_test {
namespace {

using grpc_event_engine::experimental::CreateEventEngine;
using grpc_event_engine::experimental::EventEngine;
using namespace std::chrono_literals;

std::set<std::string> threads_of_this_process() {
    std::set<std::string> found;
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
        found.insert(thread.path().filename());
    }
    return found;
}

/// How often these threads have slept.
int sleeps_of(const std::set<std::string>& threads) {
    constexpr const char* kKey = "voluntary_ctxt_switches:";
    int n = 0;
    for (const std::string& thread : threads) {
        std::ifstream status("/proc/self/task/" + thread + "/status");
        for (std::string line; std::getline(status, line);) {
            if (line.starts_with(kKey)) {
                n += std::stoi(line.substr(std::string(kKey).size()));
            }
        }
    }
    return n;
}

class SleepingEngineTest : public testing::Test {
protected:
    void SetUp() override {
        if (GRPC_CPP_VERSION_MAJOR != 1 || GRPC_CPP_VERSION_MINOR != 51) {
            GTEST_SKIP() << "the engine is for gRPC 1.51";
        }
        sleep_until_due();
        const std::set<std::string> before = threads_of_this_process();
        engine_ = CreateEventEngine();
        for (const std::string& thread : threads_of_this_process()) {
            if (!before.contains(thread)) {
                threads_.insert(thread);
            }
        }
    }

    /// Returns a closure that notes a name, in the order in which they run.
    auto noting(const std::string& name) {
        return [this, name] {
            const std::lock_guard lock(mutex_);
            ran_.push_back(name);
            changed_.notify_all();
        };
    }
    /// Returns what has run once there are `n`, or after ten seconds.
    std::vector<std::string> wait_for(std::size_t n) {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, 10s, [&] { return ran_.size() >= n; });
        return ran_;
    }

    std::unique_ptr<EventEngine> engine_;
    std::set<std::string> threads_;

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::string> ran_;
};

TEST_F(SleepingEngineTest, ClosuresRunInTheOrderOfTheirTimes) {
    const auto begun = std::chrono::steady_clock::now();
    (void)engine_->RunAfter(200ms, noting("last"));
    (void)engine_->RunAfter(100ms, noting("second"));
    engine_->Run(noting("first"));

    EXPECT_EQ(wait_for(3), (std::vector<std::string>{"first", "second", "last"}));
    EXPECT_GE(std::chrono::steady_clock::now() - begun, 200ms);
}

TEST_F(SleepingEngineTest, OneThatTakesLongDelaysNoOther) {
    std::promise<void> may_end;
    engine_->Run([&, end = may_end.get_future().share()] {
        end.wait();
        noting("long")();
    });
    (void)engine_->RunAfter(20ms, noting("other"));
    (void)engine_->RunAfter(30ms, noting("and another"));

    EXPECT_EQ(wait_for(2), (std::vector<std::string>{"other", "and another"}));
    may_end.set_value();
    EXPECT_EQ(wait_for(3).back(), "long");
}

TEST_F(SleepingEngineTest, OneThatIsCancelledIsNotRun) {
    const EventEngine::TaskHandle far = engine_->RunAfter(1h, noting("cancelled"));
    const EventEngine::TaskHandle near = engine_->RunAfter(0s, noting("run"));

    EXPECT_TRUE(engine_->Cancel(far));
    EXPECT_FALSE(engine_->Cancel(far)) << "it is gone";
    EXPECT_EQ(wait_for(1), std::vector<std::string>{"run"});
    EXPECT_FALSE(engine_->Cancel(near)) << "it has run";
}

TEST_F(SleepingEngineTest, ItsThreadsSleepWhileNothingIsDue) {
    const EventEngine::TaskHandle far = engine_->RunAfter(1h, noting("far"));
    std::this_thread::sleep_for(100ms);  // they come to rest
    ASSERT_FALSE(threads_.empty());

    const int before = sleeps_of(threads_);
    std::this_thread::sleep_for(1500ms);  // the library's own engine wakes every second

    EXPECT_EQ(sleeps_of(threads_), before);
    EXPECT_TRUE(engine_->Cancel(far));
}

}  // namespace
}  // namespace kaname::rpc::event_engine_test
