// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "solvers/jobs/geometry/mesh_report.hpp"
#include "solvers/meshing/mesh_source.hpp"

namespace kaname::jobs {

/// How the mesh of a job comes about: one class per way.
class MeshPlan {
public:
    virtual ~MeshPlan() = default;
    /// Each throws ValidationError where the mesh would take more memory than there is.
    [[nodiscard]] virtual meshing::MeshSource::Count estimate() const = 0;
    [[nodiscard]] virtual mesh::TetMesh build(const meshing::Progress& progress) const = 0;
    /// Returns true if making the mesh takes minutes, so that errors are to be reported before.
    [[nodiscard]] virtual bool takes_long() const { return false; }
    /// Returns warnings on the parts of the model that the mesh leaves out.
    [[nodiscard]] virtual std::vector<std::string> warnings() const { return {}; }
    /// Reports on the mesh that this plan made and check_mesh() accepted, with its faces.
    [[nodiscard]] virtual MeshReport report(const mesh::TetMesh& mesh,
                                            const mesh::FaceSet& faces) const {
        return report_mesh(mesh, faces);
    }
};

}  // namespace kaname::jobs
