// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "solvers/jobs/spec/stage.hpp"
#include "worker/compute/reporter.hpp"

namespace kaname::compute {

/// Returns lines for the log that describe how a solve is done, without line ends.
[[nodiscard]] std::vector<std::string> solve_facts(const jobs::GreensJob& job,
                                                   const jobs::SolveSession& session, int ranks,
                                                   int threads);

/// Tells people about one pack: a line per step, of a pack with more than kMaxLines steps a line
/// per few of them, and at the end one line per source.
class SolveLog {
public:
    static constexpr int kMaxLines = 100;

    explicit SolveLog(Reporter& reporter) : reporter_(reporter) {}

    /// A pack begins. `facts` are told again: every pack has a log of its own.
    void begin(const std::vector<std::string>& source_ids, const std::vector<std::string>& facts);
    void step(const jobs::SolveProgress& progress);
    /// `peak_bytes`: memory of all ranks.
    void end(const jobs::PackOutcome& outcome, double peak_bytes, int ranks);

private:
    /// Solves of one source so far.
    struct Tally {
        int solves = 0, most = 0, most_at = 0;
        long long iterations = 0;
        double worst_residual = 0.0;
    };
    /// Steps that share a line.
    struct Group {
        int steps = 0, first = 0, last = 0, of = 0, least = 0, most = 0;
        double initial_residual = 0.0, residual = 0.0;
        std::string source = {};  ///< the source where all of them are of one alone
    };
    void flush();
    [[nodiscard]] std::string tally_text(std::size_t source) const;

    Reporter& reporter_;
    std::vector<std::string> ids_;
    std::vector<Tally> tallies_;
    Group group_;
    std::chrono::steady_clock::time_point start_{};
};

}  // namespace kaname::compute
