// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/earth/grid_readers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <map>

#include "solvers/base/error.hpp"
#include "solvers/base/text_file.hpp"
#include "solvers/base/units.hpp"
#include "solvers/h5/file.hpp"

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

namespace {

struct Header {
    std::map<std::string, double> values;
    std::size_t lines = 0;

    [[nodiscard]] bool has(const char* name) const { return values.count(name) != 0; }
    [[nodiscard]] double at(const char* name) const { return values.at(name); }
};

bool is_name(std::string_view cell) {
    const std::string name = lower_case(cell);
    return name != "nan" && name.front() >= 'a' && name.front() <= 'z';
}

/// Lines of a name and a value, either first, up to the first row of values.
Header read_header(const TextFile& file) {
    Header header;
    for (const TextLine& line : file.lines()) {
        const std::vector<std::string_view> cells = cells_of(line.text);
        if (cells.size() != 2 || is_name(cells[0]) == is_name(cells[1])) {
            break;
        }
        const bool name_first = is_name(cells[0]);
        const std::string name = lower_case(cells[name_first ? 0 : 1]);
        header.values[name] = line.number_of(name, cells[name_first ? 1 : 0]);
        ++header.lines;
    }
    return header;
}

/// First node along one axis: `corner` is half a cell before it.
double origin_of(const TextFile& file, const Header& header, const std::string& axis, double cell) {
    const std::string name = axis + "ll";
    for (const std::string& node : {name + "center", name + "centre", name}) {
        if (header.has(node.c_str())) {
            return header.at(node.c_str());
        }
    }
    const std::string corner = name + "corner";
    if (!header.has(corner.c_str())) {
        file.whole().refuse("header must have one of " + name + "center and " + corner);
    }
    return header.at(corner.c_str()) + 0.5 * cell;
}

GriddedSurface grid_of(const TextFile& file, const Header& header) {
    for (const char* name : {"ncols", "nrows"}) {
        constexpr double kMostNodes = 100000.0;
        if (!header.has(name) || header.at(name) < 2.0 || header.at(name) > kMostNodes ||
            header.at(name) != std::floor(header.at(name))) {
            file.whole().refuse(
                std::string("header must have ") + name + ", a whole number between 2 and 100000" +
                (header.has(name) ? ", got " + std::to_string(header.at(name)) : ""));
        }
    }
    double cell[2];
    for (const int axis : {0, 1}) {
        const char* name = axis == 0 ? "dx" : "dy";
        name = header.has(name) ? name : "cellsize";
        if (!header.has(name) || !(header.at(name) > 0.0)) {
            file.whole().refuse(std::string("header must have ") + name + " > 0");
        }
        cell[axis] = header.at(name);
    }
    const double nodes = header.at("ncols") * header.at("nrows");
    if (nodes >
        static_cast<double>(file.lines().back().text.data() + file.lines().back().text.size() -
                            file.lines().front().text.data())) {
        file.whole().refuse("header asks for " + std::to_string(nodes) +
                            " values, more than the file can hold");
    }
    return empty_grid(
        {origin_of(file, header, "x", cell[0]), cell[0], static_cast<int>(header.at("ncols"))},
        {origin_of(file, header, "y", cell[1]), cell[1], static_cast<int>(header.at("nrows"))});
}

}  // namespace

GriddedSurface read_ascii_grid(const TextFile& file, const SurfaceFileRules& rules) {
    if (!rules.column.empty() && rules.column != "depth" && rules.column != "elevation") {
        file.whole().refuse("column", rules.column,
                            "of an ASCII grid must be empty, elevation or depth");
    }
    const double metres = rules.unit.empty() ? 1.0 : metres_per(rules.unit);
    const DepthFactor scale{rules.column == "depth", metres};
    const Header header = read_header(file);
    GriddedSurface grid = grid_of(file, header);
    const double no_data = header.has("nodata_value") ? header.at("nodata_value") : std::nan("");

    // Rows run from north to south; how they are broken into lines does not matter.
    std::size_t count = 0;
    const auto n_lon = static_cast<std::size_t>(grid.n_lon);
    for (std::size_t k = header.lines; k < file.lines().size(); ++k) {
        const TextLine& line = file.lines()[k];
        for (const std::string_view cell : cells_of(line.text)) {
            if (count == grid.depth_m.size()) {
                line.refuse("has more values than ncols x nrows = " + std::to_string(count));
            }
            const bool gap = lower_case(cell) == "nan";
            const double value = gap ? no_data : line.number_of("value", cell);
            const std::size_t row = static_cast<std::size_t>(grid.n_lat) - 1 - count / n_lon;
            if (!gap && value != no_data) {
                grid.depth_m[row * n_lon + count % n_lon] = scale.factor() * value;
            }
            ++count;
        }
    }
    if (count != grid.depth_m.size()) {
        file.whole().refuse("is truncated: has " + std::to_string(count) + " values, must have " +
                            "ncols x nrows = " + std::to_string(grid.depth_m.size()));
    }
    return grid;
}

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

