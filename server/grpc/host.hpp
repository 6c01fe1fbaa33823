// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "server/service/context.hpp"
#include "server/service/stream/calls.hpp"
#include "server/service/workers/ready_board.hpp"

namespace kaname::rpc {

/// A fixed number of threads that do short pieces of work. Those for whom it is done take turns,
/// and nobody has all threads: one is left to others. Work of nobody ("") is in turn as one of
/// them, on any number of threads. Of each the pieces are done in the order in which they came.
/// Destruction does what is queued first.
class ThreadPool {
public:
    ThreadPool(int threads, std::size_t longest_queue);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    /// False when the queue is full; nothing is queued then. `work` does not throw.
    [[nodiscard]] bool try_submit(std::function<void()> work, const std::string& whose = {});
    /// For what was admitted before and is bounded by that. In work of this pool it is the last
    /// that is done: this thread goes on with it, and no other is woken.
    void submit(std::function<void()> work, const std::string& whose = {});

private:
    struct OwnerQueue {
        std::deque<std::function<void()>> queue;
        int running = 0;
    };
    void push(std::function<void()> work, const std::string& whose);
    /// The place in turns_ of who is next; its end: nobody may have a thread.
    std::deque<std::string>::iterator next();
    void run();

    const std::size_t longest_queue_;
    const int most_of_one_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, OwnerQueue> queues_;
    std::deque<std::string> turns_;  ///< those with queued work, each once
    std::size_t n_queued_ = 0;
    bool ends_ = false;
    std::vector<std::thread> threads_;
};

/// Calls that wait, without a thread each: one thread sees to when they go on. Safe from any
/// thread.
class TimerQueue {
public:
    using Clock = std::chrono::steady_clock;
    using Ticket = std::pair<Clock::time_point, std::uint64_t>;
    using Resume = std::function<void()>;

    /// `wakeups` outlives this.
    explicit TimerQueue(service::ChangeNotifier& wakeups);
    /// Whatever is still parked is dropped.
    ~TimerQueue();
    TimerQueue(const TimerQueue&) = delete;
    TimerQueue& operator=(const TimerQueue&) = delete;

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

    service::ChangeNotifier& wakeups_;
    std::mutex mutex_, telling_;
    std::condition_variable woken_;
    std::function<void()> also_;
    std::atomic<Clock::rep> last_change_ = Clock::now().time_since_epoch().count();
    std::map<Ticket, Entry> parked_;
    std::uint64_t n_parked_ = 0;
    bool changed_ = false, ends_ = false;
    std::thread thread_;  ///< last: it uses the others
};

/// Holds the threads that run the calls of the callback API. Calls that keep work alive have
/// threads of their own, so that no other call, however slow, delays them
/// (docs/decisions/0068-calls-that-wait-hold-no-thread.md).
struct Host {
    explicit Host(service::Context& with) : context(with), timers(with.wakeups) { end_stalled(); }

    service::Context& context;
    std::atomic<int> n_streams = 0;  ///< open ones, for tests and metrics

    /// Ends calls that stand still, now and every second.
    void end_stalled() {
        context.limits.end_stalled(context.options.longest_stall);
        timers.after(std::chrono::seconds(timers.quiet_for() < kQuiet ? 1 : 5),
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
    TimerQueue timers;                     ///< last: what it resumes goes to the others
};

}  // namespace kaname::rpc
