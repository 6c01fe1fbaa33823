// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/inversion/inversion_rules.hpp"

#include <algorithm>

#include "proto/spec/form/text.hpp"

namespace kaname::spec {
namespace {

constexpr std::uint32_t kMostReplicates = 100000;

const char* const kNameRule =
    "must be 1 to 63 lower-case letters, digits and hyphens, not starting with a hyphen, got ";

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
    rules.positive(path + "length_m", rupture.length_m());
    rules.positive(path + "width_m", rupture.width_m());
    rules.in_range(path + "strike_deg", rupture.strike_deg(), -360.0, 360.0);
    if (rupture.slip_m() == 0.0) {
        rules.fail(path + "slip_m", "must not be 0");
    }
    if (rupture.has_rake_deg() == rupture.has_slip_azimuth_deg()) {
        rules.fail(path + "rake_deg",
                   std::string("must be given or slip_azimuth_deg, exactly one of them, got ") +
                       (rupture.has_rake_deg() ? "both" : "none"));
    }
    rules.in_range(path + "rake_deg", rupture.rake_deg(), -360.0, 360.0);
    rules.in_range(path + "slip_azimuth_deg", rupture.slip_azimuth_deg(), -360.0, 360.0);
}

}  // namespace

void check_regularisation(const v1::Inversion& inversion, const InversionFacts& facts,
                          Rules& rules) {
    const v1::Regularisation& weights = inversion.regularisation();
    const std::string path = "regularisation.";
    const std::string& choice = weights.choice();
    const bool fixed = choice == kFixedWeights;
    rules.one_of(path + "choice", choice, {kCrossValidation, kAbic, kLCurve, kFixedWeights});
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
    if (sparse && choice == kAbic) {
        rules.fail(path + "sparsity",
                   "must be 0 with choice abic, which is for priors that are "
                   "normal distributions");
    }
    if (sparse && inversion.slip().min_m() > 0.0) {
        rules.fail(path + "sparsity",
                   "must be 0 with slip.min_m = " + show(inversion.slip().min_m()) +
                       ", which lets no amount be 0");
    }
    if (weights.folds() < 2) {
        rules.fail(path + "folds", "must be >= 2, got " + std::to_string(weights.folds()));
    } else if (choice == kCrossValidation && facts.known && facts.stations < weights.folds()) {
        rules.fail(path + "folds", "must be at most the number of stations, " +
                                       std::to_string(facts.stations) + ", got " +
                                       std::to_string(weights.folds()));
    }
    rules.one_of(path + "rule", weights.rule(), {"minimum", "one_standard_error"});
    rules.one_of(path + "weight", weights.weight(), {"none", "moment"});
    rules.one_of(path + "edges", weights.edges(), {"zero", "free"});
    rules.one_of(path + "norm", weights.norm(), {"least_squares", "huber"});
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
    if (!is_name(inversion.name())) {
        rules.fail("name", kNameRule + quote(inversion.name()));
    }
    if (inversion.greens().path().empty()) {
        rules.fail("greens", "must be given: the dataset of Green's functions, greens.h5");
    }
    check_sets(inversion, rules);
    check_slip(inversion.slip(), facts, rules);
    check_regularisation(inversion, facts, rules);
    if (inversion.appraisal().bootstrap() > kMostReplicates) {
        rules.fail("appraisal.bootstrap", "must be at most " + std::to_string(kMostReplicates) +
                                              ", got " +
                                              std::to_string(inversion.appraisal().bootstrap()));
    }
    check_synthetic(inversion, rules);
    every_number_finite(inversion, "", rules);
    return rules.take();
}

}  // namespace kaname::spec
