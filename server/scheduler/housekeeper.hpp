// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "server/launcher/launcher.hpp"
#include "server/scheduler/worker_pool.hpp"
#include "server/store/store.hpp"

namespace kaname::scheduler {

/// Decides whether silent workers may be declared lost now. Before that a whole lease must pass in
/// which they could reach the server. It begins at the server's start, after each time that it or
/// its database was out of reach, and after a jump of the store's clock, which dates heartbeats.
class ReapGuard {
public:
    explicit ReapGuard(double lease_s) : lease_s_(lease_s) {}

    /// Call at every pass with both clocks.
    [[nodiscard]] bool may_reap(double store_s, double monotonic_s);
    /// At the last pass a lease began: the clocks were not compared before it.
    [[nodiscard]] bool began() const { return began_; }
    /// The store did not answer, or claims were closed: the lease begins anew at the next pass.
    void interrupted() { since_s_.reset(); }

    /// Largest difference between the clocks' advances from one pass to the next.
    static constexpr double kLargestJump_s = 2;

private:
    double lease_s_;
    std::optional<double> since_s_;  ///< monotonic
    bool began_ = false;
    double last_store_s_ = 0, last_monotonic_s_ = 0;
};

struct HousekeeperOptions {
    double lease_s = 30;       ///< as in store::StoreOptions
    double reap_every_s = 5;   ///< a quarter of the lease where that is less
    double look_every_s = 1;   ///< time between looks for work that waits for an agent
    double quiet_look_s = 3;   ///< as long as is_quiet: for what other servers were asked
    double alone_look_s = 15;  ///< in its place where this server is `alone` and nothing is to do
    bool alone = false;        ///< whether no other server asks the database for anything
    std::function<bool()> is_quiet = {};  ///< whether nothing was asked for a while; empty: never
    WorkerPoolOptions local;              ///< of the launcher of this machine
    std::function<void(const std::string&)> log;  ///< one line each
    /// Called when more tasks are ready than at the look before; empty: nobody is told.
    std::function<void()> on_more_ready = {};
    /// Hears what silent workers lost; empty: nobody does.
    std::function<void(const store::ReapResult&)> on_reap = {};
    /// Removes the file of a checkpoint that nobody needs; empty: another server does.
    std::function<void(const std::string& sha256)> remove_checkpoint;
};

/// Takes tasks back from lost workers, removes checkpoints that nobody needs any more and starts
/// agents for waiting tasks, by as many launchers as there are. It decides when, the store and the
/// launchers do it. Failures are logged once and tried again at the next pass.
class Housekeeper {
public:
    /// `launcher` may be null: then only other machines' workers come. All outlive this.
    Housekeeper(store::Store& store, launcher::Launcher* launcher, HousekeeperOptions options,
                Clock clock = monotonic_s);
    ~Housekeeper();
    Housekeeper(const Housekeeper&) = delete;
    Housekeeper& operator=(const Housekeeper&) = delete;

    /// Another launcher, before start(); pools that were added earlier come first with tasks that
    /// both serve. Its commands may take long: reaping does not wait for them.
    void add_worker_pool(launcher::Launcher& launcher, WorkerPoolOptions options);

    /// Begins to make passes in threads of its own.
    void start();
    /// Something was asked: looks are no longer rare.
    void wake();
    /// Ends them; no agent is started after this.
    void stop();

    /// One look at everything that is due.
    void pass();

private:
    void count();
    void reap(double now_s);
    void tidy();
    void look_after();
    /// Staffs the pools from `first` on, before `end`.
    void staff(std::size_t first, std::size_t end);
    void repeat(const std::function<void()>& once);
    /// Runs it; what it throws is logged when it is new. False when it threw.
    bool attempt(std::string& last_trouble, const std::function<void()>& duty);
    [[nodiscard]] bool quiet() const;
    void log(const std::string& line) const;

    store::Store& store_;
    HousekeeperOptions options_;
    Clock clock_;
    ReapGuard guard_;
    std::vector<std::unique_ptr<WorkerPool>>
        worker_pools_;  ///< first the local one, where there is one
    std::size_t n_local_ = 0;
    std::optional<double> last_reap_s_;
    std::string last_trouble_, last_trouble_of_counts_, last_trouble_of_local_,
        last_trouble_of_others_;
    std::int64_t n_ready_ = 0;            ///< at the last look
    std::atomic<bool> is_idle_ = false;   ///< nothing was asked for a while, and no task is to run
    std::atomic<bool> was_away_ = false;  ///< the store, for somebody

    std::mutex mutex_;
    std::condition_variable ending_, woken_;
    bool end_ = false;
    std::uint64_t n_wakes_ = 0;
    std::vector<std::thread> threads_;
};

}  // namespace kaname::scheduler
