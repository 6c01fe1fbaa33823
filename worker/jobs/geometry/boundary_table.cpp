// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/geometry/boundary_table.hpp"

#include <array>
#include <span>

#include "solvers/base/error.hpp"
#include "solvers/base/text_file.hpp"
#include "solvers/base/vec3.hpp"

namespace kaname::jobs {
namespace {

struct Unit {
    const char* suffix;
    double factor;
};
constexpr Unit kDisplacement[] = {{"_m", 1.0}, {"_cm", 1e-2}, {"_mm", 1e-3}};
constexpr Unit kTraction[] = {{"_pa", 1.0}, {"_mpa", 1e6}};

struct Column {
    std::string name;
    double factor;
};

/// The column of a component in one of its units.
Column column_of(const CsvTable& table, const BoundaryDataSpec& data,
                 const std::string& component) {
    const std::span<const Unit> units =
        data.traction ? std::span<const Unit>(kTraction) : std::span<const Unit>(kDisplacement);
    std::vector<Column> found;
    std::string names;
    for (const Unit& unit : units) {
        const std::string name = component + unit.suffix;
        names += (names.empty() ? "" : ", ") + name;
        if (table.has(name)) {
            found.push_back({name, unit.factor});
        }
    }
    if (found.size() != 1) {
        throw Error(ErrorCode::InvalidArgument,
                    data.path + ": must have one of the columns " + names + ", got " +
                        (found.empty() ? "none" : std::to_string(found.size())));
    }
    return found.front();
}

}  // namespace

BoundaryTable read_boundary_table(const BoundaryDataSpec& data) {
    const TextFile file(data.path);
    const CsvTable table(
        file, {"x_m",      "x_km",      "y_m",      "y_km",   "z_m",     "z_km",    "lon_deg",
               "lat_deg",  "depth_m",   "depth_km", "east_m", "east_cm", "east_mm", "north_m",
               "north_cm", "north_mm",  "up_m",     "up_cm",  "up_mm",   "east_pa", "east_mpa",
               "north_pa", "north_mpa", "up_pa",    "up_mpa"});
    std::array<Column, 3> columns;
    for (int comp = 0; comp < 3; ++comp) {
        if (data.given[comp]) {
            columns[comp] = column_of(table, data, kDirections[comp]);
        }
    }
    BoundaryTable result;
    result.geographic = table.has("lon_deg") || table.has("lat_deg");
    const bool down = table.has("depth_m") || table.has("depth_km");
    if (down && (table.has("z_m") || table.has("z_km"))) {
        throw Error(ErrorCode::InvalidArgument,
                    data.path + ": must have one of the columns z_m (up) and depth_m (down)");
    }
    for (const CsvTable::Row& row : table.rows()) {
        Vec3 place;
        if (result.geographic) {
            place.x = row.line.number_in("lon_deg", table.text(row, "lon_deg"), -180.0, 360.0,
                                         "must be from -180 to 360 degrees");
            place.y = row.line.number_in("lat_deg", table.text(row, "lat_deg"), -90.0, 90.0,
                                         "must be from -90 to 90 degrees");
        } else {
            place.x = table.metres(row, "x");
            place.y = table.metres(row, "y");
        }
        place.z = down ? -table.metres(row, "depth") : table.metres(row, "z");
        Vec3 value;
        for (int comp = 0; comp < 3; ++comp) {
            if (data.given[comp]) {
                value[comp] = columns[comp].factor * table.number(row, columns[comp].name);
            }
        }
        result.places.push_back(place);
        result.values.push_back(value);
    }
    return result;
}

}  // namespace kaname::jobs
