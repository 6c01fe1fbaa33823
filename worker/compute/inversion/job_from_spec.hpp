// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/spec/inversion/load_inversion.hpp"
#include "solvers/jobs/inversion/inversion_job.hpp"

namespace kaname::compute {

/// The inversion that a specification asks for, in plain numbers: standard deviations with their
/// scale, a magnitude as its moment, bounds that are absent as infinite.
[[nodiscard]] jobs::InversionJob job_from_spec(const spec::LoadedInversion& spec);

}  // namespace kaname::compute
