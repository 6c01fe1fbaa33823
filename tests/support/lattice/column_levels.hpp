// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "solvers/earth/structure.hpp"

namespace kaname::meshing {

/// ColumnLayout holds the numbers that decide the levels of one column.
struct ColumnLayout {
    double interface_depth_m = 0.0;  ///< 0: the interface has reached the surface
    double level_depth_m = 0.0;  ///< depth of level [layers_above]; the interface's near the fault
    double bottom_depth_m = 0.0;
    double cell_m = 0.0;  ///< horizontal cell size there
    int layers_above = 0;
    int layers_below = 0;
};

/// Depths [layers_above + layers_below + 1] of a column, ascending: exactly 0 first, level_depth_m
/// at [layers_above], exactly the bottom last. Spacings grow geometrically away from that level,
/// from about the cell size where that is thinner than uniform, at most kMaxRatio{Above,Below}
/// from one to the next. Smooth in the column's depth and cell size.
[[nodiscard]] std::vector<double> column_levels(const ColumnLayout& layout);

/// Moves free levels onto the boundaries of `structure` where one lies within half a spacing and
/// no spacing falls below 0.35 of what it was; other boundaries stay between levels.
void snap_levels(const ColumnLayout& layout, const earth::LayeredStructure& structure,
                 std::vector<double>& levels);

/// Spacings [count] that add up to `total`: `first` (at most uniform), then growing by one ratio,
/// which is at most `max_ratio`; `first` gives way.
[[nodiscard]] std::vector<double> geometric_spacings(int count, double total, double first,
                                                     double max_ratio);

}  // namespace kaname::meshing
