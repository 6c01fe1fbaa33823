// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>

#include "solvers/base/csv_table.hpp"
#include "solvers/base/units.hpp"
#include "solvers/earth/grid_readers.hpp"

namespace kaname::earth {
namespace {

bool says(const std::string& name, std::string_view word) {
    return name.find(word) != name.npos;
}

/// Sign and unit that a column's name tells.
DepthFactor factor_of(const CsvTable& table, const std::string& column, const std::string& unit) {
    const std::string name = lower_case(column);
    const bool down = says(name, "depth");
    const bool up = says(name, "elevation") || says(name, "height") || says(name, "altitude") ||
                    says(name, "topo") || says(name, "bathy") || name.starts_with("top_");
    if (!down && !up) {
        table.header().refuse("column", column,
                              "must say in its name what it is: depth, elevation, height or top_");
    }
    const double metres = name.ends_with("_km")  ? kMetresPerKm
                          : name.ends_with("_m") ? 1.0
                                                 : metres_per(unit);
    if (metres == 0.0) {
        table.header().refuse("column", column, "must end with its unit, _km or _m");
    }
    return {down, metres};
}

/// The column asked for, or the only one that is a height without doubt.
std::string column_of(const CsvTable& table, const std::string& asked) {
    for (const char* name : {"lon_deg", "lat_deg"}) {
        table.require(name);
    }
    if (!asked.empty()) {
        table.require(asked);
        return asked;
    }
    std::vector<std::string> found;
    for (const char* name : {"depth_km", "depth_m", "elevation_km", "elevation_m"}) {
        if (table.has(name)) {
            found.emplace_back(name);
        }
    }
    if (found.size() != 1) {
        std::string names;
        for (const std::string& name : table.names()) {
            names += (names.empty() ? "" : ", ") + name;
        }
        table.header().refuse(
            std::string("must have one of the columns depth_km, depth_m, elevation_km and "
                        "elevation_m, or `column` names another; it has ") +
            names);
    }
    return found.front();
}

}  // namespace

GriddedSurface read_csv_grid(const TextFile& file, const SurfaceFileRules& rules) {
    const std::string path = file.path().string();
    const CsvTable table(file, {});
    const std::string column = column_of(table, rules.column);
    const double factor = factor_of(table, column, rules.unit).factor();
    // A model's layers are everywhere: a gap in one is a fault of the file.
    const bool has_gaps = !column.starts_with("top_");

    struct Node {
        double lon_deg, lat_deg, depth_m;
    };
    std::vector<Node> nodes;
    std::vector<double> lons;
    std::vector<double> lats;
    for (const CsvTable::Row& row : table.rows()) {
        Node node{table.number(row, "lon_deg"), table.number(row, "lat_deg"),
                  factor * table.number_or_gap(row, column)};
        if (!has_gaps && std::isnan(node.depth_m)) {
            row.line.refuse(column + " at longitude " + std::to_string(node.lon_deg) +
                            ", latitude " + std::to_string(node.lat_deg) +
                            " is nan, must be a number");
        }
        nodes.push_back(node);
        lons.push_back(node.lon_deg);
        lats.push_back(node.lat_deg);
    }
    const GridAxis lon = find_axis(path, "lon_deg", std::move(lons));
    const GridAxis lat = find_axis(path, "lat_deg", std::move(lats));
    constexpr double kMostNodes = 1e8;
    if (static_cast<double>(lon.n) * lat.n > kMostNodes) {
        refuse_file(path, "is not on a regular grid: its " + std::to_string(nodes.size()) +
                              " nodes would need " + std::to_string(lon.n) + " x " +
                              std::to_string(lat.n));
    }

    GriddedSurface grid = empty_grid(lon, lat);
    std::vector<char> seen(grid.depth_m.size(), 0);
    for (std::size_t row = 0; row < nodes.size(); ++row) {
        const Node& node = nodes[row];
        const int i = lon.index(node.lon_deg);
        const int j = lat.index(node.lat_deg);
        const auto refuse = [&](const std::string& what) {
            table.rows()[row].line.refuse("node " + std::to_string(node.lon_deg) + ", " +
                                          std::to_string(node.lat_deg) + " " + what);
        };
        if (i < 0 || j < 0) {
            refuse("is not on a regular grid of " + std::to_string(lon.spacing) + " x " +
                   std::to_string(lat.spacing) + " degrees");
        }
        const std::size_t at = static_cast<std::size_t>(j) * lon.n + i;
        if (seen[at]) {
            refuse("is given twice");
        }
        seen[at] = 1;
        grid.depth_m[at] = node.depth_m;
    }
    return grid;
}

}  // namespace kaname::earth
