// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/spec/plan.hpp"
#include "solvers/registry/greens_job.hpp"

namespace kaname::compute {

[[nodiscard]] registry::SlipHistory history_of(const v1::SlipHistory& history);
/// The events of a scenario whose defaults are filled.
[[nodiscard]] registry::Scenario scenario_of(const v1::GreensBatch& spec, const spec::Plan& plan);

}  // namespace kaname::compute
