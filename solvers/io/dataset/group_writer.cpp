// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/dataset/group_writer.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <vector>

#include "solvers/base/error.hpp"

namespace kaname::io {

void write_about(h5::File& file, const std::string& title, const std::string& version,
                 const std::string& done) {
    const std::string program = "kaname " + version;
    file.set_attribute("/", "Conventions", std::string("CF-1.10"));
    file.set_attribute("/", "title", title);
    file.set_attribute("/", "source", program);
    file.set_attribute("/", "kaname_version", version);
    file.set_attribute("/", "history", program + ": " + done);
}

GroupWriter GroupWriter::inside(const Text& group) const {
    GroupWriter child(file_, path_of(group));
    child.dimensions_ = dimensions_;
    return child;
}

void GroupWriter::count(const Text& name, std::size_t size, const Text& long_name) {
    std::vector<std::int32_t> index(size);
    std::iota(index.begin(), index.end(), 0);
    dimension<std::int32_t>(name, index, "1", long_name);
}

void GroupWriter::bare_dimension(const Text& name, std::size_t size) {
    file_.make_dimension(path_of(name), size);
    dimensions_[name] = {path_of(name), size};
}

void GroupWriter::epochs(std::span<const double> values_s, const Text& long_name) {
    dimension<double>("epoch", values_s, "s", long_name);
}

void GroupWriter::text(const Text& name, const char* axis, std::span<const Text> values,
                       const Text& long_name) {
    const std::size_t size = dimension_named(axis).size;
    if (values.size() != size) {
        throw Error(ErrorCode::InvalidArgument, file_.path() + ": '" + path_of(name) + "' has " +
                                                    std::to_string(values.size()) +
                                                    " texts, must have " + std::to_string(size));
    }
    file_.write_strings(path_of(name), values);
    attach(name, {axis});
    describe(path_of(name), {}, long_name);
}

void GroupWriter::flags(const Text& of, std::span<const std::int8_t> values, const Text& meanings) {
    attribute(of, "flag_values", values);
    attribute(of, "flag_meanings", meanings);
}

h5::Dims GroupWriter::dims(const Axes& axes) const {
    h5::Dims dims;
    for (const char* axis : axes) {
        dims.push_back(dimension_named(axis).size);
    }
    return dims;
}

const GroupWriter::Dimension& GroupWriter::dimension_named(const char* name) const {
    const auto found = dimensions_.find(name);
    if (found == dimensions_.end()) {
        throw Error(ErrorCode::Internal,
                    file_.path() + ": group '" + group_ + "' has no dimension " + name);
    }
    return found->second;
}

void GroupWriter::attach(const Text& name, const Axes& axes) {
    for (unsigned axis = 0; axis < axes.size(); ++axis) {
        file_.attach_scale(path_of(name), axis, dimension_named(axes[axis]).path);
    }
}

void GroupWriter::describe(const Text& path, const Text& units, const Text& long_name) {
    if (!units.empty()) {
        file_.set_attribute(path, "units", units);
    }
    file_.set_attribute(path, "long_name", long_name);
    // Names of CF's table (https://cfconventions.org), by which tools find places.
    const Text name = path.substr(path.rfind('/') + 1);
    if (units == "degrees_east") {
        file_.set_attribute(path, "standard_name", Text("longitude"));
    } else if (units == "degrees_north") {
        file_.set_attribute(path, "standard_name", Text("latitude"));
    } else if (units == "m" && (name == "depth" || name.ends_with("_depth"))) {
        file_.set_attribute(path, "standard_name", Text("depth"));
        file_.set_attribute(path, "positive", Text("down"));
    }
}

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
