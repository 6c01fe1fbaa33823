// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "proto/spec/greens/plan.hpp"
#include "solvers/jobs/spec/greens_job.hpp"

namespace kaname::compute {

[[nodiscard]] jobs::SlipHistory history_of(const v1::SlipHistory& history,
                                           const std::string& field);
/// The events of a scenario whose defaults are filled.
[[nodiscard]] jobs::Scenario scenario_of(const v1::GreensBatch& spec, const spec::Plan& plan);

}  // namespace kaname::compute
