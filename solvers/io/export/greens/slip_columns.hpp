// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "solvers/io/export/greens/layouts.hpp"

namespace kaname::io {

/// Returns true if two rakes are the same direction, to a millionth of a degree.
[[nodiscard]] bool same_rake(double a_deg, double b_deg);

/// Holds a layout's names for strike slip (rake 0), dip slip (rake 90) and opening.
struct SlipNames {
    std::string strike_slip, dip_slip, opening;
};
/// Returns the directions of a dataset by a layout's names for these three; the layout knows no
/// other. Throws InvalidArgument naming a direction that is none of them.
[[nodiscard]] std::vector<SlipDirection> named_directions(const ExportSource& source,
                                                          const std::string& layout,
                                                          const SlipNames& names);

/// Rows of a matrix (observation, patch) at one epoch, part after part: all stations' east, then
/// all north, then all up. visit(block) gets one component of all sources.
template <class Visit>
void for_rows_by_component(const ExportCall& call, const Visit& visit) {
    for (std::size_t component = 0; component < 3; ++component) {
        for_parts(call.source.n_stations(), call.source.rows().sources.size(), [&](Part stations) {
            visit(call.source.read_component(call.epoch, stations, component));
        });
    }
}

/// Calls visit(station) for the stations of a block, by their indices in the dataset.
template <class Visit>
void for_stations(const GreensBlock& block, const Visit& visit) {
    for (std::size_t i = 0; i < block.stations.count; ++i) {
        visit(block.stations.first + i);
    }
}

}  // namespace kaname::io
