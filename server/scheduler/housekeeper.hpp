// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "server/launcher/launcher.hpp"
#include "server/scheduler/backlog.hpp"
#include "server/scheduler/clock.hpp"
#include "server/scheduler/reap_guard.hpp"
#include "server/store/store.hpp"

namespace kaname::scheduler {

struct HousekeeperOptions {
    double lease_s = 30;  ///< as in store::StoreOptions
    double reap_every_s = 5;
    double look_every_s = 1;  ///< time between looks for work that waits for an agent
    BacklogOptions backlog;
    /// Workers whose name begins so are the launcher's.
    std::string agent_prefix = "local-";
    /// The machine that the launcher starts agents on, and whether these use its GPUs.
    std::string host = {};
    bool uses_gpus = true;
    std::function<void(const std::string&)> log;  ///< one line each
    /// Removes the file of a checkpoint that nobody needs; empty: another server does.
    std::function<void(const std::string& sha256)> remove_checkpoint;
};

/// Takes tasks back from lost workers, removes checkpoints that nobody needs any more and starts
/// agents for waiting tasks. It decides when, the
/// store and the launcher do it. Failures are logged once and tried again at the next pass.
class Housekeeper {
public:
    /// `launcher` may be null: then only other machines' workers come. All outlive this.
    Housekeeper(store::Store& store, launcher::Launcher* launcher, HousekeeperOptions options,
                Clock clock = monotonic_s);
    ~Housekeeper();
    Housekeeper(const Housekeeper&) = delete;
    Housekeeper& operator=(const Housekeeper&) = delete;

    /// Begins to make passes in a thread of its own.
    void start();
    /// Ends them; no agent is started after this.
    void stop();

    /// One look at everything that is due.
    void pass();

private:
    void reap(double now_s);
    void tidy();
    void staff(double now_s);
    /// What an operator drains of the launcher's machine; empty: nothing.
    std::string drained();
    void log(const std::string& line) const;

    store::Store& store_;
    launcher::Launcher* launcher_;
    HousekeeperOptions options_;
    Clock clock_;
    ReapGuard guard_;
    Backlog backlog_;
    std::optional<double> last_reap_s_;
    std::string last_trouble_, last_drained_;

    std::mutex mutex_;
    std::condition_variable ending_;
    bool end_ = false;
    std::thread thread_;
};

}  // namespace kaname::scheduler
