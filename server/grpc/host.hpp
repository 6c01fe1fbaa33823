// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>

#include "server/grpc/parking.hpp"
#include "server/grpc/thread_pool.hpp"
#include "server/service/context.hpp"

namespace kaname::rpc {

/// Holds the threads that run the calls of the callback API. Calls that keep work alive have
/// threads of their own, so that no other call, however slow, delays them
/// (docs/decisions/0068-calls-that-wait-hold-no-thread.md).
struct Host {
    explicit Host(service::Context& with) : context(with), parking(with.wakeups) { end_stalled(); }

    service::Context& context;
    std::atomic<int> n_streams = 0;  ///< open ones, for tests and metrics

    /// Ends calls that stand still, now and every second.
    void end_stalled() {
        context.limits.end_stalled(context.options.longest_stall);
        parking.after(std::chrono::seconds(parking.quiet_for() < kQuiet ? 1 : 5),
                      [this] { end_stalled(); });
    }

    /// Without a change for that long, what looks by itself looks less often.
    static constexpr std::chrono::seconds kQuiet{60};
    static constexpr std::size_t kLongestQueue = 8192;
    static constexpr std::chrono::seconds kLongestWait{30};  ///< of a call with one answer
    ThreadPool heartbeats{3, kLongestQueue};                 ///< register, leave, heartbeat
    /// Runs reports of tasks; those that wait together are one transaction (store::GroupCommit).
    ThreadPool reports{8, kLongestQueue};
    ThreadPool claims{8, kLongestQueue};   ///< each waits for the disk, all at once
    ThreadPool inputs{3, kLongestQueue};   ///< files for workers
    ThreadPool watches{3, kLongestQueue};  ///< watches and logs
    ThreadPool results{3, kLongestQueue};  ///< streams of results: their helper takes its time
    ThreadPool files{3, kLongestQueue};    ///< downloads
    ThreadPool slices{3, kLongestQueue};   ///< blocks of datasets: one helper each
    Parking parking;                       ///< last: what it resumes goes to the others
};

}  // namespace kaname::rpc
