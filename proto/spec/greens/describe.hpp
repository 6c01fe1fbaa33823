// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/spec/form/description.hpp"
#include "proto/spec/greens/load.hpp"

namespace kaname::spec {

/// Viscoelastic is what relaxes and is wanted after the slip; all else is elastic. Faults are known
/// by their kinds (plane, interface, mesh, slip_model) and by the names that they have. The place
/// takes the sources that the specification itself places; of others the middle of the region.
[[nodiscard]] Description describe(const LoadedSpec& spec);

}  // namespace kaname::spec
