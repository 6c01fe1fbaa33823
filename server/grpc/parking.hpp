// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "server/service/answers.hpp"
#include "server/service/wakeups.hpp"

namespace kaname::rpc {

/// Calls that wait, without a thread each: one thread sees to when they go on. Safe from any
/// thread.
class Parking {
public:
    using Clock = std::chrono::steady_clock;
    using Ticket = std::pair<Clock::time_point, std::uint64_t>;
    using Resume = std::function<void()>;

    /// `wakeups` outlives this.
    explicit Parking(service::Wakeups& wakeups);
    /// Whatever is still parked is dropped.
    ~Parking();
    Parking(const Parking&) = delete;
    Parking& operator=(const Parking&) = delete;

    /// `resume`, which is short and does not throw, is called once: after the pause's patience or
    /// soon after a change since what it has seen.
    Ticket park(service::Pause pause, Resume resume);
    /// Calls `resume` once after `delay`, whatever changes.
    Ticket after(std::chrono::milliseconds delay, Resume resume);
    /// True when it was still there and now is not; it is not called then.
    bool take_back(const Ticket& ticket);
    /// `also`, which is short, is called after each change; empty: none any more, when this
    /// returns.
    void when_changed(std::function<void()> also);
    /// Since when nothing has changed through this server.
    [[nodiscard]] Clock::duration quiet_for() const {
        return Clock::now() - Clock::time_point(Clock::duration(last_change_.load()));
    }
    /// Calls all of them now.
    void resume_all();

private:
    struct Entry {
        bool heeds_changes = false;
        std::uint64_t seen = 0;
        Resume resume;
    };
    Ticket add(Clock::time_point due, Entry entry);
    void run();

    service::Wakeups& wakeups_;
    std::mutex mutex_, telling_;
    std::condition_variable woken_;
    std::function<void()> also_;
    std::atomic<Clock::rep> last_change_ = Clock::now().time_since_epoch().count();
    std::map<Ticket, Entry> parked_;
    std::uint64_t n_parked_ = 0;
    bool changed_ = false, ends_ = false;
    std::thread thread_;  ///< last: it uses the others
};

}  // namespace kaname::rpc
