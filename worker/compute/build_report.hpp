// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace kaname::compute {

/// Version and compiled-in libraries of this build, as one JSON object:
/// {"version": "...", "hdf5": true, "proj": ..., "metis": ..., "mpi": ..., "openmp": ...}.
[[nodiscard]] std::string build_report();

}  // namespace kaname::compute
