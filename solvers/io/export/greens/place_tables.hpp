// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>

#include "solvers/io/export/greens/layouts.hpp"

namespace kaname::io {

/// A place on the globe (degrees), or in the model (m) where the dataset has no projection.
struct PlanePlace {
    double x, y;
};
[[nodiscard]] PlanePlace station_place(const GreensDataset& rows, std::size_t station);
[[nodiscard]] PlanePlace patch_place(const GreensDataset& rows, const GreensDataset::Source& patch);
/// 0 top start, 1 top end, 2 bottom end, 3 bottom start along strike.
[[nodiscard]] PlanePlace corner_place(const GreensDataset& rows, const GreensDataset::Source& patch,
                                      std::size_t corner);
/// Heads of the columns of these places: "lon_deg", "lat_deg" or "x_m", "y_m".
[[nodiscard]] std::array<std::string, 2> place_columns(const GreensDataset& rows);
/// "x y" of a place in degrees, or in km where the dataset has no projection: csi and GMT's tables
/// count lengths in km.
[[nodiscard]] std::string degrees_or_km(const GreensDataset& rows, PlanePlace at);

/// stations.csv and patches.csv: a row each, in the order of all axes of a layout.
void write_place_tables(const ExportCall& call, ExportRecord& record);

}  // namespace kaname::io
