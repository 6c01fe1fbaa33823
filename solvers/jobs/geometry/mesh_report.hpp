// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "solvers/earth/structure.hpp"
#include "solvers/fault/fault_report.hpp"
#include "solvers/mesh/quality.hpp"
#include "solvers/meshing/cleaving/interface_error.hpp"

namespace kaname::jobs {

/// All that is told about a mesh.
struct MeshReport {
    mesh::QualityReport quality;
    std::vector<fault::FaultReport> faults;  ///< that have faces
    /// Of a mesh of volumes [TetMesh::volumes]; else empty.
    struct Volume {
        std::string name;
        double mesh_m3 = 0.0;
        double model_m3 = 0.0;  ///< 0 where the model is not known
        /// Within cleaving::kNearFault_m of the fault.
        double near_mesh_m3 = 0.0, near_model_m3 = 0.0;
    };
    std::vector<Volume> volumes;
    std::optional<cleaving::InterfaceError> interfaces;
};

/// Of a mesh that check_mesh() took, with its faces. `request`: what it was made from when that
/// were volumes, else null; then volumes, interfaces and sizes are compared with it.
[[nodiscard]] MeshReport report_mesh(const mesh::TetMesh& mesh, const mesh::FaceSet& faces,
                                     const cleaving::VolumeMeshParams* request = nullptr);

/// One JSON object with the same content; lengths in m, angles in degrees.
[[nodiscard]] std::string mesh_report_json(const MeshReport& report,
                                           std::span<const earth::Material> materials);

}  // namespace kaname::jobs
