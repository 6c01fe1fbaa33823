// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/request/inversion/load_inversion.hpp"
#include "worker/jobs/inversion/inversion_job.hpp"

namespace kaname::compute {

/// The inversion that a specification asks for, in plain numbers: standard deviations with their
/// scale, a magnitude as its moment, bounds that are absent as infinite.
[[nodiscard]] jobs::InversionJob job_from_spec(const request::LoadedInversion& spec);

}  // namespace kaname::compute
