// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "solvers/earth/volume_spec.hpp"
#include "solvers/jobs/voxel_waves/wave_job.hpp"

namespace kaname::jobs {

/// The structure of a part of the Earth, as voxels see it.
class EarthSamples {
public:
    /// Reads its files. Throws ValidationError with everything that is wrong with them.
    EarthSamples(const WaveEarth& earth, const std::array<double, 3>& size_m);

    /// Materials at the centres of the voxels, [nz][ny][nx] index into solids(); the void above
    /// the ground comes last.
    [[nodiscard]] voxelwave::VoxelModel sample(const std::array<int, 3>& voxels, double ds_m) const;
    /// Place in the box's frame.
    [[nodiscard]] std::array<double, 2> east_north_m(const earth::LonLat& at) const;
    [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

private:
    const WaveEarth& earth_;
    std::array<double, 3> size_m_;
    earth::Projection projection_;
    std::shared_ptr<const earth::VolumeModel> volumes_;  ///< null: layers
    std::vector<std::string> notes_;
};

}  // namespace kaname::jobs
