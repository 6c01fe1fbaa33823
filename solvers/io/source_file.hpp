// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kaname::io {

/// What `solve` leaves per finished source and `package` collects. K steps, N stations, P points of
/// the surface (registry/surface_points.hpp; none when output.surface is "none").
struct SourceResult {
    std::string source_id;
    std::string key;  ///< identifies solve, mesh and source; stale files are ignored
    bool failed = false;
    std::string failure;                   ///< cause with residual history, when failed
    std::vector<double> step_time_s;       ///< [K]
    std::vector<double> station_xyz_m;     ///< [N][3] where the stations are in the model frame
    std::vector<double> displacement_m;    ///< [K][N][3] grid east, grid north, up (model frame)
    std::vector<float> surface_m;          ///< [K][P][3] the same at the surface's points
    std::vector<std::int32_t> iterations;  ///< [K]
    std::vector<double> residual;          ///< [K]
    std::vector<double> initial_residual;  ///< [K]
};
/// HDF5, atomic.
void write_source_result(const std::string& path, const SourceResult& result);
[[nodiscard]] SourceResult read_source_result(const std::string& path);

}  // namespace kaname::io
