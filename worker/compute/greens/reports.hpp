// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/report.pb.h"
#include "solvers/jobs/spec/stage.hpp"
#include "worker/compute/greens/forecast.hpp"
#include "worker/compute/solve_reports.hpp"

namespace kaname::compute {

/// What was found out before anything is computed, as the message that preflight reports.
[[nodiscard]] v1::Estimate estimate_of(const jobs::Preflight& found, const Forecast& times,
                                       int threads);

}  // namespace kaname::compute
