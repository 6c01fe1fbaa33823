// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "solvers/base/error.hpp"
#include "worker/jobs/ader_dg/seismic_mesh.hpp"
#include "worker/jobs/ader_dg/wave_faults.hpp"
#include "worker/jobs/ader_dg/wave_resolution.hpp"

namespace kaname::jobs {

/// The mesh of a model of volumes with sizes by wavelength.
class VolumeMeshOfWaves {
public:
    VolumeMeshOfWaves(const SeismicMeshRequest& request, earth::VolumeModel model,
                      double azimuth_rad);

    /// Both throw ValidationError (max_elements) where there would be too many.
    [[nodiscard]] meshing::MeshSource::Count count() const;
    [[nodiscard]] mesh::TetMesh build(const meshing::Progress& progress) const;

    /// Clusters that `tets` elements will be in: those of the lattice's leaves along vertical
    /// lines.
    [[nodiscard]] aderdg::Clusters clusters(std::int64_t tets,
                                            const aderdg::WaveParams& params) const;
    /// Which of the model's materials is at a place of the frame that meshes have; nothing above
    /// the ground.
    [[nodiscard]] std::optional<int> material_at(const Vec3& x) const;
    /// Volumes that are thinner than what elements can show.
    [[nodiscard]] std::vector<std::string> lost_layers() const;

private:
    [[nodiscard]] ValidationError too_large() const;

    std::vector<AddedFault> faults_;  ///< of params_.faults
    cleaving::VolumeMeshParams params_;
    std::unique_ptr<meshing::MeshSource> source_;
};

}  // namespace kaname::jobs
