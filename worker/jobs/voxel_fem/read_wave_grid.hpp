// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <vector>

#include "solvers/voxelwave/voxel_model.hpp"

namespace kaname::jobs {

/// Voxels of the properties in a netCDF-4 or HDF5 file: vp, vs (m/s) and density (kg/m3), each
/// [nz][ny][nx], of one number for each voxel (x fastest; z up). Where all three are 0 there is a
/// void. More than 65,535 different solids are rounded to fewer, which adds a line to `notes`.
/// Throws ValidationError on model.grid for another shape or what is no solid, naming the voxel.
[[nodiscard]] voxelwave::VoxelModel read_wave_grid(const std::string& path,
                                                   const std::array<int, 3>& voxels, double ds_m,
                                                   std::vector<std::string>& notes);

}  // namespace kaname::jobs
