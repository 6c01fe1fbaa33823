// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "client/cli/common/commands.hpp"
#include "client/cli/common/output_place.hpp"
#include "client/cli/common/preflight.hpp"
#include "client/cli/local/run_folder.hpp"
#include "proto/kaname/v1/dataset_report.pb.h"
#include "proto/kaname/v1/report.pb.h"
#include "proto/request/form/request.hpp"
#include "proto/request/greens/load.hpp"
#include "worker/run/compute_runner.hpp"

namespace kaname::cli {

struct LocalRunOptions {
    int ranks = 1;
    int threads = 1;              ///< per rank
    std::string device = "auto";  ///< device of the solve: auto, cpu, cuda
    std::function<void(const run::Progress&)> on_progress;
};

/// LocalRunResult holds the reports of the verbs.
struct LocalRunResult {
    bool mesh_reused = false;
    v1::SolveReport solve;
    v1::PackageReport package;
    v1::DatasetReport dataset;            ///< what `kaname show` says about the dataset
    std::vector<std::string> xdmf_files;  ///< beside a dataset with fields
};

/// Returns the results in that output folder that run_local would use again.
[[nodiscard]] Reusable reusable_in(const std::filesystem::path& output,
                                   const request::LoadedSpec& spec,
                                   const run::ComputeRunner& compute);

/// Runs mesh, solve and package on this machine. Everything is made in the work folder; the
/// dataset is put in its place when it is complete, so that an interrupted run leaves none.
/// Results of an earlier run of this specification there are used again, and a mesh from the
/// user's MeshCache, which also gets the new ones. Throws what a verb
/// reports; failed sources are no error but a status in the dataset.
[[nodiscard]] LocalRunResult run_local(const request::LoadedSpec& spec, const RunFolder& folder,
                                       const OutputPlace& dataset,
                                       const run::ComputeRunner& compute,
                                       const LocalRunOptions& options);

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
int run_local_graph(const request::Request& request, const request::Kind& kind,
                    const LocalGraphOptions& options, const Context& context);

}  // namespace kaname::cli
