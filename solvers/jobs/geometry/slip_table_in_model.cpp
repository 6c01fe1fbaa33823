// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/geometry/slip_table_in_model.hpp"

#include <cmath>

#include "solvers/base/error.hpp"

namespace kaname::jobs {

Vec3 to_grid(const Vec3& v, double convergence) {
    const double c = std::cos(convergence), s = std::sin(convergence);
    return {c * v.x + s * v.y, -s * v.x + c * v.y, v.z};
}

fault::SlipTable slip_table_in_model(const std::string& path, const std::string& field,
                                     const std::optional<earth::Projection>& projection) {
    fault::SlipTable table = fault::read_slip_table(path);
    if (!table.geographic) {
        return table;
    }
    if (!projection) {
        throw ValidationError({{field, "must have the columns x_m and y_m: region.crs is none"}});
    }
    for (std::size_t k = 0; k < table.places.size(); ++k) {
        const earth::LonLat at{table.places[k].x, table.places[k].y};
        const auto map = projection->forward(at);
        table.places[k] = {map.x_m, map.y_m, table.places[k].z};
        if (!table.by_components) {
            table.slip[k] = to_grid(table.slip[k], projection->convergence(at));
        }
    }
    table.geographic = false;
    return table;
}

}  // namespace kaname::jobs
