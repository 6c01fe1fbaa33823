// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <map>

#include "solvers/base/error.hpp"
#include "solvers/earth/grid_readers.hpp"

namespace kaname::earth {
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

}  // namespace kaname::earth
