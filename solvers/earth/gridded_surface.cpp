// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/earth/gridded_surface.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>

#include "solvers/base/error.hpp"
#include "solvers/h5/file.hpp"

namespace kaname::earth {
namespace {

constexpr double kNoData = std::numeric_limits<double>::quiet_NaN();
constexpr double kMetresPerKm = 1000.0;

struct Node {
    double lon_deg, lat_deg, depth_m;
    std::string where;  ///< "line 12", for messages; empty when the place says enough
};

struct Axis {
    double origin = 0.0, spacing = 0.0;
    int n = 0;

    [[nodiscard]] int index(double value) const {
        return static_cast<int>(std::lround((value - origin) / spacing));
    }
};

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
    throw Error(ErrorCode::InvalidArgument, path + ": " + what);
}

/// Origin, spacing and count of the coordinates, which may come in any order and repeat.
Axis find_axis(const std::string& path, const char* name, std::vector<double> values) {
    std::sort(values.begin(), values.end());
    double step = std::numeric_limits<double>::infinity();
    for (std::size_t i = 1; i < values.size(); ++i) {
        const double gap = values[i] - values[i - 1];
        if (gap > 1e-6) {
            step = std::min(step, gap);
        }
    }
    if (!std::isfinite(step)) {
        refuse(path, std::string("needs at least two different values of ") + name);
    }
    // The spacing over the whole span is free of the rounding of single values.
    const double span = values.back() - values.front();
    const double cells = std::round(span / step);
    constexpr double kMostCells = 20000.0;
    if (cells > kMostCells) {
        refuse(path, std::string(name) + " is not on a regular grid: the closest values are " +
                         std::to_string(step) + " degrees apart in a span of " +
                         std::to_string(span));
    }
    return {values.front(), span / cells, static_cast<int>(cells) + 1};
}

GriddedSurface assemble(const std::string& path, const std::vector<Node>& nodes) {
    std::vector<double> lons;
    std::vector<double> lats;
    for (const Node& node : nodes) {
        lons.push_back(node.lon_deg);
        lats.push_back(node.lat_deg);
    }
    const Axis lon = find_axis(path, "lon_deg", std::move(lons));
    const Axis lat = find_axis(path, "lat_deg", std::move(lats));

    GriddedSurface grid{lon.origin, lat.origin, lon.spacing, lat.spacing, lon.n, lat.n, {}};
    grid.depth_m.assign(static_cast<std::size_t>(lon.n) * static_cast<std::size_t>(lat.n), kNoData);
    std::vector<char> seen(grid.depth_m.size(), 0);
    bool any = false;
    for (const Node& node : nodes) {
        const int i = lon.index(node.lon_deg);
        const int j = lat.index(node.lat_deg);
        constexpr double kOffGrid = 0.1;  // of the spacing: room for coordinates with few digits
        const std::string place = "node " + std::to_string(node.lon_deg) + ", " +
                                  std::to_string(node.lat_deg) +
                                  (node.where.empty() ? "" : " (" + node.where + ")");
        if (std::abs(lon.origin + i * lon.spacing - node.lon_deg) > kOffGrid * lon.spacing ||
            std::abs(lat.origin + j * lat.spacing - node.lat_deg) > kOffGrid * lat.spacing) {
            refuse(path, place + " is not on a regular grid of " + std::to_string(lon.spacing) +
                             " x " + std::to_string(lat.spacing) + " degrees");
        }
        const std::size_t at = static_cast<std::size_t>(j) * lon.n + i;
        if (seen[at]) {
            refuse(path, place + " is given twice");
        }
        if (node.depth_m < 0.0) {
            refuse(path, place + ": depth counts down from sea level and must be >= 0, got " +
                             std::to_string(node.depth_m) + " m");
        }
        seen[at] = 1;
        grid.depth_m[at] = node.depth_m;
        any = any || std::isfinite(node.depth_m);
    }
    if (!any) {
        refuse(path, "holds no depth");
    }
    return grid;
}

std::vector<std::string_view> split(std::string_view line) {
    std::vector<std::string_view> cells;
    for (;;) {
        const std::size_t comma = line.find(',');
        std::string_view cell = line.substr(0, comma);
        const std::size_t first = cell.find_first_not_of(" \t\r");
        const std::size_t last = cell.find_last_not_of(" \t\r");
        cells.push_back(first == cell.npos ? cell.substr(0, 0)
                                           : cell.substr(first, last - first + 1));
        if (comma == line.npos) {
            return cells;
        }
        line.remove_prefix(comma + 1);
    }
}

std::optional<double> to_number(std::string_view text) {
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return value;
}

/// The next line that is neither blank nor a comment; counts the lines it passes.
bool next_row(std::istream& in, std::string& line, std::size_t& number) {
    while (std::getline(in, line)) {
        ++number;
        const std::size_t first = line.find_first_not_of(" \t\r");
        if (first != line.npos && line[first] != '#') {
            return true;
        }
    }
    return false;
}

GriddedSurface read_csv(const std::string& path) {
    std::ifstream in(path);
    std::string line;
    std::size_t number = 0;
    if (!next_row(in, line, number)) {
        refuse(path, "is empty");
    }
    constexpr std::array<std::string_view, 3> kNames = {"lon_deg", "lat_deg", "depth_km"};
    std::array<std::size_t, 3> column{};
    const std::vector<std::string_view> header = split(line);
    for (std::size_t i = 0; i < kNames.size(); ++i) {
        const auto found = std::find(header.begin(), header.end(), kNames[i]);
        if (found == header.end()) {
            refuse(path, "line " + std::to_string(number) +
                             " must be a header with lon_deg, lat_deg and depth_km; " +
                             std::string(kNames[i]) + " is missing");
        }
        column[i] = static_cast<std::size_t>(found - header.begin());
    }

    std::vector<Node> nodes;
    while (next_row(in, line, number)) {
        const std::vector<std::string_view> cells = split(line);
        std::array<double, 3> values{};
        for (std::size_t i = 0; i < kNames.size(); ++i) {
            const std::string_view cell =
                column[i] < cells.size() ? cells[column[i]] : std::string_view();
            const std::optional<double> value = to_number(cell);
            const bool may_be_nan = kNames[i] == "depth_km";
            if (!value || !(std::isfinite(*value) || (may_be_nan && std::isnan(*value)))) {
                refuse(path, "line " + std::to_string(number) + ": " + std::string(kNames[i]) +
                                 " must be a number, got '" + std::string(cell) + "'");
            }
            values[i] = *value;
        }
        nodes.push_back(
            {values[0], values[1], values[2] * kMetresPerKm, "line " + std::to_string(number)});
    }
    return assemble(path, nodes);
}

GriddedSurface read_grd(const std::string& path) {
    const h5::File file(path, h5::File::Mode::Read);
    const std::vector<double> x = file.read<double>("x", {0});
    const std::vector<double> y = file.read<double>("y", {0});
    const std::vector<double> z = file.read<double>("z", {y.size(), x.size()});
    std::vector<Node> nodes;
    nodes.reserve(z.size());
    for (std::size_t j = 0; j < y.size(); ++j) {
        for (std::size_t i = 0; i < x.size(); ++i) {
            nodes.push_back({x[i], y[j], -kMetresPerKm * z[j * x.size() + i], {}});
        }
    }
    return assemble(path, nodes);
}

}  // namespace

double GriddedSurface::depth_at(double lon_deg, double lat_deg) const {
    // Grids count longitude from 0 or from -180.
    const double east = lon_deg - lon0_deg;
    const double u = (east - 360.0 * std::floor(east / 360.0)) / spacing_lon_deg;
    const double v = (lat_deg - lat0_deg) / spacing_lat_deg;
    if (!(u <= n_lon - 1) || !(v >= 0.0) || !(v <= n_lat - 1)) {
        return kNoData;
    }
    const int i = std::min(static_cast<int>(u), n_lon - 2);
    const int j = std::min(static_cast<int>(v), n_lat - 2);
    const double a = u - i;
    const double b = v - j;
    const double* south = &depth_m[static_cast<std::size_t>(j) * n_lon + i];
    const double* north = south + n_lon;
    return (1 - b) * ((1 - a) * south[0] + a * south[1]) + b * ((1 - a) * north[0] + a * north[1]);
}

GriddedSurface read_gridded_surface(const std::string& path) {
    return h5::has_hdf5_signature(path) ? read_grd(path) : read_csv(path);
}

}  // namespace kaname::earth
