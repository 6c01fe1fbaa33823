// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "proto/kaname/v1/report.pb.h"
#include "solvers/jobs/spec/stage.hpp"

namespace kaname::compute {

/// The functions below return findings and outcomes of sources as the messages that verbs report,
/// whatever the physics.

/// Returns the estimate without times.
[[nodiscard]] v1::Estimate estimate_of(const jobs::Preflight& found);

[[nodiscard]] v1::SolveReport report_of(const jobs::SolveSummary& summary, int ranks);
[[nodiscard]] v1::SessionReport report_of(const jobs::SolveSession& session);
/// `id`: of the command.
[[nodiscard]] v1::PackReport report_of(const std::string& id, const jobs::PackOutcome& outcome);
[[nodiscard]] v1::PackageReport report_of(const jobs::PackageSummary& summary,
                                          const std::string& dataset);

}  // namespace kaname::compute
