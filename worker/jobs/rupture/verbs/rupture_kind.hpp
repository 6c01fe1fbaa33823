// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <optional>
#include <string>

#include "proto/kaname/v1/rupture.pb.h"
#include "solvers/earth/projection.hpp"
#include "worker/jobs/frame/kind.hpp"
#include "worker/jobs/rupture/rupture_job.hpp"

namespace kaname::compute {

/// Spontaneous ruptures: preflight, mesh, solve, package, read.
[[nodiscard]] const Kind& rupture_kind();

/// A request that was checked, its defaults filled in. Throws ValidationError for materials
/// that are none.
[[nodiscard]] jobs::RuptureJob rupture_job_from_request(const v1::Rupture& rupture);

/// Where a fault is; places by longitude and latitude by the projection, and strikes by true north
/// there, to which grid north is turned.
[[nodiscard]] jobs::SeismicFault fault_place_of(const v1::RuptureFault& fault,
                                                const std::string& field,
                                                const std::optional<earth::Projection>& projection);
/// Returns the friction and stress of a fault; one without stress of its own has that of `tensor`.
[[nodiscard]] jobs::RuptureFault fault_of(const v1::RuptureFault& fault, const std::string& field,
                                          const jobs::StressByDepth& tensor);
/// Returns the stress by depth of Rupture::stress_tensor; one row of zeros if it is empty.
[[nodiscard]] jobs::StressByDepth tensor_of(
    const google::protobuf::RepeatedPtrField<v1::StressAtDepth>& rows);

}  // namespace kaname::compute
