// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/spec/greens/plan.hpp"
#include "solvers/jobs/spec/greens_job.hpp"

namespace kaname::compute {

/// The events of a scenario whose defaults are filled.
[[nodiscard]] jobs::Scenario scenario_of(const v1::GreensBatch& spec, const spec::Plan& plan);

}  // namespace kaname::compute
