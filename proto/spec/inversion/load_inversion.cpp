// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/inversion/load_inversion.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <set>

#include "proto/spec/form/canonical.hpp"
#include "proto/spec/form/files.hpp"
#include "proto/spec/form/text.hpp"
#include "proto/spec/form/yaml_places.hpp"
#include "proto/spec/inversion/covariance_file.hpp"
#include "proto/spec/inversion/inversion_rules.hpp"
#include "proto/spec/inversion/observation_units.hpp"

namespace kaname::spec {
namespace {

void append(std::vector<Violation>& to, std::vector<Violation> from) {
    std::move(from.begin(), from.end(), std::back_inserter(to));
}

/// Runs `read` of the file of `field`; false, and what is wrong, when it cannot be read.
template <class Read>
bool try_read(const std::string& field, std::vector<Violation>& broken, const Read& read) {
    try {
        read();
        return true;
    } catch (const ValidationError& error) {
        append(broken, error.violations());
    } catch (const Error& error) {
        broken.push_back({field, error.what()});
    }
    return false;
}

/// Motion and errors of one set, whose file has been found.
bool read_set(int index, LoadedInversion& spec, std::vector<Violation>& broken) {
    v1::Observations& set = *spec.inversion.mutable_data(index);
    const std::string field = element("data", index);
    ObservationTable& table = spec.tables[index];
    if (find_observation_kind(set.kind()) == nullptr || set.file().sha256().empty()) {
        return false;  // validate() and resolve_files() say why
    }
    if (!try_read(field + ".file", broken,
                  [&] { table = read_observations(set, field, spec.inversion.has_synthetic()); })) {
        return false;
    }
    set.set_quantity(table.velocity ? kVelocity : kDisplacement);
    if (set.components().empty()) {
        set.mutable_components()->Assign(table.components.begin(), table.components.end());
    }
    spec.warnings.insert(spec.warnings.end(), table.warnings.begin(), table.warnings.end());
    if (set.covariance().sha256().empty()) {
        return true;
    }
    const std::size_t n = table.rows.size();
    std::vector<double>& covariance = spec.covariances[index];
    const bool read = try_read(field + ".covariance", broken,
                               [&] { covariance = read_covariance(set.covariance().path(), n); });
    for (std::size_t k = 0; read && k < n; ++k) {
        table.rows[k].sigma = std::sqrt(covariance[k * n + k]);
    }
    return read;
}

InversionFacts read_files(LoadedInversion& spec, std::vector<Violation>& broken) {
    InversionFacts facts;
    std::set<std::string> stations;
    spec.tables.resize(spec.inversion.data_size());
    spec.covariances.resize(spec.inversion.data_size());
    for (int k = 0; k < spec.inversion.data_size(); ++k) {
        if (!read_set(k, spec, broken)) {
            facts.known = false;
            continue;
        }
        (spec.tables[k].velocity ? facts.velocities : facts.displacements) = true;
        const std::vector<std::string> ids = spec.tables[k].station_ids();
        stations.insert(ids.begin(), ids.end());
    }
    facts.known = facts.known && spec.inversion.data_size() > 0;
    facts.stations = stations.size();
    const v1::File& slip = spec.inversion.synthetic().slip();
    if (!slip.sha256().empty()) {
        (void)try_read("synthetic.slip", broken, [&] { spec.slip = read_slip_csv(slip.path()); });
    }
    return facts;
}

/// Refuses fields that have a meaning only for observations with known positions.
std::vector<Violation> check_placed(const LoadedInversion& spec) {
    std::vector<Violation> broken;
    for (int k = 0; k < spec.inversion.data_size(); ++k) {
        const v1::Observations& set = spec.inversion.data(k);
        if (spec.tables[k].rows.empty() || spec.tables[k].placed) {
            continue;
        }
        const std::string field = element("data", k);
        const std::string rule = "must be left out, the file has no columns lon_deg and lat_deg";
        if (set.correlation_length_m() > 0.0) {
            broken.push_back({field + ".correlation_length_m", rule});
        }
        for (int n = 0; n < set.nuisance_size(); ++n) {
            if (set.nuisance(n) != "offset") {
                broken.push_back({element(field + ".nuisance", n), rule});
            }
        }
    }
    return broken;
}

/// Slip at a rate moves nothing at once: what it adds to a displacement is rate times time.
std::vector<Violation> check_since(const LoadedInversion& spec) {
    const auto& windows = spec.inversion.slip().windows();
    const auto rate = std::ranges::find_if(windows, [](const v1::SlipWindow& window) {
        return window.kind() == kSteady || window.kind() == kCoupling;
    });
    std::vector<Violation> broken;
    for (int k = 0; rate != windows.end() && k < spec.inversion.data_size(); ++k) {
        const ObservationTable& table = spec.tables[k];
        const auto open = std::ranges::find_if(
            table.rows, [](const Observation& row) { return !row.since_s.has_value(); });
        if (!table.velocity && open != table.rows.end()) {
            broken.push_back({element("data", k) + ".since_s",
                              "must be given, or a column since_s: window " + quote(rate->name()) +
                                  " is a rate, and " + open->field + " has no since"});
        }
    }
    return broken;
}

LoadedInversion finish(v1::Inversion inversion, YamlReading reading,
                       const std::filesystem::path& folder) {
    LoadedInversion spec{std::move(inversion), {}, {}, {}, {}, {}};
    fill_set_defaults(spec.inversion);
    std::vector<Violation> in_files = resolve_files(spec.inversion, folder);
    const InversionFacts facts = read_files(spec, in_files);
    spec.chosen = fill_defaults(spec.inversion, facts);
    std::vector<Violation> broken = validate(spec.inversion, facts, unit_factor_of(reading));
    append(broken, check_placed(spec));
    append(broken, check_since(spec));
    append(broken, std::move(in_files));
    throw_if_broken(std::move(broken), std::move(reading));
    return spec;
}

}  // namespace

LoadedInversion load_inversion(const std::string& path, const std::string& greens) {
    v1::Inversion inversion;
    YamlReading reading = scan_yaml(read_text_file(path), path, inversion);
    if (!greens.empty()) {
        inversion.mutable_greens()->Clear();
        inversion.mutable_greens()->set_path(std::filesystem::absolute(greens).string());
    }
    return finish(std::move(inversion), std::move(reading),
                  std::filesystem::absolute(path).parent_path());
}

LoadedInversion check_inversion(v1::Inversion inversion, YamlReading reading) {
    return finish(std::move(inversion), std::move(reading), "/");
}

std::string canonical_inversion(const v1::Inversion& inversion, bool labels) {
    v1::Inversion copy = inversion;
    if (!labels) {
        copy.clear_name();
        copy.clear_description();
    }
    return canonical_text(copy);
}

}  // namespace kaname::spec
