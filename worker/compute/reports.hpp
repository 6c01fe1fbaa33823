// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "proto/kaname/v1/mesh_report.pb.h"
#include "proto/kaname/v1/report.pb.h"
#include "solvers/jobs/geometry/mesh_tools.hpp"
#include "solvers/jobs/spec/stage.hpp"
#include "worker/compute/forecast.hpp"

namespace kaname::compute {

/// What the physics found, as the messages that a verb reports.

[[nodiscard]] v1::Estimate estimate_of(const jobs::Preflight& found, const Forecast& times,
                                       int threads);
/// Throws report::BrokenReport when the file's JSON is no report.
[[nodiscard]] v1::MeshReport report_of(const jobs::MeshSummary& summary);
[[nodiscard]] v1::MeshCheckReport report_of(const jobs::MeshCheck& found);
[[nodiscard]] v1::SolveReport report_of(const jobs::SolveSummary& summary, int ranks);
[[nodiscard]] v1::SessionReport report_of(const jobs::SolveSession& session);
/// `id`: of the command.
[[nodiscard]] v1::PackReport report_of(const std::string& id, const jobs::PackOutcome& outcome);
[[nodiscard]] v1::PackageReport report_of(const jobs::PackageSummary& summary,
                                          const std::string& dataset);
[[nodiscard]] v1::WrittenReport written_report(const std::vector<std::string>& paths);

}  // namespace kaname::compute
