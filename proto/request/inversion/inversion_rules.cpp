// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/inversion/inversion_rules.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>

#include "proto/request/form/field_rules.hpp"
#include "proto/request/form/text.hpp"
#include "proto/request/inversion/observation_columns.hpp"

namespace kaname::request {
namespace {

// 1e-4 .. 1e2: 10^(-4 + 6 k/9), to the digits that requests keep.
constexpr std::array kSmoothness = {
    1e-4, 4.6415888336e-4, 2.1544346900e-3, 1e-2, 4.6415888336e-2, 2.1544346900e-1,
    1.0,  4.6415888336,    21.544346900,    100.0};
constexpr std::array kSparsity = {0.0, 1e-4, 1e-3, 1e-2, 1e-1};

/// "tohoku2011-gnss" for tohoku2011_GNSS.csv.
std::string name_of_file(const std::string& path) {
    std::string name = std::filesystem::path(path).stem().string();
    std::ranges::transform(name, name.begin(), [](unsigned char c) {
        const char lower = static_cast<char>(std::tolower(c));
        return (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9') ? lower : '-';
    });
    name.erase(0, std::min(name.find_first_not_of('-'), name.size()));
    return name.substr(0, 63);
}

bool wants_sparsity(const v1::Regularisation& weights) {
    return std::ranges::any_of(weights.sparsity(), [](double value) { return value > 0.0; });
}

// With fewer stations bounds bind so many amounts that ABIC over all of them is misled.
constexpr std::size_t kFewStations = 10;

void choose(v1::Inversion& inversion, const InversionFacts& facts) {
    v1::Regularisation& weights = *inversion.mutable_regularisation();
    if (weights.choice().empty()) {
        // Fields that have a meaning only for cross-validation ask for it.
        const bool by_folds = weights.folds() > 0 || wants_sparsity(weights);
        const bool few = facts.known && facts.stations < kFewStations;
        weights.set_choice(by_folds                                ? kCrossValidation
                           : few && !has_history(inversion.slip()) ? kAbicFree
                                                                   : kAbic);
    }
    if (!weights.has_variance_components()) {
        weights.set_variance_components(inversion.data_size() > 1 && !inversion.has_synthetic() &&
                                        !has_history(inversion.slip()));
    }
}

void fill_weights(v1::Inversion& inversion) {
    v1::Regularisation& weights = *inversion.mutable_regularisation();
    // Weights of a history are searched.
    if (weights.smoothness().empty() && weights.choice() != kFixedWeights &&
        !has_history(inversion.slip())) {
        weights.mutable_smoothness()->Assign(kSmoothness.begin(), kSmoothness.end());
    }
    if (weights.sparsity().empty()) {
        // Slip that is at least something is not sparse.
        const bool sparse =
            weights.choice() == kCrossValidation && !(inversion.slip().min_m() > 0.0);
        weights.mutable_sparsity()->Assign(kSparsity.begin(),
                                           sparse ? kSparsity.end() : kSparsity.begin() + 1);
    }
}

std::string fill_slip(v1::SlipUnknowns& slip, const InversionFacts& facts) {
    if (!slip.allow_negative() && !slip.has_min_m()) {
        slip.set_min_m(0.0);
    }
    fill_history(slip);
    if (!slip.windows().empty() || !facts.known || (facts.velocities && facts.displacements)) {
        return "";
    }
    v1::SlipWindow& window = *slip.add_windows();
    window.set_name(facts.velocities ? "interseismic" : "coseismic");
    window.set_kind(facts.velocities ? kSteady : kStep);
    return facts.velocities ? "slip.windows: steady, since the data are velocities" : "";
}

}  // namespace

void fill_set_defaults(v1::Inversion& inversion) {
    for (v1::Observations& set : *inversion.mutable_data()) {
        fill_constants(set);
        if (set.name().empty() && !set.file().path().empty()) {
            set.set_name(name_of_file(set.file().path()));
        }
    }
}

std::string fill_defaults(v1::Inversion& inversion, const InversionFacts& facts) {
    fill_set_defaults(inversion);
    choose(inversion, facts);  // looks at folds before they have a default
    fill_constants(inversion);
    std::string chosen = fill_slip(*inversion.mutable_slip(), facts);
    fill_weights(inversion);
    return chosen;
}

namespace {

/// Weights to try: ascending or descending, each once.
void check_grid(const std::string& field, const google::protobuf::RepeatedField<double>& grid,
                bool zero, Rules& rules) {
    for (int k = 0; k < grid.size(); ++k) {
        const std::string here = element(field, k);
        zero ? rules.not_negative(here, grid[k]) : rules.positive(here, grid[k]);
    }
    for (int k = 1; k < grid.size(); ++k) {
        const bool ascending = grid[1] > grid[0];
        if (ascending ? !(grid[k] > grid[k - 1]) : !(grid[k] < grid[k - 1])) {
            rules.fail(element(field, k), std::string("must be ") +
                                              (ascending ? "larger" : "smaller") +
                                              " than the weight before it, " + show(grid[k - 1]) +
                                              ", got " + show(grid[k]));
            return;
        }
    }
}

void one_weight(const std::string& field, int count, const std::string& choice, Rules& rules) {
    if (count != 1) {
        rules.fail(field,
                   "must have one weight with choice " + choice + ", got " + std::to_string(count));
    }
}

void check_rupture(const v1::SlipBump& rupture, Rules& rules) {
    const std::string path = "synthetic.rupture.";
    rules.place(path, rupture.has_lon_deg(), rupture.lon_deg(), rupture.has_lat_deg(),
                rupture.lat_deg());
    if (rupture.slip_m() == 0.0) {
        rules.fail(path + "slip_m", "must not be 0");
    }
    if (rupture.has_rake_deg() == rupture.has_slip_azimuth_deg()) {
        rules.fail(path + "rake_deg",
                   std::string("must be given or slip_azimuth_deg, exactly one of them, got ") +
                       (rupture.has_rake_deg() ? "both" : "none"));
    }
}

}  // namespace

void check_regularisation(const v1::Inversion& inversion, const InversionFacts& facts,
                          Rules& rules) {
    const v1::Regularisation& weights = inversion.regularisation();
    const std::string path = "regularisation.";
    const std::string& choice = weights.choice();
    const bool fixed = choice == kFixedWeights;
    check_grid(path + "smoothness", weights.smoothness(), fixed, rules);
    check_grid(path + "sparsity", weights.sparsity(), true, rules);
    if (fixed) {
        one_weight(path + "smoothness", weights.smoothness_size(), choice, rules);
        one_weight(path + "sparsity", weights.sparsity_size(), choice, rules);
    } else if (choice == kLCurve) {
        one_weight(path + "sparsity", weights.sparsity_size(), choice, rules);
    }
    const bool sparse =
        std::ranges::any_of(weights.sparsity(), [](double value) { return value > 0.0; });
    if (sparse && (choice == kAbic || choice == kAbicFree)) {
        rules.fail(path + "sparsity", "must be 0 with choice " + choice +
                                          ", which is for priors that are normal distributions");
    }
    if (sparse && inversion.slip().min_m() > 0.0) {
        rules.fail(path + "sparsity",
                   "must be 0 with slip.min_m = " + show(inversion.slip().min_m()) +
                       ", which lets no amount be 0");
    }
    if (choice == kCrossValidation && facts.known && facts.stations < weights.folds()) {
        rules.fail(path + "folds", "must be at most the number of stations, " +
                                       std::to_string(facts.stations) + ", got " +
                                       std::to_string(weights.folds()));
    }
    if (weights.norm() == "huber") {
        for (int k = 0; k < inversion.data_size(); ++k) {
            const v1::Observations& set = inversion.data(k);
            if (!set.covariance().path().empty() || set.correlation_length_m() > 0.0) {
                rules.fail(path + "norm", "must be least_squares with correlated errors, which " +
                                              element("data", k) + " has");
            }
        }
    }
}

void check_synthetic(const v1::Inversion& inversion, Rules& rules) {
    if (!inversion.has_synthetic()) {
        return;
    }
    const v1::Synthetic& synthetic = inversion.synthetic();
    const int given = synthetic.has_checkerboard() + synthetic.has_rupture() + synthetic.has_slip();
    if (given != 1) {
        rules.fail("synthetic", "must have exactly one of checkerboard, rupture and slip, got " +
                                    std::to_string(given));
    }
    if (synthetic.has_rupture()) {
        check_rupture(synthetic.rupture(), rules);
    }
    if (synthetic.has_slip() && synthetic.slip().path().empty()) {
        rules.fail("synthetic.slip.path", "must be given");
    }
}

std::vector<Violation> validate(const v1::Inversion& inversion, const InversionFacts& facts,
                                const UnitFactor& unit_factor) {
    Rules rules(unit_factor);
    const std::string& schema = v1::Inversion::descriptor()->full_name();
    if (inversion.schema() != schema) {
        rules.fail("schema", "must be " + schema + ", got " + quote(inversion.schema()));
    }
    rules.name("name", inversion.name());
    if (inversion.greens().path().empty()) {
        rules.fail("greens", "must be given: the dataset of Green's functions, greens.h5");
    }
    check_sets(inversion, rules);
    check_slip(inversion.slip(), facts, rules);
    check_regularisation(inversion, facts, rules);
    check_synthetic(inversion, rules);
    check_posterior(inversion, rules);
    check_model_errors(inversion, rules);
    check_history(inversion, rules);
    every_number_finite(inversion, "", rules);
    check_fields(inversion, rules);
    return rules.take();
}

// Rules of the sets of observations.
namespace {

using Texts = google::protobuf::RepeatedPtrField<std::string>;

/// Words of a list, each known and named once.
void check_words(const std::string& field, const Texts& words,
                 const std::vector<std::string>& known, Rules& rules) {
    std::set<std::string> seen;
    for (int k = 0; k < words.size(); ++k) {
        rules.one_of(element(field, k), words[k], known);
        if (!seen.insert(words[k]).second) {
            rules.fail(element(field, k), "must be named once, got " + quote(words[k]) + " again");
        }
    }
}

void check_kind(const v1::Observations& set, const std::string& path, Rules& rules) {
    std::vector<std::string> units;
    for (const ObservationUnit& unit : observation_units()) {
        units.push_back(unit.name);
    }
    if (!set.unit().empty()) {
        rules.one_of(path + "unit", set.unit(), units);
    }
    if (const ObservationKind* kind = find_observation_kind(set.kind())) {
        check_words(path + "components", set.components(), kind->components, rules);
    }
}

void check_time(const v1::Observations& set, const std::string& path, Rules& rules) {
    if (!set.has_since_s()) {
        return;
    }
    if (set.quantity() == kVelocity) {
        rules.fail(path + "since_s", "must be left out of velocities, got " +
                                         rules.in_unit_of(path + "since_s", set.since_s()));
    } else if (set.since_s() >= set.epoch_s()) {
        const std::string field = path + "since_s";
        rules.fail(field, "must be before " + rules.beside(field, "epoch_s", set.epoch_s()) +
                              ", got " + rules.in_unit_of(field, set.since_s()));
    }
}

void check_errors(const v1::Observations& set, const std::string& path, Rules& rules) {
    if (set.has_covariance() && set.covariance().path().empty()) {
        rules.fail(path + "covariance.path", "must be given");
    }
    if (set.has_covariance() && set.correlation_length_m() != 0.0) {
        rules.fail(path + "covariance", "excludes correlation_length_m; keep one");
    }
}

void check_nuisance(const v1::Observations& set, const std::string& path, Rules& rules) {
    const std::string field = path + "nuisance";
    const auto has = [](const Texts& list, const char* word) {
        return std::ranges::find(list, word) != list.end();
    };
    const ObservationKind* kind = find_observation_kind(set.kind());
    if (kind == nullptr) {
        return;
    }
    Texts all;
    all.Assign(kind->components.begin(), kind->components.end());
    const Texts& components = set.components().empty() ? all : set.components();
    if (has(set.nuisance(), "ramp") && !has(components, "up") && !has(components, "los")) {
        rules.fail(field, "must have no ramp without the component up or los, got ramp");
    }
    if (has(set.nuisance(), "rotation") && !(has(components, "east") && has(components, "north"))) {
        rules.fail(field,
                   "must have no rotation without the components east and north, got rotation");
    }
    if (has(set.nuisance(), "ramp") && has(set.nuisance(), "offset")) {
        rules.fail(field, "must not have offset beside ramp, which has an offset of its own");
    }
}

}  // namespace

void check_sets(const v1::Inversion& inversion, Rules& rules) {
    if (inversion.data().empty()) {
        rules.fail("data", "must have at least one set of observations");
    }
    std::map<std::string, int> first;
    for (int k = 0; k < inversion.data_size(); ++k) {
        const v1::Observations& set = inversion.data(k);
        const std::string path = element("data", k) + ".";
        if (set.file().path().empty()) {
            rules.fail(path + "file", "must be given");
        } else if (rules.name(path + "name", set.name())) {
            if (const auto [at, fresh] = first.try_emplace(set.name(), k); !fresh) {
                rules.fail(path + "name", "must be unique, got " + quote(set.name()) + " as in " +
                                              element("data", at->second));
            }
        }
        check_kind(set, path, rules);
        check_time(set, path, rules);
        check_errors(set, path, rules);
        check_nuisance(set, path, rules);
    }
}

// Rules of the unknown slip.
namespace {

constexpr double kHalfTurn_deg = 180.0;

bool is_rate(const v1::SlipWindow& window) {
    return window.kind() == kSteady || window.kind() == kCoupling;
}

void check_components(const v1::SlipUnknowns& slip, Rules& rules) {
    std::set<std::string> seen;
    for (int k = 0; k < slip.components_size(); ++k) {
        const std::string& word = slip.components(k);
        if (word.empty() || !seen.insert(word).second) {
            rules.fail(element("slip.components", k),
                       "must be given and there once, got " + quote(word));
        }
    }
    const bool turned =
        slip.has_rake_from_deg() || slip.has_rake_to_deg() || slip.has_azimuth_deg();
    if (turned && slip.components_size() > 0 && slip.components_size() != 2) {
        rules.fail("slip.components",
                   "must be two, or be left out, with rake limits or an azimuth, got " +
                       std::to_string(slip.components_size()));
    }
}

void check_bounds(const v1::SlipUnknowns& slip, Rules& rules) {
    if (!slip.allow_negative()) {
        rules.not_negative("slip.min_m", slip.min_m());
    }
    if (slip.has_max_m() && slip.has_min_m() && slip.max_m() < slip.min_m()) {
        rules.fail("slip.max_m", "must be >= " + rules.beside("slip.max_m", "min_m", slip.min_m()) +
                                     ", got " + rules.in_unit_of("slip.max_m", slip.max_m()));
    }
}

void check_direction(const v1::SlipUnknowns& slip, Rules& rules) {
    const bool limits = slip.has_rake_from_deg() || slip.has_rake_to_deg();
    if (slip.has_azimuth_deg() && limits) {
        rules.fail("slip.azimuth_deg", "excludes rake_from_deg and rake_to_deg; keep one");
    }
    if (!limits) {
        return;
    }
    rules.given("slip.rake_from_deg", slip.has_rake_from_deg());
    rules.given("slip.rake_to_deg", slip.has_rake_to_deg());
    if (slip.has_rake_from_deg() && slip.has_rake_to_deg()) {
        const double from = slip.rake_from_deg(), to = slip.rake_to_deg();
        if (!(from < to && to < from + kHalfTurn_deg)) {
            rules.fail("slip.rake_to_deg", "must be above rake_from_deg = " + show(from) +
                                               " by less than 180, got " + show(to));
        }
    }
    if (slip.allow_negative()) {
        rules.fail("slip.allow_negative",
                   "must be false with rake limits, which leave no way back");
    }
}

void check_moment(const v1::SlipUnknowns& slip, Rules& rules) {
    if (!slip.has_moment()) {
        return;
    }
    const v1::Moment& moment = slip.moment();
    if (moment.has_magnitude() == moment.has_moment_n_m()) {
        rules.fail("slip.moment", std::string("must have exactly one of magnitude and moment_n_m, "
                                              "got ") +
                                      (moment.has_magnitude() ? "both" : "none"));
    }
    if (!slip.windows().empty() && std::ranges::all_of(slip.windows(), is_rate)) {
        rules.fail("slip.moment",
                   "must be left out where every window is a rate: it is the moment of steps and "
                   "ramps");
    }
}

void check_window(const v1::SlipWindow& window, const std::string& path,
                  const InversionFacts& facts, Rules& rules) {
    const std::string begin = path + "begin_s", end = path + "end_s";
    const auto left_out = [&](const std::string& field, double value) {
        if (value != 0.0) {
            rules.fail(field, "must be left out of a window of kind " + window.kind() + ", got " +
                                  rules.in_unit_of(field, value));
        }
    };
    if (is_rate(window)) {
        left_out(begin, window.begin_s());
    }
    if (is_rate(window) || window.kind() == kStep) {
        left_out(end, window.end_s());
    }
    if ((window.kind() == kRamp || window.kind() == kHistory) &&
        window.end_s() <= window.begin_s()) {
        rules.fail(end, "must be after " + rules.beside(end, "begin_s", window.begin_s()) +
                            ", got " + rules.in_unit_of(end, window.end_s()));
    }
    if (facts.velocities && !is_rate(window)) {
        rules.fail(path + "kind",
                   "must be steady or coupling, there are velocities among the data, "
                   "got " +
                       quote(window.kind()));
    }
}

void check_windows(const v1::SlipUnknowns& slip, const InversionFacts& facts, Rules& rules) {
    std::map<std::string, int> first;
    for (int k = 0; k < slip.windows_size(); ++k) {
        const v1::SlipWindow& window = slip.windows(k);
        const std::string path = element("slip.windows", k) + ".";
        if (rules.name(path + "name", window.name())) {
            if (const auto [at, fresh] = first.try_emplace(window.name(), k); !fresh) {
                rules.fail(path + "name", "must be unique, got " + quote(window.name()) +
                                              " as in " + element("slip.windows", at->second));
            }
        }
        check_window(window, path, facts, rules);
    }
    if (facts.known && slip.windows().empty()) {
        rules.fail("slip.windows",
                   "must be given, the data are displacements and velocities: "
                   "steady or coupling, and since_s of the displacements");
    }
}

}  // namespace

void check_slip(const v1::SlipUnknowns& slip, const InversionFacts& facts, Rules& rules) {
    check_components(slip, rules);
    check_bounds(slip, rules);
    check_direction(slip, rules);
    check_moment(slip, rules);
    check_windows(slip, facts, rules);
}

}  // namespace kaname::request
