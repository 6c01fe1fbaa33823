// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "proto/kaname/v1/seismic_waves.pb.h"
#include "proto/request/form/rules.hpp"

namespace kaname::request {

inline constexpr const char* kFree = "free";
inline constexpr const char* kAbsorbing = "absorbing";
inline constexpr const char* kGravity = "gravity";

/// Every rule that needs no mesh, of a request whose defaults are filled.
[[nodiscard]] std::vector<Violation> validate(const v1::SeismicWaves& waves,
                                              const UnitFactor& unit_factor = {});

/// The parts of it: all but schema, name, sources and receivers; of these, where the model is and
/// what it is made of; sources and receivers; of these, receivers.
void check_seismic_setting(const v1::SeismicWaves& waves, Rules& rules);
void check_seismic_model(const v1::SeismicWaves& waves, Rules& rules);
void check_seismic_points(const v1::SeismicWaves& waves, Rules& rules);
void check_seismic_receivers(const v1::SeismicWaves& waves, Rules& rules);

}  // namespace kaname::request
