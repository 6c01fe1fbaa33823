// SPDX-License-Identifier: BSD-3-Clause
// gRPC's thread of timers sleeps while none is due, and is there when one is.

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include <grpcpp/alarm.h>
#include <grpcpp/completion_queue.h>
#include <gtest/gtest.h>

#include "proto/status/channel.hpp"

namespace kaname::rpc::timers_test {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

/// How often threads of this process with these 15 letters as their name have slept.
int sleeps_of(const std::string& name) {
    int n = 0;
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream status(thread.path() / "status");
        bool is_it = false;
        for (std::string line; std::getline(status, line);) {
            is_it = is_it || line == "Name:\t" + name;
            if (is_it && line.starts_with("voluntary_ctxt_switches:")) {
                n += std::stoi(line.substr(line.find('\t')));
            }
        }
    }
    return n;
}

/// Seconds until an alarm rings that is set for `delay` from now.
double seconds_of_alarm(std::chrono::milliseconds delay) {
    grpc::CompletionQueue queue;
    grpc::Alarm alarm;
    const auto begun = Clock::now();
    alarm.Set(&queue, std::chrono::system_clock::now() + delay, nullptr);
    void* tag = nullptr;
    bool rang = false;
    EXPECT_TRUE(queue.Next(&tag, &rang) && rang);
    return std::chrono::duration<double>(Clock::now() - begun).count();
}

TEST(Timers, SleepUntilOneIsDue) {
    let_timers_sleep();
    // A channel, so that both sets of timers are there. Nobody listens.
    const auto channel = connect({.address = "unix:/nonexistent/kaname"});
    (void)channel->WaitForConnected(std::chrono::system_clock::now() + 50ms);
    (void)seconds_of_alarm(1ms);
    // Each second without this, and more often where their shards are out of step.
    const int before = sleeps_of("grpc_global_tim") + sleeps_of("timer_manager");
    std::this_thread::sleep_for(2500ms);
    EXPECT_LE(sleeps_of("grpc_global_tim") + sleeps_of("timer_manager") - before, 3);

    // It sleeps for seconds now, but for these.
    EXPECT_LT(seconds_of_alarm(1100ms), 1.1 + 1.5);
    EXPECT_LT(seconds_of_alarm(100ms), 0.1 + 1.5);
}

}  // namespace
}  // namespace kaname::rpc::timers_test
