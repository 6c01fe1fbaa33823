// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/jobs/spec/greens_job.hpp"

namespace kaname::jobs {

/// Name of the surface that an interface in layers becomes.
inline constexpr const char* kInterfaceOfLayers = "interface";

/// Layers around planes or an interface as volumes between surfaces: `layers` between flat ones,
/// `below_interface` under the interface as deep under it as the layers say, named first so that
/// they cut through the others.
[[nodiscard]] earth::VolumeModelSpec volumes_of_layers(const GreensJob& job);

/// Layers alone, between flat surfaces.
[[nodiscard]] earth::VolumeModelSpec volumes_of_layers(const earth::LayeredStructure& layers);

}  // namespace kaname::jobs
