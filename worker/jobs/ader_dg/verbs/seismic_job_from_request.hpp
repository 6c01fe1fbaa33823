// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/seismic_waves.pb.h"
#include "worker/jobs/ader_dg/seismic_job.hpp"

namespace kaname::compute {

/// A specification that was checked, its defaults filled in. Throws ValidationError for materials
/// that are none.
[[nodiscard]] jobs::SeismicJob seismic_job_from_spec(const v1::SeismicWaves& waves);

/// All but sources, their methods, and the specification as text.
void set_setting(const v1::SeismicWaves& waves, jobs::SeismicJob& job);

}  // namespace kaname::compute
