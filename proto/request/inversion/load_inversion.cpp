// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/inversion/load_inversion.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "proto/kaname/v1/campaign_index.pb.h"
#include "proto/request/form/json.hpp"
#include "proto/request/form/text.hpp"
#include "proto/request/form/yaml_document.hpp"
#include "proto/request/inversion/inversion_rules.hpp"
#include "proto/request/inversion/observation_columns.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"

namespace kaname::request {
namespace {

constexpr double kRounded = 1e-6;  // of tables with few digits, relative to the variances

std::string one_based(std::size_t index) {
    return std::to_string(index + 1);
}

[[noreturn]] void refuse(const std::string& path, const std::string& message) {
    throw ValidationError({{path, message}});
}

void make_symmetric(const std::string& path, std::size_t n, std::vector<double>& matrix) {
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            double& lower = matrix[i * n + j];
            double& upper = matrix[j * n + i];
            const double size = std::sqrt(std::abs(matrix[i * n + i] * matrix[j * n + j]));
            if (std::abs(lower - upper) > kRounded * size) {
                refuse(path, "must be symmetric, got " + show(lower) + " in row " + one_based(i) +
                                 ", column " + one_based(j) + " and " + show(upper) + " in row " +
                                 one_based(j) + ", column " + one_based(i));
            }
            lower = upper = 0.5 * (lower + upper);
        }
    }
}

/// C = L L', row by row.
void check_positive_definite(const std::string& path, std::size_t n,
                             const std::vector<double>& matrix) {
    std::vector<double> factor(n * n);
    for (std::size_t i = 0; i < n; ++i) {
        double* row = &factor[i * n];
        for (std::size_t j = 0; j <= i; ++j) {
            const double* other = &factor[j * n];
            double sum = matrix[i * n + j];
            for (std::size_t k = 0; k < j; ++k) {
                sum -= row[k] * other[k];
            }
            if (j < i) {
                row[j] = sum / other[j];
            } else if (sum > 0.0) {
                row[i] = std::sqrt(sum);
            } else {
                refuse(path, "must be positive definite, is not from row " + one_based(i) +
                                 " on, whose variance is " + show(matrix[i * n + i]));
            }
        }
    }
}

}  // namespace

std::vector<double> read_covariance(const std::string& path, std::size_t n) {
    RowErrors errors(path);
    std::vector<double> matrix;
    std::size_t rows = 0;
    for_each_csv_line(read_text_file(path), [&](int line, std::string_view text) {
        const auto cells = split_csv(text);
        ++rows;
        if (!cells || cells->size() != n) {
            errors.fail(line, "must have " + std::to_string(n) +
                                  " numbers, one for each observation of the set, has " +
                                  std::to_string(cells ? cells->size() : 0));
            return true;
        }
        for (const std::string& cell : *cells) {
            const std::optional<double> value = parse_number(cell);
            if (!value || !std::isfinite(*value)) {
                errors.fail(line, "must have finite numbers, got " + quote(cell));
            }
            matrix.push_back(value.value_or(0.0));
        }
        return true;
    });
    if (errors.any()) {
        throw ValidationError(errors.take());
    }
    if (rows != n) {
        refuse(path, "must have " + std::to_string(n) +
                         " rows, one for each observation of the set, has " + std::to_string(rows));
    }
    make_symmetric(path, n, matrix);
    check_positive_definite(path, n, matrix);
    return matrix;
}

