// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/earth/earth_columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/base/csv_table.hpp"
#include "solvers/base/units.hpp"
#include "solvers/earth/grid_readers.hpp"

namespace kaname::earth {
namespace {

double squared_distance(LonLat a, LonLat b) {
    const double east = std::remainder(a.lon_deg - b.lon_deg, 360.0) *
                        std::cos(0.5 * (a.lat_deg + b.lat_deg) * kDegree);
    const double north = a.lat_deg - b.lat_deg;
    return east * east + north * north;
}

/// Column of the top of the layer that follows `layer`; empty where the table has no tops, or it is
/// the last.
std::string top_below(const CsvTable& table, const std::string& layer) {
    const std::vector<std::string>& names = table.names();
    auto at = std::find(names.begin(), names.end(), "top_" + layer + "_km");
    while (at != names.end() && ++at != names.end()) {
        if (at->starts_with("top_") && at->ends_with("_km")) {
            return *at;
        }
    }
    return {};
}

void require_layer(const CsvTable& table, const std::string& layer) {
    std::string layers;
    for (const std::string& name : table.names()) {
        if (name.starts_with("vp_")) {
            layers += (layers.empty() ? "" : ", ") + name.substr(3);
        }
    }
    for (const char* kind : {"vp_", "vs_", "rho_"}) {
        if (!table.has(kind + layer)) {
            table.header().refuse("has no column " + (kind + layer) +
                                  "; the table's layers: " + (layers.empty() ? "none" : layers));
        }
    }
}

EarthColumns::Cell cell_of(const CsvTable& table, const CsvTable::Row& row,
                           const std::string& layer, const std::string& next_top) {
    EarthColumns::Cell cell;
    cell.centre = {table.number(row, "lon_deg"), table.number(row, "lat_deg")};
    const auto number = [&](const std::string& name) {
        const double value = table.number_or_gap(row, name);
        if (std::isnan(value)) {
            row.line.refuse(name + " at " + text_of(cell.centre) + " is nan, must be a number");
        }
        return value;
    };
    constexpr double kThousand = 1000.0;  // km/s to m/s, g/cm3 to kg/m3
    cell.speeds = {kThousand * number("vp_" + layer), kThousand * number("vs_" + layer),
                   kThousand * number("rho_" + layer)};
    cell.has_layer = cell.speeds.vs_m_per_s > 0.0 &&
                     (next_top.empty() || number("top_" + layer + "_km") > number(next_top));
    if (cell.has_layer && !cell.speeds.is_solid()) {
        row.line.refuse(layer + " at " + text_of(cell.centre) +
                        " must have rho > 0 and vp > sqrt(4/3) vs (bulk modulus > 0), got vp " +
                        std::to_string(cell.speeds.vp_m_per_s) + " and vs " +
                        std::to_string(cell.speeds.vs_m_per_s) + " m/s, rho " +
                        std::to_string(cell.speeds.density_kg_per_m3) + " kg/m3");
    }
    return cell;
}

}  // namespace

EarthColumns::Nearest EarthColumns::nearest(LonLat place) const {
    double east = place.lon_deg - lon0_deg + 0.5 * spacing_lon_deg;
    east -= 360.0 * std::floor(east / 360.0);
    const double u = east / spacing_lon_deg;
    const double v = (place.lat_deg - lat0_deg) / spacing_lat_deg + 0.5;
    const bool inside = u < n_lon && v >= 0.0 && v < n_lat;
    // Outside, the nearest cell of the rim: the west one when that is the shorter way round.
    const double beyond = 0.5 * (n_lon + 360.0 / spacing_lon_deg);
    const double column = u < n_lon ? std::floor(u) : u < beyond ? n_lon - 1.0 : 0.0;
    const double row = std::clamp(std::floor(v), 0.0, n_lat - 1.0);
    const int cell =
        cell_at[static_cast<std::size_t>(row) * n_lon + static_cast<std::size_t>(column)];
    if (cell >= 0) {
        return {cell, inside};
    }
    const auto closer = [&](const Cell& a, const Cell& b) {
        return squared_distance(a.centre, place) < squared_distance(b.centre, place);
    };
    const auto best = std::min_element(cells.begin(), cells.end(), closer);
    return {static_cast<int>(best - cells.begin()), false};
}

int EarthColumns::with_layer(int cell) const {
    int best = cell;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < cells.size() && !cells[cell].has_layer; ++k) {
        const double distance = squared_distance(cells[k].centre, cells[cell].centre);
        if (cells[k].has_layer && distance < least) {
            least = distance;
            best = static_cast<int>(k);
        }
    }
    return best;
}

LonLatBox EarthColumns::extent() const {
    LonLatBox box;
    box.add({lon0_deg - 0.5 * spacing_lon_deg, lat0_deg - 0.5 * spacing_lat_deg});
    box.add(
        {lon0_deg + (n_lon - 0.5) * spacing_lon_deg, lat0_deg + (n_lat - 0.5) * spacing_lat_deg});
    return box;
}

EarthColumns read_earth_columns(const std::string& path, const std::string& layer) {
    const TextFile file(path);
    const CsvTable table(file, {});
    table.require("lon_deg");
    table.require("lat_deg");
    require_layer(table, layer);
    const std::string next_top = top_below(table, layer);
    EarthColumns columns;
    std::vector<double> lons;
    std::vector<double> lats;
    for (const CsvTable::Row& row : table.rows()) {
        columns.cells.push_back(cell_of(table, row, layer, next_top));
        lons.push_back(columns.cells.back().centre.lon_deg);
        lats.push_back(columns.cells.back().centre.lat_deg);
    }
    if (std::none_of(columns.cells.begin(), columns.cells.end(),
                     [](const EarthColumns::Cell& cell) { return cell.has_layer; })) {
        file.whole().refuse("no cell has the layer '" + layer + "' with vs > 0 and a thickness");
    }

    const GridAxis lon = find_axis(path, "lon_deg", std::move(lons));
    const GridAxis lat = find_axis(path, "lat_deg", std::move(lats));
    columns.lon0_deg = lon.origin;
    columns.lat0_deg = lat.origin;
    columns.spacing_lon_deg = lon.spacing;
    columns.spacing_lat_deg = lat.spacing;
    columns.n_lon = lon.n;
    columns.n_lat = lat.n;
    constexpr double kMostCells = 1e8;
    if (static_cast<double>(lon.n) * lat.n > kMostCells) {
        file.whole().refuse("is not on a regular grid");
    }
    columns.cell_at.assign(static_cast<std::size_t>(lon.n) * lat.n, -1);
    for (std::size_t k = 0; k < columns.cells.size(); ++k) {
        const LonLat centre = columns.cells[k].centre;
        const int i = lon.index(centre.lon_deg);
        const int j = lat.index(centre.lat_deg);
        if (i < 0 || j < 0) {
            table.rows()[k].line.refuse("cell at " + text_of(centre) + " is not on a regular grid");
        }
        int& at = columns.cell_at[static_cast<std::size_t>(j) * lon.n + i];
        if (at >= 0) {
            table.rows()[k].line.refuse("cell at " + text_of(centre) + " is given twice");
        }
        at = static_cast<int>(k);
    }
    return columns;
}

}  // namespace kaname::earth
