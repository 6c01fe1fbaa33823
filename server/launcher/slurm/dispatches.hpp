// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "server/launcher/launcher.hpp"
#include "server/launcher/slurm/pool.hpp"
#include "server/launcher/slurm/slurm.hpp"
#include "server/store/store.hpp"

namespace kaname::launcher {

struct DispatchesOptions {
    SlurmSite site;
    std::string place;            ///< of this server: host and state folder
    std::filesystem::path marks;  ///< folder of empty files, named as the jobs that live
    /// A token of the worker with this name, good for one live worker at a time; and its end. Both
    /// may throw Unavailable.
    std::function<std::string(const std::string& name)> make_token;
    std::function<void(const std::string& name)> end_token;
    std::function<void(const std::string&)> log;  ///< one line each
    std::function<double()> clock;                ///< monotonic seconds
};

/// The batch jobs that this server sent, of all its pools. Each has a row in the store before it is
/// submitted, and that row's id in its name. What became of them is asked once for all, and
/// believed in this order: a worker's heartbeat, squeue, sacct, the exit code that the job's script
/// left. What none of them tells is unknown, not ended. Nothing is kept in memory that the store
/// does not have but how long a job has been missing. Safe from any thread.
class Dispatches {
public:
    /// `store` outlives it. Throws Unavailable when the site's folder cannot be made.
    Dispatches(store::Store& store, DispatchesOptions options);

    /// Throws Unavailable with what sbatch said. Where it may have taken the job all the same, the
    /// dispatch stays and counts until squeue has told.
    void submit(const SlurmPool& pool);
    /// Looks again at all jobs when the interval is over; counts those of a pool that have not
    /// ended. A job whose worker has left does not count.
    [[nodiscard]] int alive(const std::string& pool);
    /// Counts the jobs of alive() that wait in the queue.
    [[nodiscard]] int waiting(const std::string& pool);
    /// Takes up to `n` waiting jobs from the queue, the newest first.
    void withdraw(const std::string& pool, int n);
    /// Has the workers of a pool, or of all when it is empty, leave, and ends what is left after
    /// `grace_s`.
    void cancel_all(const std::string& pool, double grace_s);

    [[nodiscard]] static std::string job_name(const std::string& dispatch_id);
    [[nodiscard]] static std::string agent_name(const std::string& pool,
                                                const std::string& dispatch_id);
    /// Returns the text with which agent names of a pool begin.
    [[nodiscard]] static std::string agent_prefix(const std::string& pool);
    /// For the program that stops what a dead server left: cancels the jobs whose marks lie in the
    /// folder; how many there were.
    static int cancel_marked_in(const std::filesystem::path& folder, double command_s);

private:
    struct Seen;
    void refresh(bool now);
    void look_at(store::Dispatch dispatch, Seen& seen);
    void note(store::Dispatch& dispatch, store::DispatchState state, const std::string& reason);
    void end(store::Dispatch& dispatch, const std::string& reason,
             std::optional<int> exit_code = {});
    /// `reason` with the exit code and the last line of its log, where it did not end well.
    [[nodiscard]] std::string with_its_words(const store::Dispatch& dispatch,
                                             const std::string& reason,
                                             std::optional<int> exit_code) const;
    void cancel_late(const std::vector<SlurmJob>& jobs);
    [[nodiscard]] std::filesystem::path mark_of(const store::Dispatch& dispatch) const;
    [[nodiscard]] std::filesystem::path file_of(const store::Dispatch& dispatch,
                                                const char* ending) const;

    store::Store& store_;
    DispatchesOptions options_;
    Slurm slurm_;
    mutable std::mutex mutex_;
    std::vector<store::Dispatch> live_;  ///< as of the last look or submission
    std::set<std::string> left_;         ///< those of them whose worker took its leave
    std::optional<double> last_look_s_;
    std::string last_trouble_;
    struct Missing {
        double since_s = 0;
        int looks = 0;
    };
    std::map<std::string, Missing> missing_;  ///< of answered looks
};

/// Workers of one pool as batch jobs. stop_all has them leave; who only stops the server does not
/// call it: jobs outlive a server as agents do.
class SlurmLauncher final : public Launcher {
public:
    /// `dispatches` outlives it. Throws ValidationError for a pool that breaks a rule.
    SlurmLauncher(Dispatches& dispatches, SlurmPool pool)
        : dispatches_(dispatches), pool_(std::move(pool)) {
        if (auto broken = check_pool(pool_, "pool"); !broken.empty()) {
            throw ValidationError(std::move(broken));
        }
    }

    void start() override { dispatches_.submit(pool_); }
    [[nodiscard]] int alive() override { return dispatches_.alive(pool_.name); }
    [[nodiscard]] int waiting() override { return dispatches_.waiting(pool_.name); }
    void withdraw(int n) override { dispatches_.withdraw(pool_.name, n); }
    void stop_all(std::chrono::seconds grace) override {
        dispatches_.cancel_all(pool_.name, static_cast<double>(grace.count()));
    }

    [[nodiscard]] const SlurmPool& pool() const { return pool_; }

private:
    Dispatches& dispatches_;
    SlurmPool pool_;
};

}  // namespace kaname::launcher
