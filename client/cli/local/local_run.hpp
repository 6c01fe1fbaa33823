// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "client/cli/common/output_place.hpp"
#include "client/cli/common/preflight.hpp"
#include "client/cli/local/run_folder.hpp"
#include "proto/kaname/v1/dataset_report.pb.h"
#include "proto/kaname/v1/report.pb.h"
#include "proto/request/form/request.hpp"
#include "worker/run/compute_runner.hpp"

namespace kaname::cli {

struct LocalRunOptions {
    int ranks = 1;
    int threads = 1;              ///< per rank
    std::string device = "auto";  ///< device of the solve: auto, cpu, cuda
    bool fields = false;          ///< describes the dataset, and writes Xdmf beside its fields
    std::function<void(const run::Progress&)> on_progress;
};

/// LocalRunResult holds the reports of the verbs.
struct LocalRunResult {
    bool mesh_reused = false;
    v1::SolveReport solve;
    v1::PackageReport package;
    v1::DatasetReport dataset;            ///< what `kaname show` says, with `fields`
    std::vector<std::string> xdmf_files;  ///< beside a dataset with fields
};

/// Returns the results in that output folder, or in the user's MeshCache, that run_local would use
/// again. `content_hash` is that of the request.
[[nodiscard]] Reusable reusable_in(const std::filesystem::path& output,
                                   const request::Request& request, const std::string& content_hash,
                                   const run::ComputeRunner& compute);

/// Runs the tasks of a request's graph on this machine: `mesh` where it has one, `solve` of all
/// sources, `package`. Everything is made in the work folder; the result is put in its place when
/// it is complete, so that an interrupted run leaves none. Results of an earlier run of this
/// request there are used again, a checkpoint is gone on from, and a mesh is taken from the user's
/// MeshCache, which also gets the new ones. Throws what a verb reports; failed sources are no error
/// but a status in the dataset.
[[nodiscard]] LocalRunResult run_local(const request::Request& request, const RunFolder& folder,
                                       const OutputPlace& result, const run::ComputeRunner& compute,
                                       const LocalRunOptions& options);

}  // namespace kaname::cli
