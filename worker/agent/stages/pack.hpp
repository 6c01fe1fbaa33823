// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "proto/kaname/v1/workers_service.pb.h"

namespace kaname::agent {

/// Whoever holds the tasks of a stage, as the stage sees it: all that it knows of a server.
class Holder {
public:
    virtual ~Holder() = default;

    /// The file of this hash; it stays while the tasks run. `label` names it for people.
    /// Throws InputMissing, and Stopped or TasksWithdrawn while it waits.
    virtual std::filesystem::path fetch(const std::string& label, const std::string& sha256) = 0;
    /// Folder where what was fetched lies by its hash.
    [[nodiscard]] virtual std::filesystem::path files() const = 0;

    virtual void set_progress(double fraction, double eta_s, const std::string& text) = 0;
    /// Takes a piece of the tasks' log. Throws Unavailable when that may be tried again.
    virtual void put_log(const std::string& piece) = 0;
    /// Takes what the next attempt of the tasks can go on from; the file is the holder's to remove.
    virtual void put_checkpoint(const std::filesystem::path& file, int step) = 0;
    /// Tells whoever looks after the agent.
    virtual void say(const std::string& line) = 0;

    /// The agent is to end.
    [[nodiscard]] virtual bool stopping() const = 0;
    /// False once none of the tasks is wanted, or the holder's.
    [[nodiscard]] virtual bool wanted() const = 0;
};

/// The log of one attempt at the tasks of a claim, passed on in pieces while they run.
class AttemptLog {
public:
    /// Begins with lines that name the attempt; `worker` is who makes it.
    AttemptLog(const v1::ClaimResponse& claimed, const std::string& worker, Holder& holder);

    /// A line of the program; beyond 4 MiB that were not passed on yet lines are left out, which a
    /// line says.
    void add(const std::string& line);
    /// Passes on what there is, at most once a second.
    void send();
    /// The last line, and all that is left. Before the server is told of the end: a log is read to
    /// its end and taken for complete then.
    void end(const std::string& how);

private:
    using Clock = std::chrono::steady_clock;
    void append(const std::string& line);
    void send_all(int attempts);

    Holder& holder_;
    std::string text_;             ///< not passed on yet
    std::int64_t n_left_out_ = 0;  ///< lines, since the last that was kept
    Clock::time_point begun_ = Clock::now(), sent_{};
};

/// The tasks of one claim at work.
struct Pack {
    const v1::ClaimResponse& claimed;
    Holder& holder;
    AttemptLog& log;
    std::filesystem::path folder = {};    ///< the pack's own
    std::vector<std::string> given = {};  ///< options of its verb: request, files, inputs
    std::vector<std::filesystem::path> readable = {};  ///< the files that these options name

    [[nodiscard]] const v1::Task& first() const { return claimed.tasks(0); }
};

/// StageOutcome describes the outcome of one task.
struct StageOutcome {
    v1::TaskRef ref;
    std::filesystem::path file = {};  ///< its result
    bool partial = false;             ///< the result lacks items that failed
    bool failed = false;
    std::string failure = {};  ///< why
};

/// Fetches what the claim names, and says so in `given` and `readable`.
void lay_inputs(Pack& pack);

}  // namespace kaname::agent
