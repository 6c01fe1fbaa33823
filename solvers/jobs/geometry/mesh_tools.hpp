// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "solvers/base/error.hpp"
#include "solvers/jobs/spec/stage.hpp"

namespace kaname::jobs {

/// The report that a mesh file keeps of when it was made; without one, measured now. Throws as
/// io::read_mesh.
[[nodiscard]] MeshSummary describe_mesh(const std::string& path);

struct MeshCheck {
    std::int64_t elements = 0;
    std::vector<Violation> faults;  ///< what is wrong, with places; empty: the mesh is sound
};
/// Everything that would keep a solver from using the mesh: as mesh::check_mesh, and faults of
/// which nodes cannot be told apart or cannot slip. Throws as io::read_mesh.
[[nodiscard]] MeshCheck check_mesh_at(const std::string& path);

/// Writes a mesh file for other programs: "gmsh", "vtu", or "xdmf", which stands beside the mesh
/// whatever `out` is. Returns the files written. Throws InvalidArgument for another format, and as
/// solvers/io/export/mesh_export.hpp.
[[nodiscard]] std::vector<std::string> export_mesh(const std::string& path,
                                                   const std::string& format,
                                                   const std::string& out);

}  // namespace kaname::jobs
