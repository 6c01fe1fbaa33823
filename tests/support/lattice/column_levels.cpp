// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/lattice/column_levels.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace kaname::meshing {
namespace {

constexpr double kMaxRatioAbove = 1.4;
constexpr double kMaxRatioBelow = 1.8;
// Level spacing in cell sizes: P2 elements this flat still have dihedral angles above 30 degrees.
constexpr double kSpacingOfCell = 0.8;
constexpr double kSnapWithin = 0.5;
constexpr double kKeptSpacing = 0.35;

double series_sum(int count, double ratio) {
    double sum = 0.0;
    for (int term = 0; term < count; ++term) {
        sum = sum * ratio + 1.0;
    }
    return sum;
}

/// Snaps levels strictly between from and to, which stay.
void snap_between(std::span<double> levels, const std::vector<double>& boundaries) {
    const std::vector<double> was(levels.begin(), levels.end());
    std::vector<bool> taken(levels.size(), false);
    taken.front() = taken.back() = true;
    for (const double boundary : boundaries) {
        if (boundary <= was.front() || boundary >= was.back()) {
            continue;
        }
        const auto above = std::upper_bound(was.begin(), was.end(), boundary) - was.begin() - 1;
        const auto nearest = boundary - was[above] <= was[above + 1] - boundary ? above : above + 1;
        const double spacing = was[above + 1] - was[above];
        if (taken[nearest] || std::abs(boundary - was[nearest]) > kSnapWithin * spacing) {
            continue;
        }
        const bool thick =
            boundary - levels[nearest - 1] >= kKeptSpacing * (was[nearest] - was[nearest - 1]) &&
            levels[nearest + 1] - boundary >= kKeptSpacing * (was[nearest + 1] - was[nearest]);
        if (thick) {
            levels[nearest] = boundary;
            taken[nearest] = true;
        }
    }
}

std::vector<double> boundaries_of(const std::vector<earth::Layer>& layers, double from) {
    std::vector<double> depths;
    for (const earth::Layer& layer : layers) {
        if (layer.bottom_depth_m) {
            depths.push_back(from + *layer.bottom_depth_m);
        }
    }
    return depths;
}

}  // namespace

std::vector<double> geometric_spacings(int count, double total, double first, double max_ratio) {
    double low = 1.0;
    double high = max_ratio;
    if (first * count >= total) {
        high = 1.0;
    } else if (first * series_sum(count, max_ratio) <= total) {
        low = max_ratio;
    } else {
        for (int halving = 0; halving < 60; ++halving) {
            const double ratio = (low + high) / 2;
            (first * series_sum(count, ratio) < total ? low : high) = ratio;
        }
    }
    const double ratio = (low + high) / 2;
    std::vector<double> spacings(count);
    double spacing = total / series_sum(count, ratio);
    for (double& entry : spacings) {
        entry = spacing;
        spacing *= ratio;
    }
    return spacings;
}

std::vector<double> column_levels(const ColumnLayout& layout) {
    const int above = layout.layers_above;
    const int below = layout.layers_below;
    const double wanted = kSpacingOfCell * layout.cell_m;
    std::vector<double> levels(above + below + 1, 0.0);
    levels[above] = layout.level_depth_m;
    const auto up = geometric_spacings(above, layout.level_depth_m, wanted, kMaxRatioAbove);
    for (int layer = 0; layer + 1 < above; ++layer) {
        levels[above - layer - 1] = levels[above - layer] - up[layer];
    }
    const auto down = geometric_spacings(below, layout.bottom_depth_m - layout.level_depth_m,
                                         wanted, kMaxRatioBelow);
    for (int layer = 0; layer + 1 < below; ++layer) {
        levels[above + layer + 1] = levels[above + layer] + down[layer];
    }
    levels.back() = layout.bottom_depth_m;
    return levels;
}

void snap_levels(const ColumnLayout& layout, const earth::LayeredStructure& structure,
                 std::vector<double>& levels) {
    const std::span<double> all(levels);
    const auto above = boundaries_of(structure.layers, 0.0);
    const auto below = structure.below_interface.empty()
                           ? above
                           : boundaries_of(structure.below_interface, layout.interface_depth_m);
    if (layout.level_depth_m > 0.0) {
        snap_between(all.first(layout.layers_above + 1), above);
    }
    snap_between(all.subspan(layout.layers_above), below);
}

}  // namespace kaname::meshing
