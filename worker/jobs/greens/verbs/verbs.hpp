// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "proto/request/greens/load.hpp"
#include "proto/request/greens/plan.hpp"
#include "solvers/comm/comm.hpp"
#include "worker/jobs/frame/kind.hpp"
#include "worker/jobs/frame/serve_packs.hpp"
#include "worker/jobs/stage/greens_job.hpp"
#include "worker/jobs/stage/stage.hpp"

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

/// Times from counts and this machine's speed with `threads` threads in all, which is measured
/// where it is not known; corrected by what earlier stages took.
[[nodiscard]] Forecast forecast(const jobs::Stages& stages, const jobs::GreensJob& job,
                                const jobs::Preflight& found, int threads, CalibrationCache& book);

/// Notes what a stage has taken. Those predicted to be short say little, and where the speed is not
/// known nothing is compared with.
void note_time(const jobs::Stages& stages, const jobs::GreensJob& job, const jobs::JobSize& size,
               int threads, jobs::StageCost jobs::JobCosts::*stage, double seconds,
               CalibrationCache& book);

/// Where a verb finds and leaves its files.
struct Paths {
    std::string mesh = {};           ///< HDF5 mesh: written by mesh, read by solve and package
    std::string work = {};           ///< folder of the per-source results
    std::string dataset = {};        ///< HDF5 dataset that package writes
    jobs::SourceFiles sources = {};  ///< results for package, where there is no work
    bool only = false;               ///< package leaves out the job's other sources
};

/// "pack 1/2, step 12/50, 9 iterations, residual 1.0e-09"
[[nodiscard]] std::string text_of(const jobs::SolveProgress& progress);

/// The verbs: each calls its stage, reports progress and one result, and returns the exit code of
/// worker/run/exit_code.hpp. What ends a verb early is thrown.

/// Throws ValidationError when the job breaks a rule that needs geometry, memory or time.
int preflight(const jobs::Stages& stages, const jobs::GreensJob& job, CalibrationCache& book,
              Reporter& reporter);
int mesh(const jobs::Stages& stages, const jobs::GreensJob& job, const Paths& paths,
         CalibrationCache& book, Reporter& reporter);
/// How the packs of a job are solved. All that it is given must live as long as the solve.
[[nodiscard]] PackSolve pack_solve(const jobs::Stages& stages, const jobs::GreensJob& job,
                                   const Paths& paths, comm::Comm& comm, CalibrationCache& book,
                                   Reporter& reporter);
/// kExitSomeFailed when a source failed or is missing; the dataset is written all the same.
int package(const jobs::Stages& stages, const jobs::GreensJob& job, const Paths& paths,
            CalibrationCache& book, Reporter& reporter);

/// The request in the JSON at `path`. A File of it that has a sha256 is read at
/// `files`/<sha256>; with `files` empty, and without a sha256, its path holds.
/// Throws as request::load_batch_json, InvalidArgument for a sha256 that is none.
[[nodiscard]] request::LoadedBatch load_stored_batch(const std::string& path,
                                                     const std::string& files);

/// The events of a scenario whose defaults are filled.
[[nodiscard]] jobs::Scenario scenario_of(const v1::GreensBatch& batch, const request::Plan& plan);

/// The job that a request asks for; `specification_json` is its canonical text.
///
/// Velocities become moduli: mu = rho vs^2, lambda = rho (vp^2 - 2 vs^2).
/// Throws InvalidArgument where the message is not self-consistent (a layer of an unknown material,
/// a fault without geometry, an unknown slip component).
[[nodiscard]] jobs::GreensJob job_from_request(const request::LoadedBatch& loaded,
                                               std::string specification_json);

/// Green's functions and scenarios: preflight, mesh, solve, package.
[[nodiscard]] const Kind& greens_kind();

}  // namespace kaname::compute