std::vector<SourceSlip> read_slip_csv(const std::string& path) {
    RowErrors errors(path);
    std::vector<SourceSlip> all;
    std::map<std::string, int> first_line;
    std::size_t n_columns = 0, source = 0, slip = 0;
    for_each_csv_line(read_text_file(path), [&](int line, std::string_view text) {
        const auto cells = split_csv(text);
        if (!cells) {
            errors.fail(line, "quote is left open");
            return true;
        }
        if (n_columns == 0) {
            n_columns = cells->size();
            const auto column = [&](const char* name) {
                const auto at = std::ranges::find(*cells, name);
                if (at == cells->end()) {
                    errors.fail(line, std::string("header must name the column ") + name +
                                          ", got " + quote(text));
                }
                return static_cast<std::size_t>(at - cells->begin());
            };
            source = column("source");
            slip = column("slip_m");
            return !errors.any();
        }
        if (cells->size() != n_columns) {
            errors.fail(line, "row has " + std::to_string(cells->size()) +
                                  " cells, the header has " + std::to_string(n_columns));
            return true;
        }
        const std::string& id = (*cells)[source];
        const auto value = parse_number((*cells)[slip]);
        if (!value || !std::isfinite(*value)) {
            errors.fail(line, "slip_m must be a finite number, got " + quote((*cells)[slip]));
        }
        if (const auto [at, fresh] = first_line.try_emplace(id, line); !fresh) {
            errors.fail(line, "source must be unique, got " + quote(id) + " as in line " +
                                  std::to_string(at->second));
        }
        all.push_back({id, value.value_or(0.0)});
        return true;
    });
    if (all.empty() && !errors.any()) {
        errors.fail(1, "file has no source");
    }
    if (errors.any()) {
        throw ValidationError(errors.take());
    }
    return all;
}

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
bool read_set(int index, LoadedInversion& loaded, std::vector<Violation>& broken) {
    v1::Observations& set = *loaded.inversion.mutable_data(index);
    const std::string field = element("data", index);
    ObservationTable& table = loaded.tables[index];
    if (find_observation_kind(set.kind()) == nullptr || set.file().sha256().empty()) {
        return false;  // validate() and resolve_files() say why
    }
    if (!try_read(field + ".file", broken, [&] {
            table = read_observations(set, field, loaded.inversion.has_synthetic());
        })) {
        return false;
    }
    set.set_quantity(table.velocity ? kVelocity : kDisplacement);
    if (set.components().empty()) {
        set.mutable_components()->Assign(table.components.begin(), table.components.end());
    }
    loaded.warnings.insert(loaded.warnings.end(), table.warnings.begin(), table.warnings.end());
    if (set.covariance().sha256().empty()) {
        return true;
    }
    const std::size_t n = table.rows.size();
    std::vector<double>& covariance = loaded.covariances[index];
    const bool read = try_read(field + ".covariance", broken,
                               [&] { covariance = read_covariance(set.covariance().path(), n); });
    for (std::size_t k = 0; read && k < n; ++k) {
        table.rows[k].sigma = std::sqrt(covariance[k * n + k]);
    }
    return read;
}

InversionFacts read_files(LoadedInversion& loaded, std::vector<Violation>& broken) {
    InversionFacts facts;
    std::set<std::string> stations;
    loaded.tables.resize(loaded.inversion.data_size());
    loaded.covariances.resize(loaded.inversion.data_size());
    for (int k = 0; k < loaded.inversion.data_size(); ++k) {
        if (!read_set(k, loaded, broken)) {
            facts.known = false;
            continue;
        }
        (loaded.tables[k].velocity ? facts.velocities : facts.displacements) = true;
        const std::vector<std::string> ids = loaded.tables[k].station_ids();
        stations.insert(ids.begin(), ids.end());
    }
    facts.known = facts.known && loaded.inversion.data_size() > 0;
    facts.stations = stations.size();
    const v1::File& slip = loaded.inversion.synthetic().slip();
    if (!slip.sha256().empty()) {
        (void)try_read("synthetic.slip", broken, [&] { loaded.slip = read_slip_csv(slip.path()); });
    }
    return facts;
}

