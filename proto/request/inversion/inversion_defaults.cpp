// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/inversion/inversion_defaults.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "proto/request/form/field_rules.hpp"
#include "proto/request/inversion/observation_columns.hpp"

namespace kaname::request {
namespace {

// 1e-4 .. 1e2: 10^(-4 + 6 k/9), to the digits that specifications keep.
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
}

std::string fill_slip(v1::SlipUnknowns& slip, const InversionFacts& facts) {
    if (!slip.allow_negative() && !slip.has_min_m()) {
        slip.set_min_m(0.0);
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
        fill_constants(set);
        if (set.name().empty() && !set.file().path().empty()) {
            set.set_name(name_of_file(set.file().path()));
        }
    }
}

std::string fill_defaults(v1::Inversion& inversion, const InversionFacts& facts) {
    fill_set_defaults(inversion);
    choose(*inversion.mutable_regularisation());  // looks at folds before they have a default
    fill_constants(inversion);
    std::string chosen = fill_slip(*inversion.mutable_slip(), facts);
    fill_weights(inversion);
    return chosen;
}

}  // namespace kaname::request