namespace {

std::string variable_name(const h5::File& file, const char* what,
                          std::initializer_list<const char*> names, const std::string& asked = {}) {
    std::string list;
    for (const char* name : names) {
        list += (list.empty() ? "" : ", ") + std::string(name);
        if (asked.empty() && file.has(name)) {
            return name;
        }
    }
    if (asked.empty() || !file.has(asked)) {
        refuse_file(file.path(), std::string("has no ") + what + ": expected the variable " +
                                     (asked.empty() ? "one of " + list : "'" + asked + "'"));
    }
    return asked;
}

double attribute_or(const h5::File& file, const std::string& variable, const char* name,
                    double otherwise) {
    return file.has_attribute(variable, name) ? file.double_attribute(variable, name) : otherwise;
}

/// `units` of the variable, where it is one of length.
double unit_of(const h5::File& file, const std::string& variable, const std::string& asked) {
    if (!asked.empty()) {
        return metres_per(asked);
    }
    const double told = file.has_attribute(variable, "units")
                            ? metres_per(file.string_attribute(variable, "units"))
                            : 0.0;
    return told > 0.0 ? told : kMetresPerKm;
}

/// Throws for axes with too many nodes between them, of which none is read.
void check_size(const h5::File& file, const std::string& x, const std::string& y) {
    constexpr double kMostNodes = 1e8;  // 0.8 GB
    const h5::Dims nx = file.dims(x), ny = file.dims(y);
    const bool axes = nx.size() == 1 && ny.size() == 1;
    if (axes && static_cast<double>(nx[0]) * static_cast<double>(ny[0]) > kMostNodes) {
        refuse_file(file.path(), "has " + std::to_string(nx[0]) + " x " + std::to_string(ny[0]) +
                                     " nodes, must have at most 1e8: cut it to the region");
    }
}

}  // namespace

GriddedSurface read_netcdf_grid(const std::string& path, const SurfaceFileRules& rules) {
    const h5::File file(path, h5::File::Mode::Read);
    const std::string x_name = variable_name(file, "longitude", {"x", "lon", "longitude"});
    const std::string y_name = variable_name(file, "latitude", {"y", "lat", "latitude"});
    const std::string z_name =
        variable_name(file, "heights", {"z", "elevation", "depth", "Band1"}, rules.column);
    check_size(file, x_name, y_name);
    const std::vector<double> x = file.read<double>(x_name, {h5::kAny});
    const std::vector<double> y = file.read<double>(y_name, {h5::kAny});
    const GridAxis lon = find_axis(path, "longitude", x);
    const GridAxis lat = find_axis(path, "latitude", y);
    if (static_cast<std::size_t>(lon.n) != x.size() ||
        static_cast<std::size_t>(lat.n) != y.size()) {
        refuse_file(path, "is not on a regular grid: its coordinates are not evenly spaced");
    }
    const std::vector<double> z = file.read<double>(z_name, {y.size(), x.size()});

    const DepthFactor scale{lower_case(z_name).find("depth") != std::string::npos,
                            unit_of(file, z_name, rules.unit)};
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double fill = attribute_or(file, z_name, "_FillValue", nan);
    const double missing = attribute_or(file, z_name, "missing_value", nan);
    const double packed = attribute_or(file, z_name, "scale_factor", 1.0);
    const double offset = attribute_or(file, z_name, "add_offset", 0.0);
    GriddedSurface grid = empty_grid(lon, lat);
    for (std::size_t j = 0; j < y.size(); ++j) {
        const int row = lat.index(y[j]);
        for (std::size_t i = 0; i < x.size(); ++i) {
            const int column = lon.index(x[i]);
            if (row < 0 || column < 0) {
                refuse_file(path, "node " + std::to_string(x[i]) + ", " + std::to_string(y[j]) +
                                      " is not on a regular grid");
            }
            const double value = z[j * x.size() + i];
            if (std::isfinite(value) && value != fill && value != missing) {
                grid.depth_m[static_cast<std::size_t>(row) * x.size() + column] =
                    scale.factor() * (packed * value + offset);
            }
        }
    }
    return grid;
}

}  // namespace kaname::earth
