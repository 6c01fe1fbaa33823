// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/registry/setup.hpp"
#include "solvers/registry/stages.hpp"
#include "solvers/viscoelastic/model.hpp"

namespace kaname::registry {

/// Reads the job's mesh file and adds to `result` its size and everything that is wrong with it or
/// worth a warning: names, elements, faults, slip on them, conditions, stations. Returns the
/// element that will be used; plain P2 where there is no sound mesh.
viscoelastic::Element check_mesh_file(const GreensJob& job, const Setup& setup, Preflight& result);

}  // namespace kaname::registry
