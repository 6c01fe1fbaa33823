// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "proto/kaname/v1/mesh_report.pb.h"
#include "proto/kaname/v1/report.pb.h"
#include "solvers/jobs/geometry/mesh_tools.hpp"
#include "solvers/jobs/spec/stage.hpp"
#include "worker/compute/reporter.hpp"

namespace kaname::compute {

/// The functions below report findings about meshes, and files written, as the messages of verbs.

/// Throws report::BrokenReport when the file's JSON is no report.
[[nodiscard]] v1::MeshReport report_of(const jobs::MeshSummary& summary);
/// Logs and reports a mesh that was made. `times`: of its phases. Returns the exit code.
int report_mesh(const jobs::MeshSummary& summary, const std::string& times,
                const std::string& mesh_path, Reporter& reporter);
[[nodiscard]] v1::MeshCheckReport report_of(const jobs::MeshCheck& found);
[[nodiscard]] v1::WrittenReport written_report(const std::vector<std::string>& paths);

}  // namespace kaname::compute
