// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/inversion/inversion_defaults.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "proto/request/inversion/observation_columns.hpp"

namespace kaname::request {
namespace {

constexpr double kMatchDistance_m = 200.0;
constexpr unsigned kFolds = 5;
constexpr unsigned kSeed = 1;
// 1e-4 .. 1e2: 10^(-4 + 6 k/9), to the digits that specifications keep.
constexpr std::array kSmoothness = {
    1e-4, 4.6415888336e-4, 2.1544346900e-3, 1e-2, 4.6415888336e-2, 2.1544346900e-1,
    1.0,  4.6415888336,    21.544346900,    100.0};
constexpr std::array kSparsity = {0.0, 1e-4, 1e-3, 1e-2, 1e-1};

template <class Value>
void set_if_none(const Value& now, const Value& fallback, const auto& set) {
    if (now == Value()) {
        set(fallback);
    }
}

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

void choose(v1::Regularisation& weights) {
    if (weights.choice().empty()) {
        // Fields that have a meaning only for cross-validation ask for it.
        const bool by_folds = weights.folds() > 0 || wants_sparsity(weights);
        weights.set_choice(by_folds ? kCrossValidation : kAbic);
    }
}

void fill_weights(v1::Inversion& inversion) {
    v1::Regularisation& weights = *inversion.mutable_regularisation();
    if (weights.smoothness().empty() && weights.choice() != kFixedWeights) {
        weights.mutable_smoothness()->Assign(kSmoothness.begin(), kSmoothness.end());
    }
    if (weights.sparsity().empty()) {
        // Slip that is at least something is not sparse.
        const bool sparse =
            weights.choice() == kCrossValidation && !(inversion.slip().min_m() > 0.0);
        weights.mutable_sparsity()->Assign(kSparsity.begin(),
                                           sparse ? kSparsity.end() : kSparsity.begin() + 1);
    }
    set_if_none(weights.folds(), kFolds, [&](auto value) { weights.set_folds(value); });
    set_if_none(weights.seed(), std::uint64_t{kSeed}, [&](auto value) { weights.set_seed(value); });
    const std::string minimum = "minimum", none = "none", zero = "zero", squares = "least_squares";
    set_if_none(weights.rule(), minimum, [&](const auto& value) { weights.set_rule(value); });
    set_if_none(weights.weight(), none, [&](const auto& value) { weights.set_weight(value); });
    set_if_none(weights.edges(), zero, [&](const auto& value) { weights.set_edges(value); });
    set_if_none(weights.norm(), squares, [&](const auto& value) { weights.set_norm(value); });
}

std::string fill_slip(v1::SlipUnknowns& slip, const InversionFacts& facts) {
    if (!slip.allow_negative() && !slip.has_min_m()) {
        slip.set_min_m(0.0);
    }
    if (slip.has_moment() && slip.moment().relation().empty()) {
        slip.mutable_moment()->set_relation("equal");
    }
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
        if (set.kind().empty()) {
            set.set_kind(kGnss);
        }
        if (set.name().empty() && !set.file().path().empty()) {
            set.set_name(name_of_file(set.file().path()));
        }
        set_if_none(set.sigma_scale(), 1.0, [&](double value) { set.set_sigma_scale(value); });
        set_if_none(set.match_distance_m(), kMatchDistance_m,
                    [&](double value) { set.set_match_distance_m(value); });
    }
}

std::string fill_defaults(v1::Inversion& inversion, const InversionFacts& facts) {
    fill_set_defaults(inversion);
    choose(*inversion.mutable_regularisation());
    std::string chosen = fill_slip(*inversion.mutable_slip(), facts);
    fill_weights(inversion);
    if (inversion.synthetic().has_checkerboard()) {
        v1::Checkerboard& board = *inversion.mutable_synthetic()->mutable_checkerboard();
        set_if_none(board.rows(), 2u, [&](auto value) { board.set_rows(value); });
        set_if_none(board.columns(), 2u, [&](auto value) { board.set_columns(value); });
        set_if_none(board.slip_m(), 1.0, [&](double value) { board.set_slip_m(value); });
    }
    return chosen;
}

}  // namespace kaname::request
