// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/earth/grid_readers.hpp"

namespace kaname::earth {

void refuse_file(const std::string& path, const std::string& what) {
    throw Error(ErrorCode::InvalidArgument, path + ": " + what);
}

int GridAxis::index(double value) const {
    constexpr double kOffGrid = 0.1;
    const double place = (value - origin) / spacing;
    const double nearest = std::round(place);
    const bool on_grid =
        std::abs(place - nearest) <= kOffGrid && nearest >= 0.0 && nearest <= n - 1.0;
    return on_grid ? static_cast<int>(nearest) : -1;
}

GridAxis find_axis(const std::string& path, const char* name, std::vector<double> values) {
    if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); })) {
        refuse_file(path, std::string("has a ") + name + " that is no finite number");
    }
    std::sort(values.begin(), values.end());
    double step = std::numeric_limits<double>::infinity();
    for (std::size_t i = 1; i < values.size(); ++i) {
        const double gap = values[i] - values[i - 1];
        if (gap > 1e-6) {
            step = std::min(step, gap);
        }
    }
    if (!std::isfinite(step)) {
        refuse_file(path, std::string("needs at least two different values of ") + name);
    }
    // The spacing over the whole span is free of the rounding of single values.
    const double span = values.back() - values.front();
    const double cells = std::round(span / step);
    constexpr double kMostCells = 100000.0;
    if (!(cells <= kMostCells)) {
        refuse_file(path, std::string(name) + " is not on a regular grid: the closest values are " +
                              std::to_string(step) + " degrees apart in a span of " +
                              std::to_string(span));
    }
    return {values.front(), span / cells, static_cast<int>(cells) + 1};
}

GriddedSurface empty_grid(const GridAxis& lon, const GridAxis& lat) {
    GriddedSurface grid{lon.origin, lat.origin, lon.spacing, lat.spacing, lon.n, lat.n, {}};
    grid.depth_m.assign(static_cast<std::size_t>(lon.n) * static_cast<std::size_t>(lat.n),
                        std::numeric_limits<double>::quiet_NaN());
    return grid;
}

double metres_per(std::string_view unit) {
    const std::string name = lower_case(trimmed(unit));
    if (name == "km" || name == "kilometer" || name == "kilometers" || name == "kilometre" ||
        name == "kilometres") {
        return kMetresPerKm;
    }
    return name == "m" || name == "meter" || name == "meters" || name == "metre" || name == "metres"
               ? 1.0
               : 0.0;
}

}  // namespace kaname::earth
