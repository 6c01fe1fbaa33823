// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "worker/agent/lease/lease.hpp"
#include "worker/agent/lease/reporter.hpp"
#include "worker/agent/stages/holder.hpp"

namespace kaname::agent {

/// The parts of a lease that hold tasks.
struct LeaseParts {
    Lease& lease;
    WorkersClient& client;
    InputCache& cache;
    Reporter& reporter;
    const std::atomic<bool>& stop;
    const std::function<void(const std::string&)>& log;
};

/// Holds the tasks of one claim for their stage.
class PackHolder final : public Holder {
public:
    PackHolder(const v1::ClaimResponse& claimed, LeaseParts parts)
        : tasks_(claimed.tasks().begin(), claimed.tasks().end()), parts_(parts) {}

    /// Asks again while the server is away and the tasks are held.
    std::filesystem::path fetch(const std::string& label, const std::string& sha256) override;
    [[nodiscard]] std::filesystem::path files() const override { return parts_.cache.folder(); }
    void set_progress(double fraction, double eta_s, const std::string& text) override;
    void put_log(const std::string& piece) override;
    void put_checkpoint(const std::filesystem::path& file, int step) override;
    void say(const std::string& line) override { parts_.log(line); }
    [[nodiscard]] bool stopping() const override { return parts_.stop; }
    [[nodiscard]] bool wanted() const override { return !parts_.lease.held().all_dropped(tasks_); }

private:
    std::vector<v1::Task> tasks_;
    LeaseParts parts_;
};

}  // namespace kaname::agent
