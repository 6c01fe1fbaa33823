// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "solvers/base/error.hpp"
#include "solvers/earth/volume_layout.hpp"
#include "solvers/voxelwave/voxel_model.hpp"
#include "solvers/voxelwave/wave_solver.hpp"
#include "worker/jobs/voxel_fem/wave_job.hpp"

namespace kaname::jobs {

/// Voxels of the properties in a netCDF-4 or HDF5 file: vp, vs (m/s) and density (kg/m3), each
/// [nz][ny][nx], of one number for each voxel (x fastest; z up). Where all three are 0 there is a
/// void. More than 65,535 different solids are rounded to fewer, which adds a line to `notes`.
/// Throws ValidationError on model.grid for another shape or what is no solid, naming the voxel.
[[nodiscard]] voxelwave::VoxelModel read_wave_grid(const std::string& path,
                                                   const std::array<int, 3>& voxels, double ds_m,
                                                   std::vector<std::string>& notes);

/// A job's voxels, places and steps: all that its verbs share.
struct WaveModel {
    voxelwave::VoxelModel voxels;
    std::array<double, 3> origin_m{};  ///< of the voxels, in the frame of the job's places
    std::vector<std::array<double, 3>> sources_m, receivers_m;  ///< from the voxels' origin
    /// [sources] moments of sources that slip on patches, which go as their source does, and of
    /// slip models, which have times of their own; empty for points.
    std::vector<std::vector<voxelwave::PointMoment>> parts;
    voxelwave::WaveParams params;
    std::int64_t n_steps = 0;
    std::vector<std::int64_t> snapshot_steps;
    double slowest_vs_m_per_s = 0.0, fastest_vp_m_per_s = 0.0;
    double highest_hz = 0.0;                   ///< of any source
    std::vector<std::string> warnings, notes;  ///< notes: size of what slips

    [[nodiscard]] std::int64_t n_samples(int every) const { return n_steps / every + 1; }
    /// Returns the grid points per wavelength of the shortest S wave.
    [[nodiscard]] double points_per_wavelength() const {
        return slowest_vs_m_per_s / (highest_hz * voxels.ds_m);
    }
};

/// Throws ValidationError with everything that is wrong with places, steps and the structure's
/// files, by their fields.
[[nodiscard]] WaveModel build_wave_model(const WaveJob& job);

/// The structure of a part of the Earth, as voxels see it.
class EarthSamples {
public:
    /// Reads its files. Throws ValidationError with everything that is wrong with them.
    EarthSamples(const WaveEarth& earth, const std::array<double, 3>& size_m);

    /// Materials at the centres of the voxels, [nz][ny][nx] index into solids(); the void above
    /// the ground comes last.
    [[nodiscard]] voxelwave::VoxelModel sample(const std::array<int, 3>& voxels, double ds_m) const;
    [[nodiscard]] const earth::Projection& projection() const { return projection_; }
    /// Turns x and y of the projection into the box's, clockwise by its azimuth, or back.
    [[nodiscard]] std::array<double, 2> in_box(double x_m, double y_m) const;
    [[nodiscard]] std::array<double, 2> on_map(double x_m, double y_m) const;
    [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

private:
    const WaveEarth& earth_;
    std::array<double, 3> size_m_;
    earth::Projection projection_;
    std::shared_ptr<const earth::VolumeModel> volumes_;  ///< null: layers
    std::vector<std::string> notes_;
};

}  // namespace kaname::jobs
