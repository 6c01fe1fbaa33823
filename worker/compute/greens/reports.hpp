// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/report.pb.h"
#include "solvers/jobs/spec/stage.hpp"
#include "worker/compute/greens/forecast.hpp"
#include "worker/compute/solve_reports.hpp"

namespace kaname::compute {

/// Returns the findings of preflight, before anything is computed, as the message that it reports.
[[nodiscard]] v1::Estimate estimate_of(const jobs::Preflight& found, const Forecast& times,
                                       int threads);

}  // namespace kaname::compute
