// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "server/launcher/launcher.hpp"
#include "server/launcher/slurm/dispatches.hpp"

namespace kaname::launcher {

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
