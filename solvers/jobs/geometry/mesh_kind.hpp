// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/jobs/spec/greens_job.hpp"

namespace kaname::jobs {

/// How the mesh of a job will be made, without its geometry: times of past stages are kept by it.
[[nodiscard]] inline const char* mesh_kind(const GreensJob& job) {
    return std::holds_alternative<MeshFileSpec>(job.fault) ? "file"
           : job.volumes                                   ? "cleaved"
                                                           : "lattice";
}

}  // namespace kaname::jobs
