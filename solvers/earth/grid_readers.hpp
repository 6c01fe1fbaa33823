// SPDX-License-Identifier: BSD-3-Clause
// Parts of read_surface_file.
#pragma once

#include <string>
#include <vector>

#include "solvers/base/text_file.hpp"
#include "solvers/earth/gridded_surface.hpp"

namespace kaname::earth {

/// Throws InvalidArgument "path: what".
[[noreturn]] void refuse_file(const std::string& path, const std::string& what);

/// Evenly spaced coordinates of a grid.
struct GridAxis {
    double origin = 0.0, spacing = 0.0;
    int n = 0;

    /// Nearest node; -1 when `value` is farther from it than a tenth of the spacing, which is room
    /// for coordinates with few digits.
    [[nodiscard]] int index(double value) const;
};

/// Axis of coordinates that may come in any order and repeat. Refuses fewer than two different
/// values, and values that are too close for their span.
[[nodiscard]] GridAxis find_axis(const std::string& path, const char* name,
                                 std::vector<double> values);

/// A grid without data yet.
[[nodiscard]] GriddedSurface empty_grid(const GridAxis& lon, const GridAxis& lat);

/// Metres of depth for one unit of a value of the file: its sign and unit.
struct DepthFactor {
    bool down = false;
    double metres = 1.0;
    [[nodiscard]] double factor() const { return down ? metres : -metres; }
};

/// Metres per unit for km, m and their names in words; 0 for others.
[[nodiscard]] double metres_per(std::string_view unit);

[[nodiscard]] GriddedSurface read_csv_grid(const TextFile& file, const SurfaceFileRules& rules);
[[nodiscard]] GriddedSurface read_ascii_grid(const TextFile& file, const SurfaceFileRules& rules);
[[nodiscard]] GriddedSurface read_netcdf_grid(const std::string& path,
                                              const SurfaceFileRules& rules);

}  // namespace kaname::earth
