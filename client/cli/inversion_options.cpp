// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/inversion_options.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "proto/spec/form/files.hpp"
#include "proto/spec/form/json.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"

namespace kaname::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

std::string normal_path(const std::string& path) {
    return fs::absolute(path).lexically_normal().string();
}

/// Block style: mappings and lists of them on lines of their own, all else in JSON's form, which is
/// YAML's too.
void write_yaml(const ordered_json& value, const std::string& indent, std::string& out) {
    for (const auto& [key, inner] : value.items()) {
        if (inner.is_object() && inner.size() == 1 && inner.contains("path")) {
            out += indent + key + ": " + inner.at("path").dump() + "\n";  // a file is its path
        } else if (inner.is_object()) {
            out += indent + key + ":\n";
            write_yaml(inner, indent + "  ", out);
        } else if (inner.is_array() && !inner.empty() && inner.front().is_object()) {
            out += indent + key + ":\n";
            for (const ordered_json& element : inner) {
                std::string lines;
                write_yaml(element, indent + "    ", lines);
                lines[indent.size() + 2] = '-';
                out += lines;
            }
        } else {
            out += indent + key + ": " + inner.dump() + "\n";
        }
    }
}

}  // namespace

v1::Inversion inversion_of(const InversionOptions& options) {
    const std::size_t n_kinds = options.kinds.size();
    if (n_kinds > 1 && n_kinds != options.data.size()) {
        throw Error(ErrorCode::InvalidArgument,
                    "--kind: must be given once, or once for each --data, got " +
                        std::to_string(n_kinds) + " for " + std::to_string(options.data.size()) +
                        " files");
    }
    v1::Inversion inversion;
    inversion.set_schema(v1::Inversion::descriptor()->full_name());
    inversion.set_name(options.name);
    inversion.mutable_greens()->set_path(normal_path(options.greens));
    for (std::size_t k = 0; k < options.data.size(); ++k) {
        v1::Observations& set = *inversion.add_data();
        if (n_kinds > 0) {
            set.set_kind(options.kinds[n_kinds > 1 ? k : 0]);
        }
        set.mutable_file()->set_path(normal_path(options.data[k]));
        set.set_unit(options.unit);
        set.set_epoch_s(options.epoch_years * kJulianYear_s);
        if (options.since_years) {
            set.set_since_s(*options.since_years * kJulianYear_s);
        }
        set.set_sigma_east_m(options.sigma_east_m);
        set.set_sigma_north_m(options.sigma_north_m);
        set.set_sigma_up_m(options.sigma_up_m);
        set.set_sigma_los_m(options.sigma_los_m);
    }
    v1::SlipUnknowns slip;
    slip.set_allow_negative(options.allow_negative);
    const auto take = [](const std::optional<double>& value, const auto& set) {
        if (value) {
            set(*value);
        }
    };
    take(options.max_m, [&](double value) { slip.set_max_m(value); });
    take(options.rake_from_deg, [&](double value) { slip.set_rake_from_deg(value); });
    take(options.rake_to_deg, [&](double value) { slip.set_rake_to_deg(value); });
    take(options.azimuth_deg, [&](double value) { slip.set_azimuth_deg(value); });
    take(options.magnitude, [&](double value) { slip.mutable_moment()->set_magnitude(value); });
    if (slip.ByteSizeLong() > 0) {
        *inversion.mutable_slip() = slip;
    }
    if (!options.choice.empty()) {
        inversion.mutable_regularisation()->set_choice(options.choice);
    }
    return inversion;
}

std::string yaml_of(v1::Inversion inversion, const fs::path& folder) {
    spec::for_each_file(inversion, [&](v1::File& file, const std::string&) {
        file.clear_sha256();
        file.set_path(fs::proximate(file.path(), fs::absolute(folder)).string());
    });
    std::string text;
    write_yaml(ordered_json::parse(spec::to_json(inversion)), "", text);
    return text;
}

}  // namespace kaname::cli
