// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "client/cli/commands.hpp"
#include "client/cli/local_run.hpp"
#include "proto/spec/form/request.hpp"

namespace kaname::cli {

/// Where and how a request is computed here, and what is kept.
struct LocalGraphOptions {
    std::filesystem::path output;  ///< folder of the dataset
    bool resume = false;           ///< goes on with what an interrupted run left there
    bool force = false, keep_work = false;
    LocalRunOptions run;
};

/// Computes the tasks of a request's graph: `mesh` where it has one, `solve` of all sources in the
/// work folder, then `package` of them; a mesh and sources that are there are used again, and a
/// checkpoint is gone on from.
/// Returns the exit code; throws what a verb reports, and OutputPlace's.
int run_local_graph(const spec::Request& request, const spec::Kind& kind,
                    const LocalGraphOptions& options, const Context& context);

}  // namespace kaname::cli
