// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/dataset/grid_mapping.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

namespace kaname::io {
namespace {

/// Returns the number behind PARAMETER["name", of WKT 2 (OGC 18-010r7).
std::optional<double> parameter_of(const std::string& wkt, const std::string& name) {
    const std::string head = "PARAMETER[\"" + name + "\",";
    const std::size_t at = wkt.find(head);
    double value = 0.0;
    if (at == std::string::npos ||
        std::from_chars(wkt.data() + at + head.size(), wkt.data() + wkt.size(), value).ec !=
            std::errc()) {
        return std::nullopt;
    }
    return value;
}

struct Parameter {
    const char *attribute, *name;
};
constexpr Parameter kParameters[] = {
    {"latitude_of_projection_origin", "Latitude of natural origin"},
    {"longitude_of_projection_origin", "Longitude of natural origin"},
    {"false_easting", "False easting"},
    {"false_northing", "False northing"}};

}  // namespace

bool write_grid_mapping(h5::File& file, const std::string& wkt) {
    file.write<std::int32_t>("crs", std::vector<std::int32_t>{0}, {});
    file.set_attribute("crs", "crs_wkt", wkt);
    file.set_attribute("crs", "long_name",
                       std::string("projection of the model; longitudes and latitudes in this "
                                   "file are WGS84"));
    if (!std::ranges::all_of(kParameters, [&](const Parameter& p) {
            return parameter_of(wkt, p.name).has_value();
        })) {
        return false;
    }
    file.set_attribute("crs", "grid_mapping_name", std::string("azimuthal_equidistant"));
    for (const Parameter& parameter : kParameters) {
        file.set_attribute("crs", parameter.attribute, *parameter_of(wkt, parameter.name));
    }
    file.set_attribute("crs", "longitude_of_prime_meridian", 0.0);
    file.set_attribute("crs", "semi_major_axis", 6378137.0);  // of WGS 84
    file.set_attribute("crs", "inverse_flattening", 298.257223563);
    return true;
}

}  // namespace kaname::io
