// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "solvers/jobs/seismic_waves/seismic_mesh.hpp"
#include "solvers/jobs/spec/stage.hpp"

namespace kaname::jobs {

/// A mesh file with the solids of its materials, so that nothing behind it reads the structure's
/// files again. Returns the report that the file holds.
MeshSummary write_seismic_mesh(const std::string& path, const SeismicMesh& mesh);

/// The mesh of a file of write_seismic_mesh with what the request says that its surfaces do. Throws
/// as io::read_mesh.
[[nodiscard]] SeismicMesh read_seismic_mesh(const std::string& path,
                                            const SeismicMeshRequest& request);

}  // namespace kaname::jobs
