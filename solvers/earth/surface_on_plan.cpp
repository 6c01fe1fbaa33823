// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/earth/surface_on_plan.hpp"

#include <cmath>

#include "solvers/base/error.hpp"
#include "solvers/earth/grid_fill.hpp"

namespace kaname::earth {
namespace {

[[noreturn]] void refuse_outside(const GriddedSurface& data, const PlanNodes& nodes,
                                 const char* what) {
    throw Error(ErrorCode::InvalidArgument, "its data (" + extent(data).text() + ") " + what +
                                                " the region (" + nodes.region.text() + ")");
}

}  // namespace

LaidSurface lay_on_plan(const GriddedSurface& data, const PlanNodes& nodes,
                        const SurfaceShape& shape) {
    LaidSurface laid;
    std::vector<double> depth(nodes.places.size());
    std::vector<unsigned char> known(depth.size());
    bool overlaps = false;
    std::size_t in_box = 0;
    std::size_t with_data = 0;
    std::size_t limited = 0;
    for (std::size_t at = 0; at < depth.size(); ++at) {
        const LonLat place = nodes.places[at];
        const double value = data.depth_at(place.lon_deg, place.lat_deg);
        known[at] = std::isfinite(value);
        const bool beyond =
            known[at] && shape.limits && (value < shape.limits->low || value > shape.limits->high);
        laid.data.known.push_back(known[at] && !beyond ? 1 : 0);
        depth[at] = !known[at] ? 0.0 : shape.limits ? shape.limits->clip(value) : value;
        if (nodes.in_box(static_cast<int>(at % nodes.grid.nu),
                         static_cast<int>(at / nodes.grid.nu))) {
            ++in_box;
            with_data += known[at];
            overlaps = overlaps || data.covers(place.lon_deg, place.lat_deg);
            limited += beyond;
        }
    }
    if (!overlaps) {
        refuse_outside(data, nodes, "do not overlap");
    }
    if (with_data == 0) {
        refuse_outside(data, nodes, "have nothing but gaps inside");
    }
    laid.extended_fraction = 1.0 - static_cast<double>(with_data) / static_cast<double>(in_box);
    laid.limited_fraction = static_cast<double>(limited) / static_cast<double>(in_box);

    fill_smoothly(PlanGrid(nodes.grid), known, shape.slope_decay_m, depth);
    for (double& value : depth) {
        value = -value;
    }
    shape_heights(shape, nodes.grid, depth);
    laid.height = HeightField(nodes.grid, depth);
    laid.data.grid = nodes.grid;
    return laid;
}

void shape_heights(const SurfaceShape& shape, const HeightField::Grid& grid,
                   std::vector<double>& z) {
    smooth_gaussian(PlanGrid(grid), shape.smoothing_m, z);
    if (shape.limits) {
        for (double& value : z) {
            value = -(*shape.limits)(-value);
        }
    }
}

}  // namespace kaname::earth