/// Refuses fields that have a meaning only for observations with known positions.
std::vector<Violation> check_placed(const LoadedInversion& loaded) {
    std::vector<Violation> broken;
    for (int k = 0; k < loaded.inversion.data_size(); ++k) {
        const v1::Observations& set = loaded.inversion.data(k);
        if (loaded.tables[k].rows.empty() || loaded.tables[k].placed) {
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
std::vector<Violation> check_since(const LoadedInversion& loaded) {
    const auto& windows = loaded.inversion.slip().windows();
    const auto rate = std::ranges::find_if(windows, [](const v1::SlipWindow& window) {
        return window.kind() == kSteady || window.kind() == kCoupling;
    });
    std::vector<Violation> broken;
    for (int k = 0; has_history(loaded.inversion.slip()) && k < loaded.inversion.data_size(); ++k) {
        const std::vector<Observation>& rows = loaded.tables[k].rows;
        const auto since = std::ranges::find_if(
            rows, [](const Observation& row) { return row.since_s.has_value(); });
        if (since != rows.end()) {
            broken.push_back({since->field,
                              "must have no since with a window of kind history, which takes "
                              "series"});
        }
    }
    for (int k = 0; rate != windows.end() && k < loaded.inversion.data_size(); ++k) {
        const ObservationTable& table = loaded.tables[k];
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

/// Puts the datasets of a downloaded campaign in its place, so that the request says what it is of.
void take_campaign(LoadedInversion& loaded, const std::filesystem::path& folder,
                   std::vector<Violation>& broken) {
    v1::ModelErrors& errors = *loaded.inversion.mutable_model_errors();
    const std::filesystem::path record = folder / errors.campaign().path();
    if (errors.campaign().path().empty() || errors.datasets_size() > 0 ||
        !std::filesystem::is_regular_file(record)) {
        return;  // validate() and resolve_files() say why
    }
    const std::string field = "model_errors.campaign", name = "file '" + record.string() + "'";
    v1::CampaignIndex index;
    if (!try_read(field, broken, [&] {
            const std::string text = read_text_file(record.string());
            const std::string& wanted = errors.campaign().sha256();
            if (!wanted.empty() && wanted != sha256_hex(text)) {
                refuse(field,
                       name + " has sha256 " + sha256_hex(text) + ", the request says " + wanted);
            }
            from_json(text, name, index);
        })) {
        return;
    }
    for (const v1::CampaignIndex::Entry& entry : index.members()) {
        if (!entry.file().empty()) {
            errors.add_datasets()->set_path((record.parent_path() / entry.file()).string());
        }
    }
    const int without = index.members_size() - errors.datasets_size();
    if (errors.datasets().empty()) {
        broken.push_back({field, name + " must have members with a dataset, has none"});
        return;
    }
    if (without > 0) {
        loaded.warnings.push_back(field + ": " + std::to_string(without) + " of " +
                                  std::to_string(index.members_size()) +
                                  " members have no dataset and are left out");
    }
    errors.clear_campaign();
}

LoadedInversion finish(v1::Inversion inversion, YamlReading reading,
                       const std::filesystem::path& folder) {
    LoadedInversion loaded{std::move(inversion), {}, {}, {}, {}, {}};
    fill_set_defaults(loaded.inversion);
    std::vector<Violation> of_campaign;
    if (loaded.inversion.has_model_errors()) {
        take_campaign(loaded, folder, of_campaign);
    }
    std::vector<Violation> in_files = resolve_files(loaded.inversion, folder);
    append(in_files, std::move(of_campaign));
    const InversionFacts facts = read_files(loaded, in_files);
    loaded.chosen = fill_defaults(loaded.inversion, facts);
    std::vector<Violation> broken = validate(loaded.inversion, facts, unit_factor_of(reading));
    append(broken, check_placed(loaded));
    append(broken, check_since(loaded));
    append(broken, std::move(in_files));
    throw_if_broken(std::move(broken), std::move(reading));
    return loaded;
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

namespace {

using google::protobuf::Message;

constexpr const char* kInvert = "invert";
// Changes with what is computed of the same request.
constexpr const char* kVersion = "inversion 1\n";

class InversionRequest final : public Request {
public:
    explicit InversionRequest(LoadedInversion loaded) : loaded_(std::move(loaded)) {}

    [[nodiscard]] const Message& message() const override { return loaded_.inversion; }
    [[nodiscard]] const std::string& name() const override { return loaded_.inversion.name(); }
    [[nodiscard]] std::string chosen() const override { return loaded_.chosen; }
    [[nodiscard]] TaskGraph graph() const override {
        const std::string text = canonical_inversion(loaded_.inversion, false);
        return {{{.verb = kInvert, .label = "inversion", .key = sha256_hex(kVersion + text)}}};
    }
    [[nodiscard]] Description describe() const override {
        Description found;
        found.physics = "inversion";
        std::set<std::string> stations;
        std::vector<GeoPoint> places;
        for (const ObservationTable& table : loaded_.tables) {
            for (const Observation& row : table.rows) {
                if (!row.station.empty()) {
                    stations.insert(row.station);
                }
                if (row.lon_deg && row.lat_deg) {
                    places.push_back({*row.lon_deg, *row.lat_deg});
                }
            }
        }
        found.stations.assign(stations.begin(), stations.end());
        found.place = geo_box_of(places);
        return found;
    }
    [[nodiscard]] std::vector<VerbTime> times(const v1::Estimate& estimate) const override {
        return {{kInvert, 0.0, estimate.solve_s()}};
    }

private:
    LoadedInversion loaded_;
};

constexpr auto kLoad = [](const std::string& path) { return load_inversion(path); };

class InversionKind final : public KindOf<v1::Inversion, InversionRequest, check_inversion, kLoad> {
public:
    [[nodiscard]] std::string result_file() const override { return kInversionFile; }
    [[nodiscard]] std::string content_hash(const Message& message) const override {
        return sha256_hex(canonical_inversion(dynamic_cast<const v1::Inversion&>(message), false));
    }
};

}  // namespace

const Kind& inversion_kind() {
    static const InversionKind kind;
    return kind;
}

}  // namespace kaname::request
