// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/rupture.pb.h"
#include "solvers/jobs/rupture/rupture_job.hpp"

namespace kaname::compute {

/// A specification that was checked, its defaults filled in. Throws ValidationError for materials
/// that are none.
[[nodiscard]] jobs::RuptureJob rupture_job_from_spec(const v1::Rupture& rupture);

}  // namespace kaname::compute
