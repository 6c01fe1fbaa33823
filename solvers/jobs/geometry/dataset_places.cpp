// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/geometry/dataset_places.hpp"

#include <cmath>

#include "solvers/base/units.hpp"

namespace kaname::jobs {

void set_centre(const Domain& domain, const Vec3& x, io::GreensDataset::Source& row) {
    row.depth_m = -x.z;
    row.x_m = x.x;
    row.y_m = x.y;
    if (!domain.projected()) {
        return;
    }
    const auto lonlat = domain.projection().inverse({x.x, x.y});
    row.lon_deg = lonlat.lon_deg;
    row.lat_deg = lonlat.lat_deg;
}

void set_corner(const Domain& domain, int corner, const Vec3& x, io::GreensDataset::Source& row) {
    row.outline_depth_m[corner] = -x.z;
    row.outline_x_m[corner] = x.x;
    row.outline_y_m[corner] = x.y;
    if (!domain.projected()) {
        return;
    }
    const auto lonlat = domain.projection().inverse({x.x, x.y});
    row.outline_lon_deg[corner] = lonlat.lon_deg;
    row.outline_lat_deg[corner] = lonlat.lat_deg;
}

io::GreensDataset::Station station_row(const Domain& domain, const StationSpec& station,
                                       const Vec3& snapped) {
    io::GreensDataset::Station row;
    row.id = station.id;
    if (station.look) {
        row.look_east = station.look->x;
        row.look_north = station.look->y;
        row.look_up = station.look->z;
    }
    row.depth_m = station.depth_m.value_or(0.0);
    row.snapped_depth_m = -snapped.z + 0.0;
    if (!domain.projected()) {
        row.x_m = station.x_m;
        row.y_m = station.y_m;
        row.snapped_x_m = snapped.x;
        row.snapped_y_m = snapped.y;
        return row;
    }
    const auto lonlat = domain.projection().inverse({snapped.x, snapped.y});
    row.lon_deg = station.lon_deg;
    row.lat_deg = station.lat_deg;
    row.snapped_lon_deg = lonlat.lon_deg;
    row.snapped_lat_deg = lonlat.lat_deg;
    return row;
}

double convergence(const Domain& domain, const Vec3& at) {
    return domain.projected()
               ? domain.projection().convergence(domain.projection().inverse({at.x, at.y}))
               : 0.0;
}

double true_azimuth_deg(const Domain& domain, const Vec3& direction, const Vec3& at) {
    const double grid = std::atan2(direction.x, direction.y);
    return std::fmod((grid - convergence(domain, at)) / kDegree + 720.0, 360.0);
}

}  // namespace kaname::jobs
