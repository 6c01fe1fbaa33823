// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "solvers/jobs/spec/solver_spec.hpp"

namespace kaname::compute {

/// Probes the GPU that this rank of a solve takes and puts its UUID in `gpu`; on the CPU there is
/// nothing to do. Throws DeviceError, and as jobs::choose_queue.
void probe_rank(const jobs::Placement& placement, std::string& gpu);

}  // namespace kaname::compute
