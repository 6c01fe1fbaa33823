// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <initializer_list>
#include <limits>

#include "solvers/base/units.hpp"
#include "solvers/earth/grid_readers.hpp"
#include "solvers/h5/file.hpp"

namespace kaname::earth {
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
