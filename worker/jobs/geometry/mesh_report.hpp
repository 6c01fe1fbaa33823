// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "solvers/base/error.hpp"
#include "solvers/earth/structure.hpp"
#include "solvers/fault/fault_report.hpp"
#include "solvers/mesh/quality.hpp"
#include "solvers/meshing/cleaving/interface_error.hpp"
#include "worker/jobs/stage/stage.hpp"

namespace kaname::jobs {

/// All that is told about a mesh.
struct MeshReport {
    mesh::QualityReport quality;
    std::vector<fault::FaultReport> faults;  ///< faults that have faces
    /// One of the mesh's volumes [TetMesh::volumes].
    struct Volume {
        std::string name;
        double mesh_m3 = 0.0;
        double model_m3 = 0.0;  ///< 0 where the model is not known
        /// Volumes within cleaving::kNearFault_m of the fault.
        double near_mesh_m3 = 0.0, near_model_m3 = 0.0;
    };
    std::vector<Volume> volumes;  ///< empty for a mesh without volumes
    std::optional<cleaving::InterfaceError> interfaces;
};

/// Reports on a mesh that check_mesh() accepted, with its faces. `request`: the volumes that the
/// mesh was made from, with which its volumes, interfaces and sizes are compared; else null.
[[nodiscard]] MeshReport report_mesh(const mesh::TetMesh& mesh, const mesh::FaceSet& faces,
                                     const cleaving::VolumeMeshParams* request = nullptr);

/// One JSON object with the same content; lengths in m, angles in degrees.
[[nodiscard]] std::string mesh_report_json(const MeshReport& report,
                                           std::span<const earth::Material> materials);

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

/// The mesh's report in lines for people.
[[nodiscard]] std::string quality_text(const MeshReport& report,
                                       std::span<const earth::Material> materials);
/// Its lines that every run should tell.
[[nodiscard]] std::vector<std::string> mesh_warnings(const std::string& text);

}  // namespace kaname::jobs
