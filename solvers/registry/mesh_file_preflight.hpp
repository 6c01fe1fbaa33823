// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/registry/setup.hpp"
#include "solvers/registry/stages.hpp"

namespace kaname::registry {

/// Reads the job's mesh file and adds to `result` its size and everything that is wrong with it or
/// worth a warning: names, elements, faults, slip on them, conditions, stations.
void check_mesh_file(const GreensJob& job, const Setup& setup, Preflight& result);

}  // namespace kaname::registry
