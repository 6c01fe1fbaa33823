// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "proto/kaname/v1/inversion.pb.h"
#include "solvers/jobs/inversion/invert.hpp"

namespace kaname::compute {

/// Stations of a report, the worst first; the file has all of them.
inline constexpr std::size_t kReportedStations = 1000;

/// Returns the report of an inversion, with `text` for people. `warnings` come before its own.
[[nodiscard]] v1::InversionReport report_of(const jobs::InversionSummary& summary,
                                            const jobs::InversionJob& job, const std::string& file,
                                            const std::vector<std::string>& warnings);

}  // namespace kaname::compute
