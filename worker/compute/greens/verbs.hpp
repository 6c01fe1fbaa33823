// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "solvers/comm/comm.hpp"
#include "solvers/jobs/spec/stage.hpp"
#include "worker/compute/reporter.hpp"
#include "worker/compute/speed_book.hpp"

namespace kaname::compute {

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

/// One solve of a pack: its progress, and what became of its checkpoint.
void report_solve(const jobs::SolveProgress& progress, Reporter& reporter);

/// The verbs: each calls its stage, reports progress and one result, and returns the exit code of
/// worker/run/exit_code.hpp. What ends a verb early is thrown.

/// Throws ValidationError when the job breaks a rule that needs geometry, memory or time.
int preflight(const jobs::Stages& stages, const jobs::GreensJob& job, SpeedBook& book,
              Reporter& reporter);
int mesh(const jobs::Stages& stages, const jobs::GreensJob& job, const Paths& paths,
         SpeedBook& book, Reporter& reporter);
/// Collective; reports on rank 0. kExitSomeFailed when a source failed.
int solve(const jobs::Stages& stages, const jobs::GreensJob& job, const Paths& paths,
          comm::Comm& comm, SpeedBook& book, Reporter& reporter);
/// kExitSomeFailed when a source failed or is missing; the dataset is written all the same.
int package(const jobs::Stages& stages, const jobs::GreensJob& job, const Paths& paths,
            SpeedBook& book, Reporter& reporter);

}  // namespace kaname::compute
