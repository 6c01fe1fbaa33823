// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/export/greens/slip_columns.hpp"

#include <cmath>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"

namespace kaname::io {

bool same_rake(double a_deg, double b_deg) {
    constexpr double kClose_deg = 1e-6;
    return std::abs(std::remainder(a_deg - b_deg, 360.0)) < kClose_deg;
}

std::vector<SlipDirection> named_directions(const ExportSource& source, const std::string& layout,
                                            const SlipNames& names) {
    std::vector<SlipDirection> directions = source.directions();
    for (SlipDirection& direction : directions) {
        if (direction.opening) {
            direction.name = names.opening;
        } else if (same_rake(direction.rake_deg, 0.0)) {
            direction.name = names.strike_slip;
        } else if (same_rake(direction.rake_deg, 90.0)) {
            direction.name = names.dip_slip;
        } else {
            throw Error(ErrorCode::InvalidArgument,
                        source.path() +
                            ": slip_component must be strike_slip (rake 0), dip_slip "
                            "(rake 90) or opening for " +
                            layout + ", got '" + direction.name + "' (rake " +
                            number(direction.rake_deg) + ")");
        }
    }
    return directions;
}

}  // namespace kaname::io
