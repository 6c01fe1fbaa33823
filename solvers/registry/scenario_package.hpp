// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/registry/packing.hpp"

namespace kaname::registry {

/// Rows of a scenario: `total`, the sum over all events, then every event.
/// The total is missing unless all slip models are solved; with `only_these` it is left out, and so
/// are events whose model has no file.
void package_scenario(Packing& packing, bool only_these);

}  // namespace kaname::registry
