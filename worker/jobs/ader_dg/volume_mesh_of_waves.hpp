// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "solvers/base/error.hpp"
#include "solvers/meshing/cleaving/volume_request.hpp"
#include "worker/jobs/ader_dg/seismic_mesh.hpp"
#include "worker/jobs/ader_dg/wave_resolution.hpp"

namespace kaname::jobs {

/// Returns the rules that the faults of a request break by themselves.
[[nodiscard]] std::vector<Violation> check_faults(const SeismicMeshRequest& request);

/// AddedFault describes a fault before it is meshed.
struct AddedFault {
    bool along_side = false;  ///< a vertical plane along a side of the box
    double sample_m2 = 0.0;   ///< area for each of its samples
};

/// Asks the mesher for the faults of a request beside the model, box and sizes that `params` has:
/// their sheets, sizes about them, and roots whose halves meet the first one's size. Of vertical
/// planes along the box's sides the lattice gets planes for their place and rim, so that they are
/// met without a cut but that through the middles of edges. The rims of planes are fitted to their
/// rectangle; surfaces have a staircase of faces whose centroids lie inside the outline.
/// `first_parts_box`: the mesh conforms to the first one's plane, which is vertical, everywhere.
/// Throws ValidationError: a fault outside of the box, a surface that the model does not have,
/// more elements about faults than params.max_tets.
std::vector<AddedFault> add_faults(std::span<const SeismicFault> faults,
                                   cleaving::VolumeMeshParams& params, bool first_parts_box);

/// Leaves faces that several faults have to the first of them; says which of the others lost some.
[[nodiscard]] std::vector<std::string> part_faults(mesh::TetMesh& mesh);

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
