// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/slip_model/slip_points.hpp"

#include <cmath>
#include <string>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/slip_model/csv_table.hpp"
#include "solvers/slip_model/patch_rules.hpp"

namespace kaname::slip_model {
namespace {

enum class Columns { Components, Rake, Vector };

Columns find_columns(const CsvTable& table, const TextFile& file) {
    const bool components = table.has("strike_slip_m") || table.has("dip_slip_m");
    const bool rake = table.has("slip_m") || table.has("rake_deg");
    const bool vector =
        table.has("slip_east_m") || table.has("slip_north_m") || table.has("slip_up_m");
    if (components + rake + vector != 1) {
        file.whole().refuse(
            "columns: must be either strike_slip_m, dip_slip_m, or slip_m, rake_deg, or "
            "slip_east_m, slip_north_m, slip_up_m");
    }
    if (vector && table.has("opening_m")) {
        file.whole().refuse("columns: slip_east_m, slip_north_m, slip_up_m hold opening as well");
    }
    return components ? Columns::Components : rake ? Columns::Rake : Columns::Vector;
}

double slip_number(const CsvTable& table, const CsvTable::Row& row, std::string_view name) {
    return row.line.number_in(name, table.text(row, name), -100.0, 100.0,
                              "must be from -100 to 100 m (are the units right?)");
}

void read_slip(const CsvTable& table, const CsvTable::Row& row, Columns columns, SlipPoint& point) {
    if (columns == Columns::Vector) {
        point.slip_m = {slip_number(table, row, "slip_east_m"),
                        slip_number(table, row, "slip_north_m"),
                        slip_number(table, row, "slip_up_m")};
        return;
    }
    if (columns == Columns::Components) {
        point.strike_slip_m = slip_number(table, row, "strike_slip_m");
        point.dip_slip_m = slip_number(table, row, "dip_slip_m");
    } else {
        const double slip_m = slip_number(table, row, "slip_m");
        const double rake =
            kDegree * row.line.number_in("rake_deg", table.text(row, "rake_deg"), -720.0, 720.0,
                                         "must be from -720 to 720 degrees");
        point.strike_slip_m = slip_m * std::cos(rake);
        point.dip_slip_m = slip_m * std::sin(rake);
    }
    if (table.has("opening_m")) {
        point.opening_m = slip_number(table, row, "opening_m");
    }
}

}  // namespace

SlipPoints read_slip_points(const std::filesystem::path& path) {
    const TextFile file(path);
    const CsvTable table(file, {"lon_deg", "lat_deg", "depth_m", "depth_km", "x_m", "y_m", "z_m",
                                "strike_slip_m", "dip_slip_m", "opening_m", "slip_m", "rake_deg",
                                "slip_east_m", "slip_north_m", "slip_up_m"});
    const Columns columns = find_columns(table, file);
    SlipPoints out;
    out.name = path.stem().string();
    out.components = columns != Columns::Vector;
    out.geographic = table.has("lon_deg") || table.has("lat_deg");
    for (const CsvTable::Row& row : table.rows()) {
        SlipPoint point;
        if (out.geographic) {
            point.lon_deg = row.line.number_in("lon_deg", table.text(row, "lon_deg"), -360.0, 360.0,
                                               "must be from -360 to 360 degrees");
            point.lat_deg = row.line.number_in("lat_deg", table.text(row, "lat_deg"), -90.0, 90.0,
                                               "must be from -90 to 90 degrees");
        } else {
            point.x_m = table.number(row, "x_m");
            point.y_m = table.number(row, "y_m");
        }
        point.depth_m = table.has("z_m") && !out.geographic ? -table.number(row, "z_m")
                                                            : table.metres(row, "depth");
        read_slip(table, row, columns, point);
        out.points.push_back(point);
    }
    return out;
}

std::vector<PlacedPoint> place(const SlipPoints& table, const earth::Projection* projection) {
    if (table.geographic && projection == nullptr) {
        throw Error(ErrorCode::InvalidArgument,
                    "slip points '" + table.name +
                        "' are in longitude and latitude: they need a map projection");
    }
    std::vector<PlacedPoint> out;
    out.reserve(table.points.size());
    for (const SlipPoint& point : table.points) {
        PlacedPoint placed{{point.x_m, point.y_m, -point.depth_m}, point.slip_m};
        if (table.geographic) {
            const earth::LonLat where{point.lon_deg, point.lat_deg};
            const earth::MapPoint map = projection->forward(where);
            placed.x = {map.x_m, map.y_m, -point.depth_m};
            // Azimuths grow by the convergence: clockwise.
            const double turn = projection->convergence(where);
            const Vec3& slip = point.slip_m;
            placed.slip_m = {slip.x * std::cos(turn) + slip.y * std::sin(turn),
                             slip.y * std::cos(turn) - slip.x * std::sin(turn), slip.z};
        }
        out.push_back(placed);
    }
    return out;
}

}  // namespace kaname::slip_model
